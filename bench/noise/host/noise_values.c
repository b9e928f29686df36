/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * JSON and metrics of the noise benches: clock interrupts of the idle loop and what was counted
 * with them, recovery of injected work, gaps and SMIs.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/noise/host/gap_bench.h"
#include "bench/noise/host/gap_join.h"
#include "bench/noise/host/idle_correlation.h"
#include "bench/noise/host/team_rows.h"
#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/base/sort.h"
#include "tools/present/digest.h"
#include "tools/present/json_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/stats/statistics.h"
#include "tools/trace/idle_bench.h"

static void put_column(struct json *json, const char *key, const struct idle_bench *idle,
                       enum idle_column column)
{
    struct statistics statistics;

    idle_bench_statistics(idle, column, &statistics);
    json_object(json, key);
    json_statistics(json, &statistics);
    json_close(json);
}

static void put_ticks(struct json *json, const struct run_bench *bench)
{
    struct idle_bench idle;
    const char *why;

    if (!idle_bench_ticks(bench, &idle, &why)) {
        json_null(json, "ticks");
        return;
    }
    json_object(json, "ticks");
    json_unsigned(json, "count", idle.entries->n);
    json_signed(json, "floor", idle.floor);
    put_column(json, "handler", &idle, IDLE_HANDLER);
    put_column(json, "elongation", &idle, IDLE_ELONGATION);
    put_column(json, "overhead", &idle, IDLE_OVERHEAD);
    json_close(json);
    idle_bench_free(&idle);
}

static void put_recovery(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct idle_bench idle;
    struct idle_recovery recovery;
    const char *why;

    (void)run;
    if (!idle_bench_load(bench, &idle, &recovery, &why)) {
        json_null(json, "recovery");
        return;
    }
    json_object(json, "recovery");
    JSON_COUNTS(json, {"injected", recovery.injected}, {"recovered", recovery.recovered},
                {"within_tolerance", recovery.within_tolerance}, {"groups", recovery.groups},
                {"groups_recovered", recovery.groups_recovered},
                {"groups_within", recovery.groups_within}, {"spurious", recovery.spurious});
    json_optional(json, "max_error_ticks", recovery.has_error, recovery.max_error);
    json_signed(json, "tolerance_sample_ticks", recovery.tolerance.sample);
    json_signed(json, "tolerance_each_ticks", recovery.tolerance.each);
    json_signed(json, "outside_ticks", recovery.tolerance.outside);
    json_signed(json, "floor_ticks", recovery.floor);
    json_signed(json, "injected_ticks", recovery.injected_total);
    json_signed(json, "recovered_ticks", recovery.recovered_total);
    json_number(json, "total_error_ppm", idle_recovery_ppm(&recovery), 3);
    json_close(json);
    idle_bench_free(&idle);
}

static void put_classes(struct json *json, const struct idle_correlation *correlation)
{
    json_array(json, "classes");
    for (size_t c = 0; c < correlation->class_count; c++) {
        const struct idle_class *class = &correlation->classes[c];

        json_object(json, NULL);
        json_signed(json, "interrupts", class->interrupts);
        json_unsigned(json, "samples", class->samples);
        json_signed(json, "length", class->length);
        json_signed(json, "elongation", class->elongation);
        json_object(json, "events");
        for (size_t e = 0; e < correlation->event_count; e++) {
            const struct idle_counted *event = &correlation->events[e];

            json_optional(json, event->counts->event, event->has_median[c], event->medians[c]);
        }
        json_close(json);
        json_close(json);
    }
    json_close(json);
}

static void put_correlation(struct json *json, const struct run_bench *bench)
{
    struct idle_correlation correlation;
    const char *why;

    if (idle_correlate(bench, &correlation, &why)) {
        json_object(json, "correlation");
        json_text(json, "interrupts_by", correlation.by_event ? "event" : "handler");
        json_unsigned(json, "samples", correlation.samples);
        json_signed(json, "floor", correlation.floor);
        json_number(json, "coefficient", correlation.coefficient, 6);
        put_classes(json, &correlation);
        json_close(json);
    } else {
        json_null(json, "correlation");
    }
    idle_correlation_free(&correlation);
}

/* Returns the rate per second, or NAN if the length of a tick or the time watched is unknown. */
static double rate_of(const struct run *run, double count, double ticks)
{
    const double seconds = ticks * run_ns_per_tick(run) / 1e9;

    return seconds > 0 ? count / seconds : NAN;
}

static void put_gaps(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct gap_totals totals;
    struct stolen stolen;

    if (!gap_totals_of(bench, &totals)) {
        json_null(json, "gaps");
        return;
    }
    const bool any = totals.is_exact && totals.count > 0;

    json_object(json, "gaps");
    json_unsigned(json, "count", totals.count);
    json_real(json, "per_second", rate_of(run, (double)totals.count, gap_watched(bench)));
    json_optional(json, "longest_ticks", any, totals.greatest);
    json_optional(json, "longest_at_ticks", any, totals.greatest_at);
    json_optional(json, "longest_unseen_ticks", totals.is_exact, totals.unseen_greatest);
    json_real(json, "stolen_ppm", stolen_from_gap(bench, &stolen) ? stolen.whole : NAN);
    json_unsigned(json, "rest", totals.rest);
    json_optional(json, "rest_ticks", totals.is_exact, totals.rest_sum);
    json_close(json);
}

