/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/reconcile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/stats/statistics.h"
#include "tools/trace/idle_bench.h"

/* ---- samples ---- */

/* Continues with the next sample. There may be none whose start is known. */
static void next_sample(struct reconcile *reconcile)
{
    int64_t length;

    reconcile->from = reconcile->to;
    reconcile->idle = 0;
    reconcile->unknown = false;
    reconcile->episodes = reconcile->busy ? 1 : 0;
    reconcile->partial = reconcile->busy;
    if (reconcile->sample == reconcile->series->n ||
        !run_walk_to(&reconcile->walk, reconcile->sample, &length)) {
        reconcile->done = true;
        return;
    }
    reconcile->to = reconcile->from + (uint64_t)length;
}

/* Returns the shortest sample of the series or of the loop's calibration, because perhaps no sample
 * of the series was undisturbed. */
static int64_t shortest_of(const struct run_bench *bench, const struct run_series *series)
{
    const struct run_fact *calibrated = run_find_fact(bench, FACT_SAMPLE_TICKS);
    int64_t shortest = calibrated != NULL && calibrated->value > 0 ? calibrated->value : INT64_MAX;

    for (size_t i = 0; i < series->received; i++) {
        shortest = series->samples[i] < shortest ? series->samples[i] : shortest;
    }
    return shortest;
}

/* Returns the length of an iteration, rounded up, or 0 if it is not known. */
static uint64_t iteration_ticks(const struct reconcile *reconcile)
{
    return reconcile->iteration_millitick / 1000 + (reconcile->iteration_millitick % 1000 > 0);
}

/* Returns the ticks of the trace after the last sample, or 0 if samples are missing: their end is
 * then unknown, and reconcile_outside() counts what is missing. */
static uint64_t behind_of(const struct run_bench *bench, const struct run_series *series,
                          uint64_t begin)
{
    uint64_t trace_end = 0;
    uint64_t end = begin;

    if (!run_series_whole(series)) {
        return 0;
    }
    for (size_t i = 0; i < bench->trace_count; i++) {
        trace_end = bench->traces[i].cpu == bench->traces[0].cpu ? bench->traces[i].end : trace_end;
    }
    for (size_t i = 0; i < series->received; i++) {
        end += (uint64_t)series->samples[i];
    }
    return trace_end > end ? trace_end - end : 0;
}

void reconcile_init(struct reconcile *reconcile, const struct run_bench *bench)
{
    const struct run_series *series = run_find_series(bench, SERIES_IDLE);
    const struct run_fact *origin = run_find_fact(bench, FACT_IDLE_ORIGIN);
    const struct run_fact *iteration = run_find_fact(bench, FACT_ITERATION_MILLITICK);

    memset(reconcile, 0, sizeof(*reconcile));
    if (origin == NULL || bench->trace_count == 0) {
        return;
    }
    if (series == NULL || series->received == 0 || series->ranges[0].first != 0) {
        reconcile->why = "the samples of the idle loop did not arrive";
        return;
    }
    if (!idle_check(series->samples, series->received)) {
        reconcile->why = "the samples of the idle loop are inconsistent";
        return;
    }
    reconcile->present = true;
    reconcile->shortest = shortest_of(bench, series);
    reconcile->iteration_millitick =
        iteration != NULL && iteration->value > 0 ? (uint64_t)iteration->value : 0;
    reconcile->tolerance = iteration_ticks(reconcile);
    reconcile->series = series;
    reconcile->walk.series = series;
    reconcile->to = bench->traces[0].begin + (uint64_t)origin->value;
    reconcile->behind = behind_of(bench, series, reconcile->to);
    next_sample(reconcile);
}

void reconcile_allow_spread(struct reconcile *reconcile)
{
    if (!reconcile->present) {
        return;
    }
    const size_t n = reconcile->series->received;
    int64_t *sorted = alloc_zeroed(n * sizeof(*sorted));

    memcpy(sorted, reconcile->series->samples, n * sizeof(*sorted));
    sort_integers(sorted, n);
    const int64_t spread = statistics_quantile(sorted, n, 1, 10) - reconcile->shortest;

    free(sorted);
    reconcile->tolerance = iteration_ticks(reconcile) + RECONCILE_SPREADS * (uint64_t)spread;
}

