/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/task/costs.h"

#include <string.h>

#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/known_loop.h"
#include "kernel/irq/interrupt.h"
#include "kernel/task/dpc.h"
#include "kernel/task/session.h"
#include "kernel/task/thread.h"
#include "kernel/task/timer.h"

#define TRIES            8
#define ROUNDS           9 /* each with TRIES threads */
#define ITERATIONS_FIRST 20000
#define PROBE_VECTOR     0x31
#define STAMP_MASK       ((1u << TRACE_STAMP_BITS) - 1)

/* Stamps found in one try. */
struct stamps {
    bool has_entry, has_exit;
    uint32_t entry;       /* stamp of the first isr_entry */
    uint32_t exit;        /* stamp of the last isr_exit, or of a dpc_exit after it */
    uint32_t last_switch; /* stamp of the last thread_switch */
};

static void note(struct stamps *stamps, uint32_t id, uint32_t stamp)
{
    if (id == TRACE_ID_isr_entry && !stamps->has_entry) {
        stamps->has_entry = true;
        stamps->entry = stamp;
    } else if (id == TRACE_ID_isr_exit || id == TRACE_ID_dpc_exit) {
        stamps->has_exit = true;
        stamps->exit = stamp;
    } else if (id == TRACE_ID_thread_switch) {
        stamps->last_switch = stamp;
    }
}

/* Reads back the first packet, which has room for everything that a try records. */
static struct stamps read_stamps(const void *memory)
{
    const struct trace_packet *packet = memory;
    const uint8_t *at = (const uint8_t *)(packet + 1);
    const uint8_t *end = (const uint8_t *)packet + packet->content_bits / 8;
    struct stamps stamps = {0};

    while (at < end) {
        const bool extended = (*at & TRACE_ID_EXTENDED) == TRACE_ID_EXTENDED;
        uint32_t header;

        memcpy(&header, extended ? at + 5 : at, sizeof(header));
        const uint32_t id = extended ? at[1] : header & TRACE_ID_EXTENDED;

        note(&stamps, id, extended ? header & STAMP_MASK : header >> TRACE_ID_BITS);
        at += (extended ? TRACE_HEADER_EXTENDED : TRACE_HEADER_COMPACT) + recorder_field_bytes(id);
    }
    return stamps;
}

static void keep_least(uint32_t *least, uint64_t value)
{
    if (value < *least) {
        *least = (uint32_t)value;
    }
}

static void do_nothing(void *argument)
{
    (void)argument;
}

/* Measures the time before the stamp with an INT instruction, which takes the same path as an
 * interrupt. In exact time the INT instruction itself is subtracted, since an interrupt has
 * none. */
static void measure_lead(void *memory, struct task_costs *costs)
{
    uint32_t before;
    uint32_t start;

    interrupt_attach(PROBE_VECTOR, "probe", do_nothing, NULL);
    recorder_start(memory, 2, RECORDER_STOP, 0);
    __asm__ volatile("rdtsc\n\t"
                     "movl %%eax, %%ecx\n\t"
                     "rdtsc\n\t"
                     "movl %%eax, %%esi\n\t"
                     "int %[vector]"
                     : "=c"(before), "=S"(start)
                     : [vector] "i"(PROBE_VECTOR)
                     : "rax", "rdx", "memory");
    recorder_stop();
    interrupt_detach(PROBE_VECTOR);

    const struct stamps stamps = read_stamps(memory);

    const uint32_t local = start - (uint32_t)TSC_GIVEN; /* as the stamps of records are */

    keep_least(&costs->isr_lead, ((stamps.entry - local) & STAMP_MASK) - (start - before) -
                                     clock_state()->ticks_per_instruction);
}

/* A loop in whose middle an interrupt should come. */
struct loop {
    uint64_t iterations;
    uint64_t undisturbed; /* ticks without a disturbance */
};

static struct loop loop_of(uint64_t iterations)
{
    struct loop loop = {iterations, UINT64_MAX};
    const uint64_t flags = interrupts_save();

    for (int i = 0; i < TRIES; i++) {
        const uint64_t ticks = known_loop_short(iterations);

        loop.undisturbed = ticks < loop.undisturbed ? ticks : loop.undisturbed;
    }
    interrupts_restore(flags);
    return loop;
}

/* Returns how many ticks longer an interrupted loop takes than an undisturbed one. Call in a
 * session. */
