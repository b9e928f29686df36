/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench idle: the calibrated idle loop on the empty machine (Endo et al., sections 2.3 and 2.5).
 *
 * It first runs with every interrupt masked: series floor. Then it runs with a periodic clock
 * interrupt of the LAPIC timer, the paper's 10 ms, whose handler only acknowledges it. Each sample
 * that holds an interrupt is longer by what the interrupt costs. Each handler also takes its own
 * timestamps, so that the time spent in it is known directly as well.
 */
#include "kernel/clock/idle_loop.h"

#include "bench/noise/limits.h"
#include "bench/noise/names.h"
#include "bench/noise/recover.h"
#include "kernel/clock/clock.h"
#include "kernel/cpu/cpu.h"
#include "kernel/irq/lapic.h"
#include "kernel/irq/timed_section.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"

#define MILLISECOND_US 1000

static bool tick(void)
{
    return true;
}

/* Returns the number of samples that fill `idle.ms`. */
static size_t sample_count(const struct bench_run *run)
{
    const uint64_t count =
        bench_number(run, "ms") * MILLISECOND_US / bench_number(run, "sample_us");

    return count > 0 ? count : 1;
}

static enum bench_state no_memory(struct bench_run *run, size_t count)
{
    return bench_error(run, "cannot allocate %zu samples; lower idle.ms or raise idle.sample_us",
                       count);
}

static enum bench_state run_floor(struct bench_run *run, size_t count, uint64_t inner)
{
    const struct bench_rows rows = {bench_rows(count + 1), count, ROWS_CONTIGUOUS};

    if (rows.rows == NULL) {
        return no_memory(run, count);
    }
    idle_loop_run(rows.rows, count, inner);
    return bench_publish_rows(run, SERIES_FLOOR, &rows) ? BENCH_OK : no_memory(run, count);
}

/* Records of the clock interrupts. */
struct ticks {
    size_t capacity;
    struct timed_section *ring;
    int64_t *rows; /* counters before and after each handler; NULL: nothing is counted */
    int64_t *durations;
    int64_t *starts;
};

static bool take_memory(struct ticks *ticks)
{
    ticks->ring = (struct timed_section *)bench_samples(ticks->capacity * sizeof(*ticks->ring) /
                                                        sizeof(int64_t));
    ticks->rows = bench_counting() ? bench_rows(2 * ticks->capacity) : NULL;
    ticks->durations = bench_samples(ticks->capacity);
    ticks->starts = bench_samples(ticks->capacity);
    return ticks->ring != NULL && (ticks->rows != NULL || !bench_counting()) &&
           ticks->durations != NULL && ticks->starts != NULL;
}

static bool publish_ticks(struct bench_run *run, const struct ticks *ticks, size_t count,
                          int64_t origin)
{
    const struct bench_rows rows = {ticks->rows, count, ROWS_PAIRS};

    for (size_t i = 0; i < count; i++) {
        ticks->durations[i] = (int64_t)(ticks->ring[i].exit - ticks->ring[i].entry);
        ticks->starts[i] = (int64_t)ticks->ring[i].entry - origin;
    }
    bench_publish(run, SERIES_HANDLER, UNIT_TICK, ticks->durations, count);
    if (!bench_publish_counts(run, SERIES_HANDLER, &rows)) {
        return false;
    }
    bench_publish(run, SERIES_HANDLER_START, UNIT_TICK, ticks->starts, count);
    return true;
}

/* Judges the samples: beyond the time inside the handlers, an interrupt may only add its entry and
 * exit, and nothing else may take time. */
static enum bench_state judge(struct bench_run *run, const struct bench_rows *rows,
                              const struct ticks *ticks, size_t taken,
                              const struct recover_limits *limits, int64_t floor)
{
    struct recover_span *spans =
        (struct recover_span *)bench_samples((taken + 1) * sizeof(*spans) / sizeof(int64_t));

    if (spans == NULL) {
        return no_memory(run, rows->samples);
    }
    for (size_t i = 0; i < taken; i++) {
        spans[i] = (struct recover_span){ticks->starts[i], ticks->durations[i], -1};
    }
    return limits_judge(run, limits, rows,
                        &(struct recover_input){.spans = spans, .count = taken, .floor = floor});
}

