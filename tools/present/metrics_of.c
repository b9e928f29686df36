/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides which series of a run are metrics, and makes their values: costs without the surrounding
 * loop, points of curves, plain series, and what report plug-ins of a bench add. Also finds the
 * metric that stands for its bench.
 */
#include "tools/base/texts.h"
#include "tools/present/metrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/memory/names.h"
#include "bench/network/names.h"
#include "bench/system/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/present/report_plugin.h"
#include "tools/run/curves.h"
#include "tools/run/run_kind.h"
#include "tools/run/series.h"
#include "tools/stats/summary.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- lists of metrics ---- */

struct metric *metrics_add(struct metrics *metrics, const struct run_bench *bench,
                           const char *series, const char *x)
{
    char pass[16] = "";
    char name[METRIC_NAME_MAX];

    if (bench->pass > 1) {
        snprintf(pass, sizeof(pass), ":%" PRIu32, bench->pass);
    }
    snprintf(name, sizeof(name), "%s%s.%s%s%s%s", bench->name, pass, series, x != NULL ? "[" : "",
             x != NULL ? x : "", x != NULL ? "]" : "");
    struct metric *metric = ALLOC_NEXT(metrics->item, metrics->count, metrics->capacity);

    *metric = (struct metric){
        .name = alloc_zeroed(strlen(name) + 1),
        .bench = bench->name,
        .series = series,
        .pass = bench->pass,
        .unit = UNIT_TICK,
        .x = NAN,
        .greatest_low = NAN,
        .greatest_high = NAN,
        .greatest_at = NAN,
    };
    memcpy(metric->name, name, strlen(name));
    return metric;
}

void metric_set(struct metric *metric, const int64_t *samples, size_t n)
{
    metric->n = n;
    metric->values = alloc_zeroed(n * sizeof(*metric->values));
    for (size_t i = 0; i < n; i++) {
        metric->values[i] = (double)samples[i];
    }
}

void metric_of_waits(const struct metrics *metrics, const struct run_bench *bench,
                     struct metric *metric)
{
    (void)bench;
    if (metrics->ticks_per_instruction <= 0 || metrics->ns_per_tick <= 0 ||
        strcmp(metric->unit, UNIT_TICK) != 0) {
        return;
    }
    metric->unit = UNIT_NANOSECOND;
    for (size_t i = 0; i < metric->n; i++) {
        metric->values[i] *= metrics->ns_per_tick;
    }
}

void metric_of_device(const struct metrics *metrics, const struct run_bench *bench,
                      struct metric *metric)
{
    metric_of_waits(metrics, bench, metric);
    metric->modelled = run_is_modelled(bench) && strstr(metric->series, "." PATH_LOOPBACK) == NULL;
}

void metric_of_law(const struct metrics *metrics, const struct run_bench *bench,
                   struct metric *metric, const char *name, const char *const *laws, size_t count)
{
    const size_t length = strlen(name);

    metric_of_device(metrics, bench, metric);
    if (metric->n == 0 || metric->law != NULL || strncmp(metric->series, name, length) != 0 ||
        metric->series[length] != '.') {
        return;
    }
    const double scale = strcmp(metric->unit, UNIT_NANOSECOND) == 0 ? metrics->ns_per_tick : 1;
    double *sums = alloc_zeroed(metric->n * sizeof(*sums));

    for (size_t k = 0; k < count; k++) {
        const struct run_series *series =
            run_series_named(bench, "%s%s", laws[k], metric->series + length);

        if (series == NULL || series->n != metric->n || !run_series_whole(series)) {
            free(sums);
            return;
        }
        for (size_t i = 0; i < metric->n; i++) {
            sums[i] += scale * (double)series->samples[i];
        }
    }
    metric->law = sums;
}

void metrics_free(struct metrics *metrics)
{
    for (size_t i = 0; i < metrics->count; i++) {
        free(metrics->item[i].name);
        free(metrics->item[i].values);
        free(metrics->item[i].law);
        free(metrics->item[i].cold);
    }
    free(metrics->item);
    *metrics = (struct metrics){0};
}

/* ---- what is a metric ---- */

