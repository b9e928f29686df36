/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/noise/limits.h"

#include "bench/noise/names.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/irq/lapic.h"
#include "kernel/irq/timed_section.h"
#include "kernel/run/names.h"
#include "kernel/run/worst.h"

#define OUTSIDE_INSTRUCTIONS 8
/* more than a handler takes in addition to its work: 217, or 245 when counting events */
#define HANDLER_INSTRUCTIONS 300
/* most instructions for each counter in a row; reading one takes 10 */
#define COUNTER_INSTRUCTIONS 20
#define SAMPLES              64
#define SAMPLE_US            100
#define PERIOD_US            (4 * SAMPLE_US)
/* leaves room for samples lengthened by something else that takes the processor */
#define INTERRUPTS_MAX 1024
/* the cost of an interrupt may be wrong by this many times that cost */
#define TIMES_COST       4
#define TIMES_SPREAD     4
#define LEAST_ASKED      2 /* iterations, because the work is rounded to whole ones */
#define ROUNDED_PPM      50
#define REAL_PPM         100000
#define EMULATED_PPM     400000
#define REAL_PERCENT     5
#define EMULATED_PERCENT 25
#define TRIALS_MAX       5
#define MICRO            1000000

static bool tick(void)
{
    return true;
}

/* Median costs in ticks. */
struct costs {
    int64_t handler; /* timed section of an interrupt without work */
    int64_t outside; /* excess of its sample beyond the timed section */
    int64_t spread;  /* median minus minimum of the samples without an interrupt */
};

struct trial {
    int64_t *rows;
    struct timed_section *ring;
    int64_t *ring_rows; /* NULL: nothing is counted */
    int64_t *lengths;
    int64_t *quiet;
    int64_t *handlers;
    int64_t *beyond;
    struct recover_span *spans;
    struct recover_group *group;
};

static void *take(size_t bytes)
{
    return bench_samples((bytes + sizeof(int64_t) - 1) / sizeof(int64_t));
}

static bool take_trial(struct trial *trial)
{
    trial->rows = bench_rows(SAMPLES + 1);
    trial->ring = take(INTERRUPTS_MAX * sizeof(*trial->ring));
    trial->ring_rows = bench_counting() ? bench_rows((size_t)2 * INTERRUPTS_MAX) : NULL;
    trial->lengths = bench_samples(SAMPLES);
    trial->quiet = bench_samples(SAMPLES);
    trial->handlers = bench_samples(INTERRUPTS_MAX);
    trial->beyond = bench_samples(INTERRUPTS_MAX);
    trial->spans = take(INTERRUPTS_MAX * sizeof(*trial->spans));
    trial->group = take(INTERRUPTS_MAX * sizeof(*trial->group));
    return trial->rows != NULL && trial->ring != NULL &&
           (trial->ring_rows != NULL || !bench_counting()) && trial->lengths != NULL &&
           trial->quiet != NULL && trial->handlers != NULL && trial->beyond != NULL &&
           trial->spans != NULL && trial->group != NULL;
}

static size_t interrupt_trial(struct trial *trial, uint64_t inner)
{
    uint64_t dropped;

    timed_section_start(LAPIC_VECTOR_TIMER, trial->ring, trial->ring_rows, INTERRUPTS_MAX, tick);
    lapic_timer_start(LAPIC_VECTOR_TIMER, LAPIC_TIMER_PERIODIC,
                      clock_lapic_counts(clock_ticks_from_us(PERIOD_US)));
    interrupts_enable();
    idle_loop_run(trial->rows, SAMPLES, inner);
    interrupts_disable();
    lapic_timer_stop();
    return timed_section_stop(&dropped);
}

/* Finds the costs from `count` interrupts. Returns false if no interrupt was alone in its sample.
 */
static bool costs_of(struct trial *trial, size_t count, uint64_t floor, struct costs *costs)
{
    const struct recover_limits none = {0};
    struct recovery recovery;
    struct spread spread;
    size_t alone = 0;

    for (size_t i = 0; i < SAMPLES; i++) {
        trial->lengths[i] = *bench_row(trial->rows, i + 1) - *bench_row(trial->rows, i);
    }
    for (size_t i = 0; i < count; i++) {
        trial->handlers[i] = (int64_t)(trial->ring[i].exit - trial->ring[i].entry);
        trial->spans[i] = (struct recover_span){
            .entry = (int64_t)trial->ring[i].entry - trial->rows[0],
            .length = trial->handlers[i],
            .asked = -1,
        };
    }
    recover_judge(&(struct recover_input){.lengths = trial->lengths,
                                          .samples = SAMPLES,
                                          .spans = trial->spans,
                                          .count = count,
                                          .floor = (int64_t)floor,
                                          .quiet = trial->quiet,
                                          .group = trial->group},
                  &none, &recovery);
    for (size_t i = 0; i < recovery.groups; i++) {
        if (trial->group[i].count == 1) {
            trial->beyond[alone++] = trial->group[i].error;
        }
    }
    if (alone == 0) {
        return false;
    }
    spread_of(trial->beyond, alone, &spread);
    costs->outside = spread.median;
    spread_of(trial->handlers, count, &spread);
    costs->handler = spread.median;
    costs->spread = recovery.floor - recovery.floor_least;
    return true;
}

/* Repeats the trial, because an emulator on a busy host may deliver no interrupt in time. Returns
 * false if none was alone in its sample, or a trial failed (timed_section_fault()). */