static void put_smis(struct json *json, const struct run *run, const struct run_bench *bench)
{
    const struct run_fact *counted = run_find_fact(bench, FACT_SMI);
    const double elapsed = (double)run_fact_or(bench, FACT_GAP_ELAPSED, 0);
    struct gap_smis smis;

    gap_smis_of(bench, &smis);
    json_object(json, "smis");
    json_optional(json, "counted", counted != NULL, run_fact_or(bench, FACT_SMI, 0));
    json_real(json, "per_second",
              counted != NULL ? rate_of(run, (double)counted->value, elapsed) : NAN);
    json_optional(json, "provoked", run_find_fact(bench, FACT_SMI_PROVOKED) != NULL,
                  run_fact_or(bench, FACT_SMI_PROVOKED, 0));
    json_optional(json, "gaps", smis.series != NULL, (int64_t)smis.gaps);
    json_optional(json, "longest_ticks", smis.gaps > 0, smis.longest);
    json_close(json);
}

static void idle_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    static const char *const names[] = {SERIES_FLOOR, SERIES_TICKING};
    struct stolen stolen;

    (void)run;
    put_ticks(json, bench);
    put_correlation(json, bench);
    json_object(json, "stolen_ppm");
    for (size_t i = 0; i < 2; i++) {
        json_real(json, names[i], stolen_from_idle(bench, names[i], &stolen) ? stolen.whole : NAN);
    }
    json_close(json);
}

/*
 * Metrics of noise. Gaps are rare events, for which the greatest one and the time watched matter.
 * For the idle loop, the calibrated work is recorded, because values are comparable only for the
 * same work.
 */

/* Finds the bounds of the greatest gap from the last bin of the image's histogram: 16 bins an
 * octave. */
static void greatest_by_histogram(const struct run_bench *bench, double *low, double *high)
{
    const struct run_series *bound = run_find_whole(bench, SERIES_HISTOGRAM_BOUND);
    const bool known = bound != NULL && bound->n > 0;
    const int64_t last = known ? bound->samples[bound->n - 1] : 0;

    *low = known ? (double)last : NAN;
    *high = known ? gap_bin_end(last) - 1 : NAN;
}

/* Adds gaps above the threshold. Gaps below it are only in the histogram. */
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

/* Returns whether the series is NAME, or NAME.N of another processor. */
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

    return SEARCH_ANY(i, sizeof(names) / sizeof(names[0]), is_of(series, names[i]));
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

/* Adds a metric with the value of a fact. */
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

/* Adds the errors of the idle loop's recovery. An error counts by its size, whatever its sign. */
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

/* Returns when the greatest sample began. Samples of the idle loop follow each other without a
 * break. */
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

/* The work of a sample of the idle loop is a fixed number of iterations, which each run calibrates
 * anew. */
static void idle_work(const struct metrics *metrics, const struct run_bench *bench,
                      struct metric *metric)
{
    (void)metrics;
    if (strcmp(metric->series, SERIES_FLOOR) == 0 || strcmp(metric->series, SERIES_TICKING) == 0) {
        metric->greatest_at = begin_of_greatest(metric);
        metric->work = (double)run_fact_or(bench, FACT_INNER_ITERATIONS, 0);
    }
}

PLUGIN_OF(fwq, .order = 500, .metrics = {.places = team_places});
PLUGIN_OF(ftq, .order = 500, .metrics = {.places = team_places});
PLUGIN_OF(load, .order = 500, .json = put_recovery,
          .metrics = {.main = "error", .places = load_places, .others = add_recovery});
PLUGIN_OF(idle, .order = 500, .json = idle_json,
          .metrics = {.main = "handler", .places = idle_places, .adjust = idle_work});

/* The line of benches gap and selfish in the overview: all gaps of all processors, kept or not. */

/* Adds quantiles if only one processor watched and the list of its gaps is complete. */
static void put_quantiles(const struct view *view, const struct run_bench *bench,
                          const struct team_rows *rows, struct digest *digest)
{
    const struct run_series *lengths = run_find_series(bench, SERIES_GAP_LENGTH);
    struct statistics statistics;

    if (rows->count != 1 || lengths == NULL || lengths->received != rows->row[0].over) {
        return;
    }
    statistics_of(lengths->samples, lengths->received, &statistics);
    span_text(view, (double)statistics.median, digest->p50);
    if (statistics.has_p99) {
        span_text(view, (double)statistics.p99, digest->p99);
    }
}

