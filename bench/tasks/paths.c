/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench paths: what the kernel's own operations cost, on which all other benches of threads rely: a
 * switch from thread to thread, a timer from its deadline to its handler, an interrupt's entry, a
 * trace record. Untraced and traced.
 */
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"
#include "kernel/task/session.h"
#include "kernel/task/thread.h"
#include "kernel/task/timer.h"

#define SPACING_US  40 /* time between timers; up to as much again is added at random */
#define SAMPLES_MAX 100000
#define SEED        0x9e3779b97f4a7c15ull

static struct {
    int64_t *stamps; /* taken by the threads that yield */
    size_t count;
    size_t capacity;
    int64_t *latency; /* latency of timers */
    volatile size_t expired;
    uint64_t deadline;
} state;

/* ---- thread switch ---- */

/* Both threads run this: the stamp after a yield belongs to the other thread's turn. */
static void yield_thread(void *argument)
{
    (void)argument;
    while (state.count < state.capacity) {
        state.stamps[state.count++] = (int64_t)tsc_read();
        thread_yield();
    }
}

static bool run_yield(int64_t *stamps, size_t capacity)
{
    state.stamps = stamps;
    state.count = 0;
    state.capacity = capacity;
    struct thread *ping = thread_create("ping", 10, yield_thread, NULL);
    struct thread *pong = thread_create("pong", 10, yield_thread, NULL);

    if (ping == NULL || pong == NULL) {
        return false;
    }
    thread_join(ping);
    thread_join(pong);
    return true;
}

/* ---- timer ---- */

static void timer_expired(void *argument)
{
    (void)argument;
    state.latency[state.expired++] = (int64_t)(tsc_read() - state.deadline);
}

/* Rounds to whole instructions in exact time; otherwise each deadline would add another fraction of
 * an instruction. */
static uint64_t until_deadline(uint64_t us)
{
    const uint64_t ticks = clock_ticks_from_us(us);
    const uint64_t instruction = clock_state()->ticks_per_instruction;

    return instruction != 0 ? ticks - ticks % instruction : ticks;
}

static void run_timers(int64_t *latency, size_t count)
{
    const uint64_t spacing = clock_ticks_from_us(SPACING_US);
    uint64_t random = SEED;
    struct timer timer;

    state.latency = latency;
    state.expired = 0;
    while (state.expired < count) {
        const uint64_t us = SPACING_US + (random >> 33) % SPACING_US;

        random = random * 6364136223846793005ull + 1442695040888963407ull;
        const size_t wanted = state.expired + 1;

        state.deadline = tsc_read() + until_deadline(us);
        timer_start(&timer, state.deadline, 0, timer_expired, NULL);
        thread_sleep_until(state.deadline + spacing);
        /* If the processor was taken away, this deadline was already past, and the timer is still
         * to come. */
        while (state.expired < wanted) {
            thread_sleep_until(tsc_read() + spacing);
        }
    }
}

/* ---- the run ---- */

struct buffers {
    size_t count;
    int64_t *stamps;
    int64_t *switches;
    int64_t *latency;
};

static bool take_buffers(struct buffers *buffers)
{
    buffers->stamps = bench_samples(buffers->count + 1);
    buffers->switches = bench_samples(buffers->count);
    buffers->latency = bench_samples(buffers->count);
    return buffers->stamps != NULL && buffers->switches != NULL && buffers->latency != NULL;
}

static bool run_session(struct buffers *buffers)
{
    const struct task_settings settings = {0};

    if (!task_begin(&settings)) {
        return false;
    }
    const bool good = run_yield(buffers->stamps, buffers->count + 1);

    if (good) {
        run_timers(buffers->latency, buffers->count);
    }
    task_end();
    for (size_t i = 0; i < buffers->count && good; i++) {
        buffers->switches[i] = buffers->stamps[i + 1] - buffers->stamps[i];
    }
    return good;
}

static enum bench_state run(struct bench_run *run)
{
    struct buffers untraced = {.count = bench_number(run, "samples")};
    struct buffers traced = {.count = untraced.count};

    if (!take_buffers(&untraced) || !take_buffers(&traced)) {
        return bench_error(run, "no memory for %zu samples", untraced.count);
    }
    if (!run_session(&untraced)) {
        return bench_error(run, "no memory for threads");
    }
    if (!bench_trace_begin(run)) {
        return BENCH_ERROR;
    }
    if (!run_session(&traced) || !bench_trace_end(run)) {
        return bench_error(run, "no memory for threads or a trace");
    }
    bench_publish(run, "switch", UNIT_TICK, untraced.switches, untraced.count);
    bench_publish(run, "switch_traced", UNIT_TICK, traced.switches, traced.count);
    bench_publish(run, "timer", UNIT_TICK, untraced.latency, untraced.count);
    bench_publish(run, "timer_traced", UNIT_TICK, traced.latency, traced.count);
    bench_publish_trace_costs(run);
    return bench_ok(run);
}

static const struct bench_param params[] = {
    {"samples", "1000", "samples of each series", PARAM_NUMBER(1, SAMPLES_MAX)},
    {0},
};

static const struct bench_estimate estimates[] = {
    {"switch", 110, 150, UNIT_CYCLE,
     "10 for the loop and its stamp, 30 for the call and the ready queue, 40 to switch threads, 30 "
     "to return"},
    {"timer", 100, 1500, UNIT_CYCLE,
     "16 from reading the TSC to setting the timer, 25 to save registers, 31 to find the vector's "
     "handler, 28 to the timer's handler and its first stamp; delivery by the LAPIC 1000 cycles "
     "and more"},
    {0},
};

static const struct bench paths = {
    .name = "paths",
    .group = "tasks",
    .summary = "cost of a thread switch, a timer and a trace record",
    .unit = UNIT_TICK,
    .estimate = "switch by yield: up to 150 instructions; deadline to handler: the timer's "
                "delivery and up to 100 instructions, always the same number: 16 from reading the "
                "TSC to setting the timer, 25 to save registers, 31 to find the vector's handler, "
                "28 to the timer's handler and its first stamp; a trace record: up to 24 "
                "instructions, and 13 more for a switch or an interrupt's entry, which account the "
                "time of threads; when traced, each path is longer by its records",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .estimates = estimates,
    .samples = "samples",
    .relations = "switch<switch_traced timer<timer_traced",
    .run = run,
};
BENCH_REGISTER(paths);
