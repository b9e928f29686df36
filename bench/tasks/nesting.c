/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench nesting: interrupts nest by priority, and deferred calls run between the last handler and
 * the first thread. The bench sends itself interrupts of known priority; the order is derived by
 * hand:
 *
 *     the thread of low priority raises 51h
 *       51h begins, raises 61h: a higher class, which interrupts it
 *         61h begins, queues a deferred call, raises 52h: a lower class, which has to wait; ends
 *       51h goes on, and raises 53h: its own class, which has to wait as well; ends
 *     53h runs, then 52h: both waited, the higher vector comes first
 *     the deferred call runs, is interrupted by 61h, which wakes the thread of high priority
 *     the deferred call goes on and ends
 *     the thread of high priority runs, and waits again
 *     the thread of low priority goes on
 */
#include "kernel/clock/clock.h"
#include "kernel/clock/idle_loop.h"
#include "kernel/cpu/cpu.h"
#include "kernel/irq/interrupt.h"
#include "kernel/irq/lapic.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/task/dpc.h"
#include "kernel/task/message.h"
#include "kernel/task/session.h"
#include "kernel/task/thread.h"

#include <string.h>

#define ROUNDS_MAX 10000
#define NOTES_MAX  24
#define WORK       500   /* iterations of the idle loop in each piece of work */
#define ARRIVAL_US 10000 /* time after which a self-sent interrupt has surely arrived */

#define VECTOR_LOW   0x51
#define VECTOR_SAME  0x53
#define VECTOR_LOWER 0x52
#define VECTOR_HIGH  0x61

/* a letter for each event; where something starts and ends, a capital and a small letter */
static const char expected[] = "TLHhlSsOoDHhdWt";

static struct {
    char notes[NOTES_MAX + 1];
    size_t count;
    bool in_dpc;
    struct dpc dpc;
    struct thread *woken;
    uint64_t rounds;
    uint64_t wrong;
    char first_wrong[NOTES_MAX + 1];
} nesting;

static void note(char what)
{
    if (nesting.count < NOTES_MAX) {
        nesting.notes[nesting.count++] = what;
    }
}

/* Raises an interrupt and works until its handler has started, or it has arrived and must wait. */
static void raise_and_work(uint8_t vector)
{
    const uint64_t start = tsc_read();
    const size_t before = nesting.count;

    interrupt_raise(vector);
    do {
        idle_loop_spin(WORK);
    } while (nesting.count == before && !lapic_is_requested(vector) &&
             tsc_read() - start < clock_ticks_from_us(ARRIVAL_US));
}

static void low_handler(void *argument)
{
    (void)argument;
    note('L');
    raise_and_work(VECTOR_HIGH);
    raise_and_work(VECTOR_SAME);
    note('l');
}

static void high_handler(void *argument)
{
    (void)argument;
    note('H');
    if (nesting.in_dpc) {
        message_send(nesting.woken, 0, 0);
    } else {
        dpc_queue(&nesting.dpc);
        raise_and_work(VECTOR_LOWER);
    }
    note('h');
}

static void same_handler(void *argument)
{
    (void)argument;
    note('S');
    idle_loop_spin(WORK);
    note('s');
}

static void lower_handler(void *argument)
{
    (void)argument;
    note('O');
    idle_loop_spin(WORK);
    note('o');
}

static void deferred(void *argument)
{
    (void)argument;
    note('D');
    nesting.in_dpc = true;
    raise_and_work(VECTOR_HIGH);
    nesting.in_dpc = false;
    note('d');
}

static void woken_thread(void *argument)
{
    (void)argument;
    for (;;) {
        message_receive();
        note('W');
    }
}

static void check_round(void)
{
    nesting.notes[nesting.count] = '\0';
    if (strcmp(nesting.notes, expected) != 0 && nesting.wrong++ == 0) {
        strcpy(nesting.first_wrong, nesting.notes);
    }
}

static void low_thread(void *argument)
{
    (void)argument;
    for (uint64_t i = 0; i < nesting.rounds; i++) {
        nesting.count = 0;
        note('T');
        raise_and_work(VECTOR_LOW);
        note('t');
        check_round();
    }
}

static bool play(void)
{
    const struct task_settings settings = {0};

    if (!task_begin(&settings)) {
        return false;
    }
    interrupt_attach(VECTOR_LOW, "low", low_handler, NULL);
    interrupt_attach(VECTOR_SAME, "same", same_handler, NULL);
    interrupt_attach(VECTOR_LOWER, "lower", lower_handler, NULL);
    interrupt_attach(VECTOR_HIGH, "high", high_handler, NULL);
    dpc_init(&nesting.dpc, "deferred", deferred, NULL);
    nesting.woken = thread_create("woken", 20, woken_thread, NULL);
    struct thread *low = thread_create("low", 10, low_thread, NULL);

    if (nesting.woken != NULL && low != NULL) {
        thread_join(low);
    }
    task_end();
    interrupt_detach(VECTOR_LOW);
    interrupt_detach(VECTOR_SAME);
    interrupt_detach(VECTOR_LOWER);
    interrupt_detach(VECTOR_HIGH);
    return nesting.woken != NULL && low != NULL;
}

static enum bench_state run(struct bench_run *run)
{
    memset(&nesting, 0, sizeof(nesting));
    nesting.rounds = bench_number(run, "rounds");
    if (!bench_trace_begin(run)) {
        return BENCH_ERROR;
    }
    if (!play() || !bench_trace_end(run)) {
        return bench_error(run, "no memory for threads or a trace");
    }
    bench_fact(run, "rounds", UNIT_COUNT, (int64_t)nesting.rounds);
    bench_fact(run, "rounds_out_of_order", UNIT_COUNT, (int64_t)nesting.wrong);
    if (nesting.wrong != 0) {
        return bench_fail(
            run,
            "%lu rounds ran in the wrong order: got %s, expected %s (see bench/tasks/nesting.c)",
            nesting.wrong, nesting.first_wrong, expected);
    }
    return bench_ok(run);
}

static const struct bench_param params[] = {
    {"rounds", "20", "number of repetitions", PARAM_NUMBER(1, ROUNDS_MAX)},
    {0},
};

static const struct bench nesting_bench = {
    .name = "nesting",
    .group = "tasks",
    .summary =
        "checks that nested interrupts, deferred calls and wake-ups run in order of priority",
    .unit = "none",
    .estimate = "each round runs in the only order that the priorities allow: 51h, interrupted by "
                "61h, then 53h, 52h, the deferred call, interrupted by 61h, the woken thread, the "
                "interrupted thread",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .run = run,
};
BENCH_REGISTER(nesting_bench);