/* Returns whether the series only places or calibrates others. */
static bool is_placing(const struct run_bench *bench, const char *series)
{
    const struct report_plugin *plugin = NULL;

    while ((plugin = report_plugin_next(plugin, bench)) != NULL) {
        if (plugin->metrics.places != NULL && plugin->metrics.places(series)) {
            return true;
        }
    }
    return false;
}

static bool has_unit(const struct run_series *series, const char *unit)
{
    return strcmp(series->unit != NULL ? series->unit : UNIT_TICK, unit) == 0;
}

static bool has_costs(const struct run_bench *bench)
{
    const char *group = bench->group != NULL ? bench->group : "";

    return strcmp(group, GROUP_SYSTEM) == 0 || strcmp(group, GROUP_MEMORY) == 0;
}

/* Returns whether the series is the loop or `empty` around costs. */
static bool is_frame(const struct run_bench *bench, const char *series)
{
    return has_costs(bench) &&
           strcmp(series, costs_are_pairs(bench, series) ? SERIES_LOOP : SERIES_EMPTY) == 0;
}

static bool is_metric(const struct run_bench *bench, const struct run_series *series)
{
    return !is_frame(bench, series->name) && series->of == NULL &&
           (has_unit(series, UNIT_TICK) || has_unit(series, UNIT_HZ)) && run_series_whole(series) &&
           !text_ends(series->name, SUFFIX_X) && !text_ends(series->name, SUFFIX_N) &&
           !text_ends(series->name, SUFFIX_TWICE) && !is_placing(bench, series->name);
}

/* Lets the bench's plug-ins adjust what a metric is: its unit, its work. */
static void adjust(const struct metrics *metrics, const struct run_bench *bench,
                   struct metric *metric)
{
    const struct report_plugin *plugin = NULL;

    while ((plugin = report_plugin_next(plugin, bench)) != NULL) {
        if (plugin->metrics.adjust != NULL) {
            plugin->metrics.adjust(metrics, bench, metric);
        }
    }
}

/* ---- costs and plain series ---- */

/* Returns the values of one repetition, which the caller frees, or NULL if they are incomplete. */
static double *cost_values(const struct run_bench *bench, const struct run_series *series,
                           bool pairs, size_t *n)
{
    if (pairs) {
        return costs_read(bench, series->name, n);
    }
    double *values = alloc_zeroed(series->received * sizeof(*values));

    *n = series->received;
    for (size_t i = 0; i < *n; i++) {
        values[i] = (double)series->samples[i];
    }
    return values;
}

/* Adds the costs of one repetition, less the costs of the loop or of `empty` around them. */
static void add_cost(struct metrics *metrics, const struct run_bench *bench,
                     const struct run_series *series)
{
    const char *around = costs_around(bench, series->name);
    const bool pairs = costs_are_pairs(bench, series->name);
    size_t n = 0;
    size_t frame_count = 0;
    double *values = cost_values(bench, series, pairs, &n);
    double *frame = around != NULL
                        ? cost_values(bench, run_find_series(bench, around), pairs, &frame_count)
                        : NULL;

    if (values == NULL || (around != NULL && frame == NULL)) {
        free(values);
        free(frame);
        return;
    }
    const double less = frame != NULL ? summary_quantile(frame, frame_count, 0.5) : 0;
    struct metric *metric = metrics_add(metrics, bench, series->name, NULL);

    for (size_t i = 0; i < n; i++) {
        values[i] -= less;
    }
    metric->values = values;
    metric->n = n;
    free(frame);
}

static void add_plain(struct metrics *metrics, const struct run_bench *bench,
                      const struct run_series *series)
{
    if (series->n == 0) {
        return;
    }
    struct metric *metric = metrics_add(metrics, bench, series->name, NULL);

    metric->samples = series;
    metric_set(metric, series->samples, series->n);
    if (has_unit(series, UNIT_HZ)) {
        metric->unit = UNIT_HZ;
        metric->better = METRIC_NEITHER;
    }
    adjust(metrics, bench, metric);
}

/* ---- curves ---- */

