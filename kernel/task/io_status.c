/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/io_status.h"

#include "kernel/cpu/cpu.h"
#include "kernel/trace/object.h"

void io_status_init(struct io_status *status, const char *name)
{
    *status = (struct io_status){.id = trace_object_add(OBJECT_DEVICE, name)};
}

static void change(struct io_status *status, enum io_kind kind, int by)
{
    const uint64_t flags = interrupts_save();

    status->outstanding[kind] = (uint16_t)(status->outstanding[kind] + by);
    trace_io_status(status->id, (uint8_t)kind, status->outstanding[kind]);
    interrupts_restore(flags);
}

void io_status_raise(struct io_status *status, enum io_kind kind)
{
    change(status, kind, 1);
}

void io_status_lower(struct io_status *status, enum io_kind kind)
{
    change(status, kind, -1);
}