static bool measure_costs(const struct idle_calibration *calibration, struct costs *costs)
{
    const uint64_t inner = idle_loop_iterations(calibration, clock_ticks_from_us(SAMPLE_US)) + 1;
    const uint64_t floor = idle_loop_ticks(calibration, inner) + 1;
    struct trial trial;

    if (!take_trial(&trial)) {
        return false;
    }
    for (int i = 0; i < TRIALS_MAX; i++) {
        const bool found = costs_of(&trial, interrupt_trial(&trial, inner), floor, costs);

        if (found || timed_section_fault() != NULL) {
            return found;
        }
    }
    return false;
}

static int64_t iteration_ticks(const struct idle_calibration *calibration)
{
    return (int64_t)((calibration->iteration_microtick + MICRO - 1) / MICRO);
}

static void announce(const struct bench_run *run, const struct recover_limits *limits)
{
    bench_fact(run, FACT_OUTSIDE, UNIT_TICK, limits->outside);
    bench_fact(run, FACT_TOLERANCE_SAMPLE, UNIT_TICK, limits->sample);
    bench_fact(run, FACT_TOLERANCE_EACH, UNIT_TICK, limits->each);
    bench_fact(run, FACT_TOLERANCE_ASKED, UNIT_TICK, limits->asked);
    bench_fact(run, FACT_TOLERANCE_ASKED_PPM, "ppm", limits->asked_ppm);
}

enum bench_state limits_find(struct bench_run *run, const struct idle_calibration *calibration,
                             struct recover_limits *limits)
{
    const int64_t iteration = iteration_ticks(calibration);
    const int64_t ticks = (int64_t)clock_state()->ticks_per_instruction;
    const bool emulated = !bench_is_exact() && !bench_has_caches();
    const int64_t counters = (int64_t)bench_events_counted();
    struct costs costs;

    *limits = (struct recover_limits){
        .exact = bench_is_exact(),
        .outside = OUTSIDE_INSTRUCTIONS * ticks,
        .asked = (HANDLER_INSTRUCTIONS + counters * COUNTER_INSTRUCTIONS) * ticks +
                 LEAST_ASKED * iteration,
        .asked_ppm = ROUNDED_PPM + (int64_t)(MICRO / calibration->inner),
    };
    if (!limits->exact) {
        const bool found = measure_costs(calibration, &costs);

        if (timed_section_fault() != NULL) {
            return bench_fail(run, "%s", timed_section_fault());
        }
        if (!found) {
            return bench_error(run, "no interrupt of the LAPIC timer came alone in a sample");
        }
        limits->stolen = emulated;
        limits->outside = costs.outside;
        limits->each = iteration + TIMES_COST * (costs.outside < 0 ? 0 : costs.outside);
        limits->sample = iteration + TIMES_SPREAD * costs.spread;
        limits->percent = emulated ? EMULATED_PERCENT : REAL_PERCENT;
        limits->asked = TIMES_COST * costs.handler + LEAST_ASKED * iteration;
        limits->asked_ppm = emulated ? EMULATED_PPM : REAL_PPM;
    }
    announce(run, limits);
    return BENCH_OK;
}

static void publish(const struct bench_run *run, const struct recovery *recovery, int64_t *errors,
                    int64_t *counts, const struct recover_group *group)
{
    bool shared = false;

    for (size_t i = 0; i < recovery->groups; i++) {
        errors[i] = group[i].error;
        counts[i] = (int64_t)group[i].count;
        shared = shared || counts[i] > 1;
    }
    bench_publish(run, SERIES_ERROR, UNIT_TICK, errors, recovery->groups);
    if (shared) {
        bench_publish(run, SERIES_GROUP, UNIT_COUNT, counts, recovery->groups);
    }
    bench_fact(run, FACT_FLOOR, UNIT_TICK, recovery->floor);
    bench_fact(run, FACT_WITHIN, UNIT_COUNT, (int64_t)recovery->within);
    bench_fact(run, FACT_INJECTED, UNIT_TICK, recovery->injected);
    bench_fact(run, FACT_RECOVERED, UNIT_TICK, recovery->recovered);
    bench_fact(run, FACT_LARGEST_ERROR, UNIT_TICK, recovery->largest_error);
    bench_fact(run, FACT_SPURIOUS, UNIT_COUNT, (int64_t)recovery->spurious);
    bench_fact(run, FACT_SPURIOUS_TICKS, UNIT_TICK, recovery->spurious_ticks);
    bench_fact(run, FACT_ASKED_LONG, UNIT_COUNT, (int64_t)recovery->asked_long);
}

enum bench_state limits_judge(struct bench_run *run, const struct recover_limits *limits,
                              const struct bench_rows *rows, struct recover_input *input)
{
    int64_t *lengths = bench_samples(rows->samples);
    int64_t *errors = bench_samples(input->count);
    int64_t *counts = bench_samples(input->count);
    struct recovery recovery;
    char reason[RECOVER_REASON_MAX];

    input->samples = rows->samples;
    input->lengths = lengths;
    input->quiet = bench_samples(rows->samples);
    input->group = take((input->count + 1) * sizeof(*input->group));
    if (lengths == NULL || errors == NULL || counts == NULL || input->quiet == NULL ||
        input->group == NULL) {
        return bench_error(run, "cannot allocate memory to judge %zu samples", rows->samples);
    }
    for (size_t i = 0; i < rows->samples; i++) {
        lengths[i] = *bench_row(rows->rows, i + 1) - *bench_row(rows->rows, i);
    }
    recover_judge(input, limits, &recovery);
    publish(run, &recovery, errors, counts, input->group);
    return recover_holds(&recovery, limits, reason) ? BENCH_OK : bench_fail(run, "%s", reason);
}