static const char *x_text(const struct run_series *x, int64_t value, char text[METRIC_X_MAX])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    size_t unit = 0;

    if (!has_unit(x, UNIT_BYTE) && !has_unit(x, UNIT_B)) {
        snprintf(text, METRIC_X_MAX, "%" PRId64, value);
        return text;
    }
    while (unit + 1 < COUNT(units) && value != 0 && value % 1024 == 0) {
        value /= 1024;
        unit++;
    }
    snprintf(text, METRIC_X_MAX, "%" PRId64 "%s", value, units[unit]);
    return text;
}

static void add_curve(struct metrics *metrics, const struct run_bench *bench,
                      const struct run_series *series)
{
    char text[METRIC_X_MAX];
    struct curve curve;

    if (!curve_read(bench, series->name, &curve)) {
        return;
    }
    const struct run_series *x = run_series_named(bench, "%s" SUFFIX_X, series->name);

    for (size_t i = 0; i < curve.points; i++) {
        struct metric *metric =
            metrics_add(metrics, bench, series->name, x_text(x, curve.x[i], text));

        metric->x = (double)curve.x[i];
        metric->x_unit = x->unit != NULL ? x->unit : "";
        metric->n = curve.trials;
        metric->values = alloc_zeroed(curve.trials * sizeof(*metric->values));
        memcpy(metric->values, curve.cost + i * curve.trials,
               curve.trials * sizeof(*metric->values));
        adjust(metrics, bench, metric);
    }
    curve_free(&curve);
}

/* ---- all ---- */

static bool is_curve(const struct run_bench *bench, const char *series)
{
    return run_series_named(bench, "%s" SUFFIX_X, series) != NULL;
}

/* Lets a plug-in of the bench make the series into metrics. Returns false if none does. */
static bool add_by_reading(struct metrics *metrics, const struct run_bench *bench,
                           const struct run_series *series)
{
    const struct report_plugin *plugin = NULL;

    while ((plugin = report_plugin_next(plugin, bench)) != NULL) {
        if (plugin->metrics.series != NULL && plugin->metrics.series(metrics, bench, series)) {
            return true;
        }
    }
    return false;
}

/* Adds a metric without values for a series of too many samples. */
static void add_unread(struct metrics *metrics, const struct run_bench *bench,
                       const struct run_series *series)
{
    struct metric *metric = metrics_add(metrics, bench, series->name, NULL);

    metric->samples = is_curve(bench, series->name) || has_costs(bench) ? NULL : series;
    metric->unit = series->unit != NULL ? series->unit : UNIT_TICK;
    metric->better = has_unit(series, UNIT_HZ) ? METRIC_NEITHER : METRIC_LESS;
    metric->n = series->n;
}

static void add_series(struct metrics *metrics, const struct run_bench *bench,
                       const struct run_series *series, size_t most)
{
    if (!is_metric(bench, series)) {
        return;
    }
    if (series->n > most) {
        add_unread(metrics, bench, series);
    } else if (add_by_reading(metrics, bench, series)) {
        return;
    } else if (is_curve(bench, series->name)) {
        add_curve(metrics, bench, series);
    } else if (has_costs(bench) && series->n > 0) {
        add_cost(metrics, bench, series);
    } else {
        add_plain(metrics, bench, series);
    }
}

/* Adds metrics that are not series of the bench. */
static void add_others(struct metrics *metrics, const struct run_bench *bench)
{
    const struct report_plugin *plugin = NULL;

    while ((plugin = report_plugin_next(plugin, bench)) != NULL) {
        if (plugin->metrics.others != NULL) {
            plugin->metrics.others(metrics, bench);
        }
    }
}

static uint64_t samples_of(const struct run_bench *bench)
{
    uint64_t samples = 0;

    for (size_t i = 0; i < bench->series_count; i++) {
        samples += bench->series[i].n;
    }
    return samples;
}

/* If memory is bounded, drops samples that were read from files. */
static void forget_samples(const struct run_bench *bench, const struct metrics_bounds *bounds)
{
    for (size_t i = 0; i < bench->series_count && bounds->samples != UINT64_MAX; i++) {
        samples_forget(&bench->series[i], 0, bench->series[i].received);
    }
}

void metrics_within(const struct run *run, const struct metrics_bounds *bounds,
                    struct metrics *metrics)
{
    uint64_t samples = 0;