static uint64_t magnitude(int64_t value)
{
    return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

static void add_sample(struct reconcile_class *class, const struct reconcile *reconcile)
{
    const int64_t elongation = (int64_t)(reconcile->to - reconcile->from) - reconcile->shortest;
    const int64_t predicted = (int64_t)(reconcile->to - reconcile->from - reconcile->idle);
    const int64_t error = elongation - predicted;

    if (class->n == 0 || magnitude(error) > magnitude(class->largest)) {
        class->largest = error;
        class->largest_at = reconcile->sample;
    }
    class->n++;
    class->within += magnitude(error) <= iteration_ticks(reconcile);
    class->near += magnitude(error) <= reconcile->tolerance;
    class->elongation += elongation;
    class->predicted += predicted;
}

/* Ends the current sample and counts it. */
static void end_sample(struct reconcile *reconcile)
{
    const bool whole = !reconcile->partial && !reconcile->busy;
    struct reconcile_class *class = &reconcile->several;

    if (reconcile->episodes == 0) {
        class = &reconcile->quiet;
    } else if (reconcile->episodes == 1 && whole) {
        class = &reconcile->single;
    }
    if (!reconcile->unknown) {
        add_sample(class, reconcile);
    }
    reconcile->sample++;
    next_sample(reconcile);
}

/* ---- as an observer ---- */

/* Skips to `from`. Time that is in no part counts as unknown. */
static void skip_to(struct reconcile *reconcile, uint64_t from)
{
    reconcile->busy = false;
    while (!reconcile->done && reconcile->from < from) {
        reconcile->unknown = true;
        if (reconcile->to > from) {
            return;
        }
        end_sample(reconcile);
    }
}

static void see_part(void *context, const struct accounting *accounting,
                     const struct run_trace *trace)
{
    (void)accounting;
    skip_to(context, trace->begin);
}

/* Adds the part of a segment that lies in the sample. */
static void add_time(struct reconcile *reconcile, const struct account_segment *segment,
                     uint64_t ticks)
{
    const bool idle = segment->kind == ACCOUNT_THREAD && segment->id == TRACE_IDLE_THREAD;

    reconcile->unknown = reconcile->unknown || segment->kind == ACCOUNT_UNKNOWN;
    reconcile->idle += idle ? ticks : 0;
    reconcile->episodes += !idle && !reconcile->busy;
    reconcile->busy = !idle;
}

static void see_segment(void *context, const struct accounting *accounting,
                        const struct account_segment *segment)
{
    struct reconcile *reconcile = context;

    while (accounting->on == 0 && !reconcile->done && segment->to > reconcile->from) {
        const uint64_t from = segment->from > reconcile->from ? segment->from : reconcile->from;
        const uint64_t to = segment->to < reconcile->to ? segment->to : reconcile->to;

        if (from < to) {
            add_time(reconcile, segment, to - from);
        }
        if (segment->to < reconcile->to) {
            return;
        }
        end_sample(reconcile);
    }
}

struct account_observer reconcile_observer(struct reconcile *reconcile)
{
    return (struct account_observer){
        .context = reconcile,
        .part = see_part,
        .segment = see_segment,
    };
}

/* ---- sums ---- */

void reconcile_total(const struct reconcile *reconcile, struct reconcile_class *total)
{
    const struct reconcile_class *classes[] = {&reconcile->quiet, &reconcile->single,
                                               &reconcile->several};

    memset(total, 0, sizeof(*total));
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (classes[i]->n > 0 && magnitude(classes[i]->largest) >= magnitude(total->largest)) {
            total->largest = classes[i]->largest;
            total->largest_at = classes[i]->largest_at;
        }
        total->n += classes[i]->n;
        total->within += classes[i]->within;
        total->near += classes[i]->near;
        total->elongation += classes[i]->elongation;
        total->predicted += classes[i]->predicted;
    }
}

bool reconcile_lacks_end(const struct reconcile *reconcile)
{
    return reconcile->behind > (uint64_t)reconcile->shortest;
}

uint64_t reconcile_outside(const struct reconcile *reconcile)
{
    struct reconcile_class total;

    reconcile_total(reconcile, &total);
    return reconcile->series->n - total.n;
}

double reconcile_iterations(const struct reconcile *reconcile, int64_t ticks)
{
    return reconcile->iteration_millitick > 0
               ? 1000 * (double)ticks / (double)reconcile->iteration_millitick
               : NAN;
}
