/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench accounting: sampled accounting on each processor, for work in step with its clock tick.
 *
 * As bench aliasing, on all processors at once: WORKER_HIDDEN works for half of every period from
 * just after the tick on, so no tick finds it; WORKER_SEEN works as long, across the tick, so every
 * tick does. A processor's tick is found by what it charges; its place relative to that of
 * processor 0 is fact phase.CPU.
 *
 * Law, known before anything runs: the ticks charge 0 and all periods, to one sample.
 */
#include "bench/smp/smp.h"

#define PRIORITY    10
#define BEHIND_PART 16 /* WORKER_HIDDEN starts a period divided by this after a tick */
#define LEAD        4  /* periods before the first piece of work */

enum worker { HIDDEN, SEEN, WORKERS };
static const char *const worker_names[WORKERS] = {WORKER_HIDDEN, WORKER_SEEN};

static struct smp smp;
static uint64_t period, periods;
static uint64_t tick[SMP_CPUS_MAX]; /* TSC just after a clock tick; 0: none came */
static struct place {
    uint64_t first; /* TSC when the first piece of work starts */
    int64_t *lengths;
    struct thread *thread;
} places[WORKERS][SMP_CPUS_MAX];

static void find_tick(void *argument)
{
    uint64_t *found = argument;
    const uint64_t limit = tsc_read() + LEAD * period;

    for (uint64_t now = 0; *found == 0 && now < limit; now = tsc_read()) {
        *found = thread_charged(thread_current()) > 0 ? tsc_read() : 0;
    }
}

static void work(void *argument)
{
    const struct place *place = argument;

    for (uint64_t i = 0; i < periods; i++) {
        thread_sleep_until(place->first + i * period);
        const uint64_t begin = tsc_read();

        smp_work(&smp, period / 2);
        place->lengths[i] = (int64_t)(tsc_read() - begin);
    }
}

static void find_ticks(void)
{
    for (size_t i = 0; i < smp.cpus; i++) {
        tick[i] = 0;
        smp_thread(&smp, smp_name("tick %zu", i), PRIORITY, smp_only(i), find_tick, &tick[i]);
    }
    smp_join(&smp);
    for (size_t i = 0; i < smp.cpus; i++) {
        smp_law(&smp, 1, 0, 0, tick[i] != 0, "in 4 periods", "ticks of processor %zu", i);
    }
}

static void play(enum worker worker)
{
    const uint64_t from = tsc_read() + LEAD * period;

    for (size_t i = 0; i < smp.cpus; i++) {
        struct place *place = &places[worker][i];
        const uint64_t next = tick[i] + (from - tick[i]) / period * period;

        place->first = worker == HIDDEN ? next + period / BEHIND_PART : next - period / 4;
        place->thread = smp_thread(&smp, smp_name("%s %zu", worker_names[worker], i), PRIORITY,
                                   smp_only(i), work, place);
    }
    smp_join(&smp);
}

static void publish(enum worker worker, uint64_t foretold)
{
    for (size_t i = 0; i < smp.cpus && smp.state != BENCH_ERROR; i++) {
        const char *name = smp_name("%s %zu", worker_names[worker], i);
        const uint64_t charged = thread_charged(places[worker][i].thread);

        bench_publish(smp.run, name, UNIT_TICK, places[worker][i].lengths, periods);
        bench_fact(smp.run, smp_name(PREFIX_CHARGED "%s", name), UNIT_COUNT, (int64_t)charged);
        if (bench_is_exact()) {
            smp_law(&smp, foretold, 1, 1, charged, "samples", "%s", name);
        }
    }
}

static enum bench_state run(struct bench_run *run)
{
    if (!smp_open(&smp, run, 1)) {
        return smp.state;
    }
    period = smp_us(&smp, "period_us");
    periods = bench_number(run, "periods");
    bench_fact(run, FACT_PERIOD, UNIT_TICK, (int64_t)period);
    bench_fact(run, FACT_PERIODS, UNIT_COUNT, (int64_t)periods);
    for (size_t i = 0; i < WORKERS * smp.cpus; i++) {
        places[i % WORKERS][i / WORKERS].lengths = smp_samples(&smp, periods);
    }
    if (smp_begin(&smp, (struct task_settings){.tick_period = period})) {
        find_ticks();
        play(HIDDEN);
        play(SEEN);
    }
    if (!smp_end(&smp)) {
        return smp.state;
    }
    for (size_t i = 1; i < smp.cpus; i++) {
        bench_fact(run, smp_name("phase.%zu", i), UNIT_TICK,
                   (int64_t)((tick[i] - tick[0]) % period));
    }
    publish(HIDDEN, 0);
    publish(SEEN, periods);
    return smp.state;
}

static const struct bench_param params[] = {
    SMP_PARAM_CPUS("4"),
    {"period_us", "1000", "period in us of the clock tick", PARAM_TIME(500, 1000000)},
    {"periods", "10", "periods in which each thread works", PARAM_NUMBER(1, 100000)},
    {0},
};

SMP_BENCH(
    accounting, BENCH_ACCOUNTING, WORKER_SEEN " 0",
    "processor time by sampling at each processor's clock tick, and the exact one",
    "on each processor both threads work 50 % of their periods; the clock tick charges the "
    "first 0 and the second all periods, to one sample; events have 50 %, and what the kernel "
    "does for a thread in a period: about 250 instructions");