static uint64_t elongation(const struct loop *loop)
{
    const uint64_t disturbed = known_loop_short(loop->iterations);

    return disturbed > loop->undisturbed ? disturbed - loop->undisturbed : 0;
}

static void queue_dpc(void *argument)
{
    dpc_queue(argument);
}

/* Measures the time after the last exit, of the handler or of a deferred call (DPC) that it
 * queues. */
static void measure_trail(void *memory, const struct task_costs *costs, const struct loop *loop,
                          struct dpc *dpc, uint32_t *trail)
{
    struct timer timer;

    recorder_start(memory, 2, RECORDER_STOP, 0);
    timer_start(&timer, tsc_read() + loop->undisturbed / 2, 0, dpc != NULL ? queue_dpc : do_nothing,
                dpc);
    const uint64_t longer = elongation(loop);

    recorder_stop();
    timer_stop(&timer);

    const struct stamps stamps = read_stamps(memory);
    const uint64_t reported = (stamps.exit - stamps.entry) & STAMP_MASK;

    if (stamps.has_entry && stamps.has_exit && longer > reported + costs->isr_lead) {
        keep_least(trail, longer - reported - costs->isr_lead);
    }
}

struct probe {
    const struct loop *loop;
    uint64_t longer;
};

/* A thread of low priority. The bench's thread wakes from sleep and preempts it in its loop, then
 * waits for its end at once. What the thread does after the loop is not traced. */
static void loop_thread(void *argument)
{
    struct probe *probe = argument;

    probe->longer = elongation(probe->loop);
    recorder_stop();
}

static void measure_switch(void *memory, struct task_costs *costs, const struct loop *loop)
{
    struct probe probe = {loop, 0};
    struct thread *thread = thread_create("probe", THREAD_PRIORITY_IDLE + 1, loop_thread, &probe);

    if (thread == NULL) {
        return;
    }
    recorder_start(memory, 2, RECORDER_STOP, 0);
    thread_sleep_until(tsc_read() + loop->undisturbed / 2);
    thread_join(thread);

    const struct stamps stamps = read_stamps(memory);
    const uint64_t reported = (stamps.last_switch - stamps.entry) & STAMP_MASK;

    if (stamps.has_entry && probe.longer > reported + costs->isr_lead) {
        keep_least(&costs->switch_trail, probe.longer - reported - costs->isr_lead);
    }
}

/* Returns whether every cost was measured; a cost that was not must not be reported as one. */
static bool all_measured(const struct task_costs *costs)
{
    return costs->record.record != UINT32_MAX && costs->record.extended != UINT32_MAX &&
           costs->isr_lead != UINT32_MAX && costs->isr_trail != UINT32_MAX &&
           costs->dpc_trail != UINT32_MAX && costs->switch_trail != UINT32_MAX;
}

/* If timers come late, as under a hypervisor, no interrupt comes during a short loop. So until
 * everything is measured, each round uses a loop twice as long, as far as stamps reach and there
 * are threads. */
static void measure_in_loops(void *memory, struct task_costs *costs)
{
    struct loop loop = loop_of(ITERATIONS_FIRST);
    struct dpc dpc;

    dpc_init(&dpc, "probe", do_nothing, NULL);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < TRIES; i++) {
            measure_trail(memory, costs, &loop, NULL, &costs->isr_trail);
            measure_trail(memory, costs, &loop, &dpc, &costs->dpc_trail);
            measure_switch(memory, costs, &loop);
        }
        if (all_measured(costs) || loop.undisturbed > STAMP_MASK / 8) {
            return;
        }
        loop = loop_of(2 * loop.iterations);
    }
}

bool task_measure_costs(void *memory, struct task_costs *costs, const char **why)
{
#if TARE_SMP
    const struct task_settings settings = {.processors = 1};
#else
    const struct task_settings settings = {0};
#endif

    *costs = (struct task_costs){.isr_lead = UINT32_MAX,
                                 .isr_trail = UINT32_MAX,
                                 .dpc_trail = UINT32_MAX,
                                 .switch_trail = UINT32_MAX};
    recorder_measure(memory, &costs->record);
    for (int i = 0; i < TRIES; i++) {
        measure_lead(memory, costs);
    }
    if (!task_begin(&settings)) {
        *why = "no memory for threads";
        return false;
    }
    measure_in_loops(memory, costs);
    task_end();
    *why = "the costs of interrupts and switches could not be measured: timers come too late, or "
           "there is no memory for threads";
    return all_measured(costs);
}
