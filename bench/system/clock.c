/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench clock: what it costs to read each clock, the smallest step that each clock shows, and the
 * windows from which the rate of the TSC was estimated.
 *
 * A cost is the difference of two ordered TSC reads with one read of the clock between them. The
 * series `empty.cost` has nothing between them: it is the cost of the measurement itself, by the
 * same code. If the run counts events, counters are read instead of the TSC.
 */
#include "kernel/clock/clock.h"

#include <stdio.h>

#include "kernel/clock/names.h"
#include "kernel/cpu/cpu.h"
#include "kernel/run/bench.h"
#include "kernel/run/names.h"

#define NAME_MAX 48

/* With fewer reads, all of them may lie within one step of a slow clock: no verdict then. */
#define JUDGED_READS 1000

static uint64_t read_nothing(void)
{
    return 0;
}

static bool measure_uncounted(struct bench_run *run, const char *name, uint64_t (*read)(void),
                              size_t count)
{
    int64_t *samples = bench_samples(count);

    if (samples == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t start = tsc_read_ordered();

        read();
        samples[i] = (int64_t)(tsc_read_ordered() - start);
    }
    bench_publish(run, name, UNIT_TICK, samples, count);
    return true;
}

/* Does the same with a row of counters before and after each read. Returns false if there is no
 * memory. */
static bool measure_counted(struct bench_run *run, const char *name, uint64_t (*read)(void),
                            size_t count)
{
    const struct bench_rows rows = {bench_rows(2 * count), count, ROWS_PAIRS};

    if (rows.rows == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        int64_t *begin = bench_row(rows.rows, 2 * i);
        int64_t *end = bench_row(rows.rows, 2 * i + 1);

        reader_read(begin);
        read();
        reader_read(end);
    }
    return bench_publish_rows(run, name, &rows);
}

/* Returns the smallest difference between two successive readings that differ, or 0 if all are the
 * same. */
static uint64_t measure_step(uint64_t (*read)(void), uint64_t mask, size_t reads)
{
    uint64_t smallest = 0;
    uint64_t last = read();

    for (size_t i = 0; i < reads; i++) {
        const uint64_t now = read();
        const uint64_t step = (now - last) & mask;

        if (step != 0 && (smallest == 0 || step < smallest)) {
            smallest = step;
        }
        last = now;
    }
    return smallest;
}

/* name of the first clock that stands still or goes back; NULL if there is none */
static const char *stands;

static bool measure_clock(struct bench_run *run, const struct clock_source *source, size_t count)
{
    char name[NAME_MAX];

    snprintf(name, sizeof(name), "%s.cost", source->name);
    if (bench_counting() ? !measure_counted(run, name, source->read, count)
                         : !measure_uncounted(run, name, source->read, count)) {
        return false;
    }
    if (source->mask != 0) {
        char fact[NAME_MAX];

        snprintf(fact, sizeof(fact), "%s.step", source->name);
        const uint64_t step = measure_step(source->read, source->mask, count);

        bench_fact(run, fact, UNIT_COUNT, (int64_t)step);
        /* A clock that goes back appears to step by nearly its whole range. */
        if (count >= JUDGED_READS && stands == NULL && (step == 0 || step > source->mask / 2)) {
            stands = source->name;
        }
    }
    return true;
}

static bool publish_windows(struct bench_run *run, const struct clock_estimate *estimate)
{
    int64_t *samples = bench_samples(estimate->windows);

    if (samples == NULL) {
        return false;
    }
    for (size_t i = 0; i < estimate->windows; i++) {
        samples[i] = (int64_t)estimate->window_hz[i];
    }
    char name[NAME_MAX];

    snprintf(name, sizeof(name), "estimate.%s", estimate->rate.reference);
    bench_publish(run, name, UNIT_HZ, samples, estimate->windows);
    return true;
}

static enum bench_state run(struct bench_run *run)
{
    const struct clock_state *clock = clock_state();
    const size_t count = bench_number(run, "reads");
    const struct clock_source empty = {.name = "empty", .read = read_nothing};
    const struct clock_source tsc = {.name = CLOCK_TSC, .mask = UINT64_MAX, .read = tsc_read};

    stands = NULL;
    bool good = measure_clock(run, &empty, count) && measure_clock(run, &tsc, count);

    for (size_t i = 0; good && i < clock->source_count; i++) {
        good = measure_clock(run, &clock->sources[i], count);
    }
    for (size_t i = 0; good && i < clock->estimate_count; i++) {
        good = clock->estimates[i].windows == 0 || publish_windows(run, &clock->estimates[i]);
    }
    if (!good) {
        return bench_error(run, "no memory for %zu samples", count);
    }
    return stands == NULL
               ? bench_ok(run)
               : bench_fail(run,
                            "clock %s stands still or goes back: its successive readings must grow",
                            stands);
}

static const struct bench_param params[] = {
    {"reads", "1000", "reads of each clock", PARAM_NUMBER(1, 1000000)},
    {0},
};

static const struct bench clock = {
    .name = "clock",
    .group = "clock",
    .summary = "cost and step of reading each clock",
    .unit = UNIT_TICK,
    .estimate =
        "TSC 20 to 40 ticks; HPET and PM timer 500 to 2000 ns, an uncached access to the chipset; "
        "PIT 3 us for three port accesses; in exact mode the number of instructions of a read",
    .needs = NEED_CLOCK,
    .params = params,
    .samples = "reads",
    .steady = true,
    .relations = "empty.cost<tsc.cost empty.cost<hpet.cost empty.cost<pm_timer.cost<pit.cost",
    .run = run,
};
BENCH_REGISTER(clock);