    *metrics = (struct metrics){.run = run,
                                .ns_per_tick = run_ns_per_tick(run),
                                .ticks_per_instruction = run_ticks_per_instruction(run)};
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        for (size_t k = 0; k < bench->series_count; k++) {
            add_series(metrics, bench, &bench->series[k], bounds->values);
        }
        samples += samples_of(bench);
        if (run_trace_records(bench) <= bounds->records && samples <= bounds->samples) {
            add_others(metrics, bench);
        } else if (bench->trace_count > 0) {
            metrics_add(metrics, bench, METRIC_LEFT_OUT, NULL);
        }
        forget_samples(bench, bounds);
    }
}

void metrics_of(const struct run *run, struct metrics *metrics)
{
    metrics_within(run, &(struct metrics_bounds){SIZE_MAX, UINT64_MAX, UINT64_MAX}, metrics);
}

/* ---- one of them ---- */

/* Returns the bench that "FAMILY.BENCH" names, in its first pass, or NULL. */
static const struct run_bench *find_family(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];
        const size_t length = bench->group != NULL ? strlen(bench->group) : 0;

        if (length > 0 && strncmp(name, bench->group, length) == 0 && name[length] == '.' &&
            strcmp(name + length + 1, bench->name) == 0) {
            return bench;
        }
    }
    return NULL;
}

/* Returns the name without bench and point, such as the middle part of
 * "burst.response.key_down[fast]". */
static const char *middle_of(const struct metric *metric, size_t *length)
{
    const char *dot = strchr(metric->name, '.');
    const char *middle = dot != NULL ? dot + 1 : metric->name;

    *length = strcspn(middle, "[");
    return middle;
}

/* Returns the last of the bench's metrics of that name: for a curve, its last point. */
static const struct metric *last_of(const struct metrics *metrics, const struct run_bench *bench,
                                    const char *name, size_t length)
{
    const struct metric *last = NULL;

    for (size_t i = 0; i < metrics->count; i++) {
        const struct metric *metric = &metrics->item[i];
        size_t own_length;
        const char *own = middle_of(metric, &own_length);

        if (strcmp(metric->bench, bench->name) == 0 && metric->pass == bench->pass &&
            own_length == length && memcmp(own, name, length) == 0) {
            last = metric;
        }
    }
    return last;
}

/* Returns the first metric of the list "a,b" that the bench has, or NULL. */
static const struct metric *first_listed(const struct metrics *metrics,
                                         const struct run_bench *bench, const char *list)
{
    const struct metric *metric = NULL;

    while (metric == NULL && *list != '\0') {
        const size_t length = strcspn(list, ",");

        metric = last_of(metrics, bench, list, length);
        list += length + (list[length] == ',');
    }
    return metric;
}

static const struct metric *own_or_first(const struct metrics *metrics,
                                         const struct run_bench *bench)
{
    const struct metric *first = NULL;

    for (size_t i = 0; i < metrics->count; i++) {
        const struct metric *metric = &metrics->item[i];

        if (strcmp(metric->bench, bench->name) != 0 || metric->pass != bench->pass) {
            continue;
        }
        if (strcmp(metric->series, bench->name) == 0) {
            return metric;
        }
        first = first == NULL ? metric : first;
    }
    return first;
}

const struct metric *metrics_main(const struct metrics *metrics, const struct run_bench *bench)
{
    const struct report_plugin *plugin = NULL;
    const struct metric *metric = NULL;

    while (metric == NULL && (plugin = report_plugin_next(plugin, bench)) != NULL) {
        metric = plugin->metrics.main != NULL ? first_listed(metrics, bench, plugin->metrics.main)
                                              : NULL;
    }
    if (metric == NULL) {
        metric = own_or_first(metrics, bench);
    }
    if (metric != NULL) {
        size_t length;
        const char *middle = middle_of(metric, &length);

        metric = last_of(metrics, bench, middle, length);
    }
    return metric;
}

const struct metric *metrics_find(const struct metrics *metrics, const char *name)
{
    for (size_t i = 0; i < metrics->count; i++) {
        if (strcmp(metrics->item[i].name, name) == 0) {
            return &metrics->item[i];
        }
    }
    const struct run_bench *bench = find_family(metrics->run, name);

    return bench != NULL ? own_or_first(metrics, bench) : NULL;
}
