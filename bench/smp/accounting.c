/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench accounting: as bench aliasing, on all processors at once. "hidden N" works for half of
 * every period from just after the tick of processor N on, and "seen N" as long, across the tick.
 * The tick is found by what it charges; fact phase.N is its place relative to that of processor 0.
 * README.md has the law.
 */
#include "bench/smp/smp.h"

#define PRIORITY    10
#define BEHIND_PART 16 /* "hidden" starts a period divided by this after a tick */
#define LEAD        4  /* periods before the first piece of work */

static uint64_t period, periods, stagger;
static uint64_t tick[SMP_CPUS_MAX];  /* TSC just after a clock tick; 0: none came */
static uint64_t first[SMP_CPUS_MAX]; /* TSC when the first piece of work starts */
static int64_t *lengths[SMP_CPUS_MAX];

static void find_tick(void *argument)
{
    uint64_t *found = argument;
    const uint64_t limit = tsc_read() + LEAD * period;

    for (uint64_t now = *found = 0; *found == 0 && now < limit; now = tsc_read()) {
        *found = thread_charged(thread_current()) > 0 ? tsc_read() : 0;
    }
}

static void run_worker(void *argument)
{
    const size_t cpu = (size_t)argument;

    for (uint64_t i = 0; i < periods; i++) {
        thread_sleep_until(first[cpu] + i * period);
        const uint64_t begin = tsc_read();

        smp_work(period / 2);
        lengths[cpu][i] = (int64_t)(tsc_read() - begin);
    }
}

static void find_ticks(void)
{
    for (size_t i = 0; i < smp.cpus; i++) {
        smp_thread(smp_name("tick %zu", i), PRIORITY, 1u << i, find_tick, &tick[i]);
    }
    smp_join();
    for (size_t i = 0; i < smp.cpus; i++) {
        const uint64_t half = period / 2;
        const uint64_t phase = (tick[i] - tick[0]) % period;

        bench_fact(smp.run, smp_name("phase.%zu", i), UNIT_TICK, (int64_t)phase);
        smp_law(1, 0, 0, tick[i] != 0, "in 4 periods", "ticks of processor %zu", i);
        smp_law(half, smp.margin, smp.margin, (phase + half - i * stagger) % period, UNIT_TICK,
                "phase of tick %zu, and half a period", i);
    }
}

static void play_worker(const char *worker, bool seen)
{
    const uint64_t from = tsc_read() + LEAD * period;

    for (size_t i = 0; i < smp.cpus; i++) {
        first[i] = tick[i] + (from - tick[i]) / period * period;
        first[i] += seen ? period - period / 4 : period / BEHIND_PART;
        lengths[i] = smp_samples(periods);
        smp_thread(smp_name("%s %zu", worker, i), PRIORITY, 1u << i, run_worker, (void *)i);
    }
    smp_join();
    for (size_t i = 0; i < smp.cpus && smp.state == BENCH_OK; i++) {
        const char *name = smp_name("%s %zu", worker, i);
        const uint64_t charged = thread_charged(thread_by_name(name));

        bench_publish(smp.run, name, UNIT_TICK, lengths[i], periods);
        bench_fact(smp.run, smp_name("charged.%s", name), UNIT_COUNT, (int64_t)charged);
        if (bench_is_exact()) {
            smp_law(seen ? periods : 0, 1, 1, charged, "samples", "%s", name);
        }
    }
}

static void play(void)
{
    bench_fact(smp.run, "tick_period", UNIT_TICK, (int64_t)period);
    find_ticks();
    play_worker("hidden", false);
    play_worker("seen", true);
}

static enum bench_state run(struct bench_run *run)
{
    if (smp_open(run, 1)) {
        period = smp_us("period_us");
        periods = bench_number(run, "periods");
        stagger = smp_us("stagger_us");
        SMP_SESSION(.tick_period = period, .tick_stagger = stagger);
    }
    return smp.state;
}

static const struct bench_param params[] = {
    {SMP_PARAM_CPUS},
    {"period_us", "1000", "period in us of the clock tick", PARAM_TIME(500, 1000000)},
    {"stagger_us", "0", "from the tick of a processor to that of the next", PARAM_TIME(0, 1000000)},
    {"periods", "10", "periods in which each thread works", PARAM_NUMBER(1, 100000)},
    {0},
};

static const struct bench accounting = {
    SMP_BENCH,
    .name = BENCH_ACCOUNTING,
    .main_series = "seen 0",
    .summary = "processor time by sampling at each processor's clock tick, and the exact one",
    .estimate = "on each processor both threads work 50 % of their periods; the tick charges the "
                "first 0 and the second all of them; events have 50 %, and the kernel's work for a "
                "thread: about 250 instructions a period, and its waits for the kernel's lock",
};
BENCH_REGISTER(accounting);
