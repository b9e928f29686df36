/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench aliasing: work in step with the clock tick, which accounting by samples at the tick either
 * misses or overestimates.
 *
 * One thread after the other works for half of every period of the tick. SERIES_HIDDEN starts just
 * after each tick and has ended before the next: no tick finds it. SERIES_SEEN starts a quarter of
 * a period before each tick and works across it: every tick finds it. Samples therefore charge the
 * first with 0 % of the processor and the second with all of it.
 *
 * The ground truth is known by construction: the work is a number of iterations of the idle loop's
 * inner loop, whose cost was calibrated beforehand.
 */
#include "bench/tasks/names.h"
#include "bench/tasks/session.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/names.h"

#define PRIORITY     10
#define BEHIND_PART  100 /* SERIES_HIDDEN starts a period divided by this after a tick */
#define MICROSECONDS 1000000
/* interruptions may lengthen a piece of work by its length divided by this */
#define ROOM_PART 4

/* periods before, between and after the working periods of the two threads */
#define MARGIN_PERIODS 6

struct worker {
    const char *name;
    uint64_t first; /* TSC when its first piece of work starts */
    struct thread *thread;
    /* length of each piece of work by the thread's own TSC readings, interrupts included */
    int64_t *lengths;
};

static struct {
    uint64_t period; /* period of the clock tick, in TSC ticks */
    uint64_t periods;
    uint64_t iterations; /* iterations of a piece of work */
    struct worker hidden;
    struct worker seen;
} plan;

static void work(void *argument)
{
    const struct worker *worker = argument;

    for (uint64_t i = 0; i < plan.periods; i++) {
        thread_sleep_until(worker->first + i * plan.period);
        const uint64_t before = tsc_read();

        idle_loop_spin(plan.iterations);
        worker->lengths[i] = (int64_t)(tsc_read() - before);
    }
}

/* Finds the clock tick as any program could: by the moment when it charges the running thread. Sets
 * *just_behind to the TSC just after the tick. Returns false if no tick comes in two periods. */
static bool find_tick(uint64_t *just_behind)
{
    const struct thread *self = thread_current();
    const uint64_t charged = thread_charged(self);
    const uint64_t start = tsc_read();

    while (thread_charged(self) == charged) {
        if (tsc_read() - start > 2 * plan.period) {
            return false;
        }
    }
    *just_behind = tsc_read();
    return true;
}

static bool prepare(struct bench_run *run)
{
    plan.period = clock_state()->verdict.hz / bench_number(run, "tick_hz");
    plan.periods = bench_number(run, "periods");
    plan.hidden = (struct worker){.name = SERIES_HIDDEN, .lengths = bench_samples(plan.periods)};
    plan.seen = (struct worker){.name = SERIES_SEEN, .lengths = bench_samples(plan.periods)};
    return plan.hidden.lengths != NULL && plan.seen.lengths != NULL;
}

static enum bench_state run_workers(struct bench_run *run)
{
    uint64_t tick;

    if (!find_tick(&tick)) {
        return bench_fail(run, "no clock tick came within two of its periods");
    }
    plan.hidden.first = tick + plan.period + plan.period / BEHIND_PART;
    plan.seen.first = tick + (plan.periods + 2) * plan.period - plan.period / 4;
    plan.hidden.thread = thread_create(plan.hidden.name, PRIORITY, work, &plan.hidden);
    plan.seen.thread = thread_create(plan.seen.name, PRIORITY, work, &plan.seen);
    if (plan.hidden.thread == NULL || plan.seen.thread == NULL) {
        return session_no_threads(run);
    }
    thread_join(plan.hidden.thread);
    thread_join(plan.seen.thread);
    return BENCH_OK;
}

static void publish(struct bench_run *run, const struct session *session)
{
    bench_fact(run, FACT_TICK_PERIOD, UNIT_TICK, (int64_t)plan.period);
    bench_fact(run, "work_iterations", UNIT_COUNT, (int64_t)plan.iterations);
    bench_fact(run, FACT_WORK_TICKS, UNIT_TICK,
               (int64_t)idle_loop_ticks(&session->calibration, plan.iterations));
    bench_fact(run, "hidden_charged", UNIT_COUNT, (int64_t)thread_charged(plan.hidden.thread));
    bench_fact(run, "seen_charged", UNIT_COUNT, (int64_t)thread_charged(plan.seen.thread));
    bench_publish(run, plan.hidden.name, UNIT_TICK, plan.hidden.lengths, plan.periods);
    bench_publish(run, plan.seen.name, UNIT_TICK, plan.seen.lengths, plan.periods);
}