static enum bench_state run_ticking(struct bench_run *run, size_t count,
                                    const struct idle_calibration *calibration,
                                    const struct recover_limits *limits)
{
    const uint64_t tick_hz = bench_number(run, "tick_hz");
    /* room for four times the expected interrupts, because interrupts and a host that takes the
     * processor lengthen the run */
    struct ticks ticks = {
        .capacity = 4 * (size_t)(bench_number(run, "ms") * tick_hz / MILLISECOND_US) + 16,
    };
    const struct bench_rows rows = {bench_rows(count + 1), count, ROWS_CONTIGUOUS};
    uint64_t dropped;

    if (rows.rows == NULL || !take_memory(&ticks)) {
        return no_memory(run, count);
    }
    timed_section_start(LAPIC_VECTOR_TIMER, ticks.ring, ticks.rows, ticks.capacity, tick);
    lapic_timer_start(LAPIC_VECTOR_TIMER, LAPIC_TIMER_PERIODIC,
                      clock_lapic_counts(clock_state()->verdict.hz / tick_hz));
    interrupts_enable();
    idle_loop_run(rows.rows, count, calibration->inner);
    interrupts_disable();
    lapic_timer_stop();
    const size_t taken = timed_section_stop(&dropped);

    if (timed_section_fault() != NULL) {
        return bench_fail(run, "%s", timed_section_fault());
    }
    if (!bench_publish_rows(run, SERIES_TICKING, &rows) ||
        !publish_ticks(run, &ticks, taken, rows.rows[0])) {
        return no_memory(run, count);
    }
    bench_fact(run, "tick_hz", UNIT_HZ, (int64_t)tick_hz);
    if (dropped != 0) {
        return bench_error(run,
                           "cannot record %lu clock interrupts: the run took four times as long as "
                           "planned; something takes the processor",
                           dropped);
    }
    if (taken == 0 && bench_number(run, "ms") * tick_hz >= 2 * MILLISECOND_US) {
        return bench_fail(run, "the LAPIC timer never interrupted, expected %lu clock interrupts",
                          bench_number(run, "ms") * tick_hz / MILLISECOND_US);
    }
    return judge(run, &rows, &ticks, taken, limits, (int64_t)calibration->sample_ticks);
}

static enum bench_state run(struct bench_run *run)
{
    const bool ticking = bench_number(run, "tick_hz") != 0;
    const size_t count = sample_count(run);
    struct idle_calibration calibration;
    struct recover_limits limits;

    enum bench_state state = bench_calibrate(run, bench_number(run, "sample_us"), &calibration);

    if (state == BENCH_OK) {
        state = limits_find(run, &calibration, &limits);
    }
    if (state == BENCH_OK) {
        state = run_floor(run, count, calibration.inner);
    }
    if (state == BENCH_OK && ticking) {
        state = run_ticking(run, count, &calibration, &limits);
    }
    return state == BENCH_OK ? bench_ok(run) : state;
}

static const struct bench_param params[] = {
    {"ms", "3000", "length of each of the two parts, in ms", PARAM_TIME(1, 86400000)},
    {"sample_us", "1000", "length of a sample, in us", PARAM_TIME(10, 1000000)},
    {"tick_hz", "100", "clock interrupts a second; 0: only the floor", PARAM_NUMBER(0, 20000)},
    {0},
};

static const struct bench idle = {
    .name = BENCH_IDLE,
    .group = "idle",
    .summary = "calibrated idle loop, undisturbed, then with clock interrupts",
    .unit = UNIT_TICK,
    .estimate = "floor: all samples equal within a few ticks of jitter; each clock interrupt takes "
                "300 to 1500 cycles to deliver, save, acknowledge, restore and return (the paper: "
                "400 on a Pentium)",
    .needs = NEED_CLOCK | NEED_LAPIC_TIMER,
    .params = params,
    .relations = "^handler_start",
    .run = run,
};
BENCH_REGISTER(idle);
