/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics of noise: gaps are sparse events, of which the greatest and the time that was observed
 * count; what the idle loop was calibrated to is work, which must be the same for values to be
 * comparable.
 */
#include <math.h>
#include <string.h>

#include "bench/noise/host/gap_bench.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/present/reading.h"

/* The bin of the image's histogram that holds the greatest gap: 16 bins an octave. */
static void greatest_by_histogram(const struct run_bench *bench, double *low, double *high)
{
    const struct run_series *bound = run_find_series(bench, SERIES_HISTOGRAM_BOUND);

    *low = NAN;
    *high = NAN;
    if (bound == NULL || bound->n == 0 || !run_series_whole(bound)) {
        return;
    }
    const int64_t last = bound->samples[bound->n - 1];

    *low = (double)last;
    *high = gap_bin_end(last) - 1;
}

/* Gaps above the threshold. Of those below it the histogram reports. */
static bool add_gaps(struct metrics *metrics, const struct run_bench *bench,
                     const struct run_series *series)
{
    if (strcmp(series->name, SERIES_GAP_LENGTH) != 0) {
        return false;
    }
    const struct run_fact *threshold = run_find_fact(bench, FACT_THRESHOLD);
    struct gap_totals totals;
    struct metric *metric = metrics_add(metrics, bench, series->name, NULL);

    metric_set(metric, series->samples, series->n);
    metric->observed = gap_watched(bench);
    metric->unkept = gap_unkept_of(bench);
    greatest_by_histogram(bench, &metric->greatest_low, &metric->greatest_high);
    if (!gap_totals_of(bench, &totals) || !totals.is_exact) {
        return true;
    }
    if (totals.count > 0) {
        metric->greatest_low = (double)totals.greatest;
        metric->greatest_at = (double)totals.greatest_at;
        metric->greatest_high = fmax(metric->greatest_low, (double)totals.unseen_greatest);
    } else if (threshold != NULL) {
        metric->greatest_high = fmin(metric->greatest_high, (double)threshold->value);
    }
    return true;
}

/* Is it NAME, or NAME.N of another processor? */
static bool is_of(const char *series, const char *name)
{
    const size_t length = strlen(name);

    return strncmp(series, name, length) == 0 && (series[length] == '\0' || series[length] == '.');
}

static bool team_places(const char *series)
{
    static const char *const names[] = {
        SERIES_GAP_TIME,   SERIES_WORST_TIME,      SERIES_WORST_LENGTH,
        SERIES_GAP_STOLEN, SERIES_HISTOGRAM_BOUND, SERIES_TEAM_SKEW,
        SERIES_TEAM_BOUND, SERIES_TEAM_SKEW_AFTER, SERIES_TEAM_BOUND_AFTER};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (is_of(series, names[i])) {
            return true;
        }
    }
    return false;
}

static bool load_places(const char *series)
{
    return strcmp(series, SERIES_GROUP) == 0 || strcmp(series, SERIES_LOAD_SAMPLES) == 0 ||
           strcmp(series, SERIES_LOAD_ENTRY) == 0 || strcmp(series, SERIES_LOAD_WORK) == 0;
}

static bool idle_places(const char *series)
{
    return strcmp(series, SERIES_HANDLER_START) == 0 || strcmp(series, SERIES_GROUP) == 0;
}

/* A metric of one value, of a fact. */
static void add_fact(struct metrics *metrics, const struct run_bench *bench, const char *fact,
                     const char *unit)
{
    const struct run_fact *found = run_find_fact(bench, fact);

    if (found != NULL) {
        struct metric *metric = metrics_add(metrics, bench, fact, NULL);

        metric_set(metric, &found->value, 1);
        metric->unit = unit;
    }
}

/* Of what the idle loop recovers. A group that errs to either side is off by as much. */
static void add_recovery(struct metrics *metrics, const struct run_bench *bench)
{
    const struct run_fact *injected = run_find_fact(bench, FACT_INJECTED);
    const struct run_fact *recovered = run_find_fact(bench, FACT_RECOVERED);
    const struct run_fact *largest = run_find_fact(bench, FACT_LARGEST_ERROR);

    add_fact(metrics, bench, FACT_SPURIOUS, UNIT_COUNT);
    add_fact(metrics, bench, FACT_SPURIOUS_TICKS, UNIT_TICK);
    if (largest != NULL) {
        const int64_t size = largest->value < 0 ? -largest->value : largest->value;

        metric_set(metrics_add(metrics, bench, FACT_LARGEST_ERROR, NULL), &size, 1);
    }
    if (injected != NULL && recovered != NULL && injected->value > 0) {
        const double error = fabs((double)recovered->value - (double)injected->value);
        const int64_t ticks = (int64_t)fmin(error, 0x1p62);

        metric_set(metrics_add(metrics, bench, "total_error", NULL), &ticks, 1);
    }
}

/* Samples of the idle loop follow each other without a hole. */
static double begin_of_greatest(const struct metric *metric)
{
    double greatest = -INFINITY;
    double begin = NAN;
    double now = 0;

    for (size_t i = 0; i < metric->n; i++) {
        if (metric->values[i] > greatest) {
            greatest = metric->values[i];
            begin = now;
        }
        now += metric->values[i];
    }
    return begin;
}

/* Of the idle loop: a fixed number of iterations, which each run finds for itself. */
static void idle_work(const struct metrics *metrics, const struct run_bench *bench,
                      struct metric *metric)
{
    (void)metrics;
    if (strcmp(metric->series, SERIES_FLOOR) == 0 || strcmp(metric->series, SERIES_TICKING) == 0) {
        metric->greatest_at = begin_of_greatest(metric);
        metric->work = (double)run_fact_or(bench, FACT_INNER_ITERATIONS, 0);
    }
}

READING_REGISTER(gap_metrics) = {
    .bench = BENCH_GAP, .order = 500, .metrics = {.places = team_places, .series = add_gaps}};
READING_REGISTER(selfish_metrics) = {
    .bench = BENCH_SELFISH, .order = 500, .metrics = {.places = team_places}};
READING_REGISTER(fwq_metrics) = {
    .bench = BENCH_FWQ, .order = 500, .metrics = {.places = team_places}};
READING_REGISTER(ftq_metrics) = {
    .bench = BENCH_FTQ, .order = 500, .metrics = {.places = team_places}};
READING_REGISTER(load_metrics) = {
    .bench = BENCH_LOAD,
    .order = 500,
    .metrics = {.main = "error", .places = load_places, .others = add_recovery}};
READING_REGISTER(idle_metrics) = {
    .bench = BENCH_IDLE,
    .order = 500,
    .metrics = {.main = "handler", .places = idle_places, .adjust = idle_work}};