struct range {
    uint64_t min;
    uint64_t max;
};

static struct range lengths_of(const struct worker *worker)
{
    struct range range = {UINT64_MAX, 0};

    for (uint64_t i = 0; i < plan.periods; i++) {
        const uint64_t length = (uint64_t)worker->lengths[i];

        range.min = length < range.min ? length : range.min;
        range.max = length > range.max ? length : range.max;
    }
    return range;
}

/* Each thread must have worked long enough: a processor that raises its clock rate takes less time
 * for the same iterations, but at least half. The clock tick must miss the first thread and find
 * the second. If a host made a piece of work too long, the ticks are not judged, because the work
 * was then not where it should be. */
static enum bench_state judge(struct bench_run *run, const struct session *session)
{
    const uint64_t work_ticks = idle_loop_ticks(&session->calibration, plan.iterations);
    const uint64_t least = bench_is_exact() ? work_ticks : work_ticks / 2;
    const struct range hidden = lengths_of(&plan.hidden);
    const struct range seen = lengths_of(&plan.seen);
    const uint64_t longest = hidden.max > seen.max ? hidden.max : seen.max;
    const uint64_t hidden_charged = thread_charged(plan.hidden.thread);
    const uint64_t seen_charged = thread_charged(plan.seen.thread);

    if (hidden.min < least || seen.min < least) {
        return bench_fail(run,
                          "shortest piece of work: `hidden` %lu ticks and `seen` %lu ticks, "
                          "expected at least %lu",
                          hidden.min, seen.min, least);
    }
    if (!bench_is_exact() && longest > work_ticks + work_ticks / ROOM_PART) {
        bench_absent(run, "verdict",
                     "a piece of work was interrupted for too long to judge the clock ticks");
        return bench_ok(run);
    }
    if (hidden_charged != 0 || seen_charged != plan.periods) {
        return bench_fail(run,
                          "in %lu periods each, the tick charged `hidden` %lu times (expected 0) "
                          "and `seen` %lu times (expected every time)",
                          plan.periods, hidden_charged, seen_charged);
    }
    return bench_ok(run);
}

static enum bench_state run(struct bench_run *run)
{
    if (!prepare(run)) {
        return bench_error(run, "no memory for %lu periods", plan.periods);
    }
    struct session session = {
        .sample_us = bench_number(run, "sample_us"),
        .tick_period = plan.period,
        .length_us =
            (2 * plan.periods + MARGIN_PERIODS) * MICROSECONDS / bench_number(run, "tick_hz"),
    };
    enum bench_state state = session_begin(run, &session);

    if (state != BENCH_OK) {
        return state;
    }
    plan.iterations = idle_loop_iterations(&session.calibration, plan.period / 2);
    state = session_end(run, &session, run_workers(run));
    if (state != BENCH_OK) {
        return state;
    }
    publish(run, &session);
    return judge(run, &session);
}

static const struct bench_param params[] = {
    {"tick_hz", "20", "clock ticks per second", PARAM_NUMBER(1, 1000)},
    {"periods", "10", "periods of the clock tick in which each thread works",
     PARAM_NUMBER(1, 100000)},
    {"sample_us", "1000", "length of an idle sample in us", PARAM_TIME(10, 1000000)},
    {0},
};

static const struct bench aliasing = {
    .name = BENCH_ALIASING,
    .group = "tasks",
    .summary = "compares processor time by sampling at the clock tick with exact processor time",
    .unit = UNIT_TICK,
    .estimate = "each thread works 50 % of its periods by construction, if the core's clock rate "
                "(turbo) is still that of the calibration; the clock tick finds the first thread 0 "
                "% and the second 100 % of the time; by events both have 50 %, to 0.01 points, "
                "which is what the kernel does for a thread in a period: about 250 instructions",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .samples = "periods",
    .run = run,
};
BENCH_REGISTER(aliasing);