/* Writes a text such as "none above 1.000 us in 2.000 s, 1 processor". */
static void put_none(const struct view *view, const struct team_rows *rows, struct digest *digest)
{
    char threshold[AMOUNT_MAX];
    char watched[AMOUNT_MAX];
    int64_t highest = 0;
    double shortest = rows->row[0].watched;

    for (size_t i = 0; i < rows->count; i++) {
        const struct team_row *row = &rows->row[i];

        highest = row->threshold > highest ? row->threshold : highest;
        shortest = row->watched < shortest ? row->watched : shortest;
    }
    amount_text(view, highest, UNIT_TICK, threshold);
    amount_text(view, (int64_t)shortest, UNIT_TICK, watched);
    snprintf(digest->text, sizeof(digest->text), "none above %s in %s, %zu processor%s", threshold,
             watched, rows->count, rows->count == 1 ? "" : "s");
}

static bool gap_digest(const struct view *view, const struct run_bench *bench,
                       struct digest *digest)
{
    struct team_rows rows;
    int64_t longest = 0;
    uint64_t over = 0;
    bool known;

    team_rows_of(bench, &rows);
    known = rows.count > 0;
    for (size_t i = 0; i < rows.count; i++) {
        known = known && rows.row[i].known;
        over += rows.row[i].over;
        longest =
            rows.row[i].over > 0 && rows.row[i].largest > longest ? rows.row[i].largest : longest;
    }
    if (known && over == 0) {
        put_none(view, &rows, digest);
    } else if (known) {
        snprintf(digest->what, sizeof(digest->what), "gap, %zu processor%s", rows.count,
                 rows.count == 1 ? "" : "s");
        digest->n = over;
        put_quantiles(view, bench, &rows, digest);
        span_text(view, (double)longest, digest->max);
    }
    team_rows_free(&rows);
    return known;
}

/* JSON of gaps on several processors: each processor, and the stops of all at once. */

static void put_row(struct json *json, const struct team_row *row, const struct gap_lane *lane)
{
    const bool any = row->known && row->over > 0;
    const bool joined = lane != NULL;

    json_object(json, NULL);
    json_unsigned(json, "number", row->number);
    json_optional(json, "smallest_ticks", row->known, row->smallest);
    json_optional(json, "threshold_ticks", row->known, row->threshold);
    json_optional(json, "gaps", row->known, (int64_t)row->over);
    json_optional(json, "stolen_ticks", row->known, row->stolen);
    json_optional(json, "longest_ticks", any, row->largest);
    json_optional(json, "longest_at_ticks", any, row->largest_at);
    json_optional(json, "world", joined, joined ? (int64_t)lane->of[GAP_WORLD] : 0);
    json_optional(json, "local", joined, joined ? (int64_t)lane->of[GAP_LOCAL] : 0);
    json_optional(json, "unknown", joined, joined ? (int64_t)lane->of[GAP_UNKNOWN] : 0);
    json_optional(json, "clock_within_ticks", joined, joined ? lane->uncertainty : 0);
    json_close(json);
}

static void put_stops(struct json *json, const struct gap_join *join)
{
    json_array(json, "stops");
    for (size_t i = 0; i < join->stop_count; i++) {
        const struct gap_stop *stop = &join->stops[i];

        json_object(json, NULL);
        json_signed(json, "begin_ticks", stop->begin);
        json_signed(json, "end_ticks", stop->end);
        json_signed(json, "common_ticks", stop->common);
        json_unsigned(json, "gaps", stop->gaps);
        json_close(json);
    }
    json_close(json);
}

static void put_world(struct json *json, const struct gap_join *join, const char *why)
{
    json_object(json, "world");
    json_text(json, "refused", why);
    if (join != NULL) {
        JSON_COUNTS(json, {"unknown_by_skew", join->why[GAP_WHY_SKEW]},
                    {"unknown_by_threshold", join->why[GAP_WHY_THRESHOLD]},
                    {"unknown_by_unkept", join->why[GAP_WHY_UNKEPT]},
                    {"unknown_by_unwatched", join->why[GAP_WHY_UNWATCHED]});
        put_stops(json, join);
    }
    json_close(json);
}

static void team_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct team_rows rows;
    struct gap_join join;
    const char *why = NULL;
    const bool joined = gap_join_of(bench, &join, &why); /* if false, *why is the reason */

    (void)run;
    team_rows_of(bench, &rows);
    json_array(json, "processors");
    for (size_t i = 0; i < rows.count; i++) {
        put_row(json, &rows.row[i], joined ? &join.lanes[i] : NULL);
    }
    json_close(json);
    put_world(json, joined ? &join : NULL, why);
    team_rows_free(&rows);
    gap_join_free(&join);
}

static void gap_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    put_gaps(json, run, bench);
    put_smis(json, run, bench);
    team_json(json, run, bench);
}

PLUGIN_OF(gap, .order = 10, .json = gap_json, .digest = gap_digest,
          .metrics = {.places = team_places, .series = add_gaps});
PLUGIN_OF(selfish, .order = 230, .json = team_json, .digest = gap_digest,
          .metrics = {.places = team_places});
