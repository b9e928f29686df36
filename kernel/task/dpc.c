/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/dpc.h"

#include <stddef.h>

#include "kernel/cpu/cpu.h"
#include "kernel/trace/object.h"
#include "kernel/trace/trace.h"

static struct dpc *PER_CPU first PER_CPU_SECTION;
static struct dpc *PER_CPU last PER_CPU_SECTION;
static struct dpc *PER_CPU running PER_CPU_SECTION;

void dpc_init(struct dpc *dpc, const char *name, dpc_handler *handler, void *argument)
{
    *dpc = (struct dpc){
        .handler = handler, .argument = argument, .id = trace_object_add(OBJECT_DPC, name)};
}

bool dpc_queue(struct dpc *dpc)
{
    const uint64_t flags = interrupts_save();
    const bool free = !dpc->queued;

    if (free) {
        trace_dpc_queue((uint8_t)dpc->id);
        dpc->queued = true;
        dpc->next = NULL;
        if (first == NULL) {
            first = dpc;
        } else {
            last->next = dpc;
        }
        last = dpc;
    }
    interrupts_restore(flags);
    return free;
}

const struct dpc *dpc_current(void)
{
    return running;
}

static void run(struct dpc *dpc)
{
    first = dpc->next;
    dpc->queued = false;
    running = dpc;
    trace_dpc_entry((uint8_t)dpc->id);
    interrupts_enable();
    dpc->handler(dpc->argument);
    interrupts_disable();
    trace_dpc_exit((uint8_t)dpc->id);
    running = NULL;
}

void dpc_run_all(void)
{
    while (first != NULL) {
        run(first);
    }
}

void dpc_reset(void)
{
    first = NULL;
    running = NULL;
}
