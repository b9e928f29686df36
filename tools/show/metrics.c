/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/metrics.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/idle/names.h"
#include "bench/interactive/names.h"
#include "bench/memory/names.h"
#include "bench/noise/names.h"
#include "bench/system/names.h"
#include "bench/tasks/names.h"
#include "kernel/input/event.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/bench/interactive/interactive.h"
#include "tools/bench/noise/gap_bench.h"
#include "tools/bench/processors/processors.h"
#include "tools/run/curves.h"
#include "tools/stats/summary.h"

#define NAME_MAX_BYTES 192
#define X_MAX          48
#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))

/* ---- what is a metric ---- */

/* Series in ticks that only place or calibrate others, of all benches, or of one. */
static const struct {
    const char *bench; /* NULL: of all */
    const char *series;
} placing[] = {
    {NULL, SERIES_INTENDED},
    {NULL, SERIES_WRITTEN},
    {NULL, SERIES_STAMP_FROM},
    {NULL, SERIES_STAMP_TO},
    {NULL, SERIES_IDLE},
    {NULL, SERIES_HISTOGRAM_BOUND},
    {BENCH_GAP, SERIES_GAP_TIME},
    {BENCH_LOAD, SERIES_LOAD_SAMPLES},
    {BENCH_LOAD, SERIES_LOAD_ENTRY},
    {BENCH_LOAD, SERIES_LOAD_WORK},
    {BENCH_ALIASING, SERIES_HIDDEN},
    {BENCH_ALIASING, SERIES_SEEN},
    {BENCH_IDLE, SERIES_HANDLER_START},
};

/* Of bench ipi: a series a processor. */
static bool is_skew(const char *series)
{
    return strncmp(series, SERIES_SKEW ".", sizeof(SERIES_SKEW)) == 0 ||
           strncmp(series, SERIES_SKEW_BOUND ".", sizeof(SERIES_SKEW_BOUND)) == 0;
}

static bool is_placing(const struct run_bench *bench, const char *series)
{
    for (size_t i = 0; i < COUNT(placing); i++) {
        if (strcmp(series, placing[i].series) == 0 &&
            (placing[i].bench == NULL || strcmp(bench->name, placing[i].bench) == 0)) {
            return true;
        }
    }
    return is_skew(series);
}

static bool ends_with(const char *name, const char *suffix)
{
    const size_t length = strlen(name);
    const size_t end = strlen(suffix);

    return length > end && strcmp(name + length - end, suffix) == 0;
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

/* The loop or `empty` around costs. */
static bool is_frame(const struct run_bench *bench, const char *series)
{
    return has_costs(bench) &&
           strcmp(series, costs_are_pairs(bench, series) ? SERIES_LOOP : SERIES_EMPTY) == 0;
}

static bool is_metric(const struct run_bench *bench, const struct run_series *series)
{
    return !is_frame(bench, series->name) && series->of == NULL &&
           (has_unit(series, UNIT_TICK) || has_unit(series, UNIT_HZ)) && run_series_whole(series) &&
           !ends_with(series->name, SUFFIX_X) && !ends_with(series->name, SUFFIX_N) &&
           !ends_with(series->name, SUFFIX_TWICE) && !is_placing(bench, series->name);
}

/* ---- list ---- */

/* "BENCH.SERIES[X]", with the pass where it is not the first; x: NULL: none. */
static struct metric *add_metric(struct metrics *metrics, const struct run_bench *bench,
                                 const char *series, const char *x)
{
    char pass[16] = "";
    char name[NAME_MAX_BYTES];

    if (bench->pass > 1) {
        snprintf(pass, sizeof(pass), ":%" PRIu32, bench->pass);
    }
    snprintf(name, sizeof(name), "%s%s.%s%s%s%s", bench->name, pass, series, x != NULL ? "[" : "",
             x != NULL ? x : "", x != NULL ? "]" : "");
    metrics->item =
        alloc_append(metrics->item, &metrics->count, &metrics->capacity, sizeof(*metrics->item));
    struct metric *metric = &metrics->item[metrics->count - 1];

    *metric = (struct metric){
        .name = alloc_zeroed(strlen(name) + 1),
        .bench = bench->name,
        .series = series,
        .pass = bench->pass,
        .unit = UNIT_TICK,
        .x = NAN,
        .greatest_low = NAN,
        .greatest_high = NAN,
    };
    memcpy(metric->name, name, strlen(name));
    return metric;
}

static void set_values(struct metric *metric, const int64_t *samples, size_t n)
{
    metric->n = n;
    metric->values = alloc_zeroed(n * sizeof(*metric->values));
    for (size_t i = 0; i < n; i++) {
        metric->values[i] = (double)samples[i];
    }
}

static int64_t fact_or(const struct run_bench *bench, const char *name, int64_t otherwise)
{
    const struct run_fact *fact = run_find_fact(bench, name);

    return fact != NULL ? fact->value : otherwise;
}

/* ---- costs and plain series ---- */

static void take_off(double *values, size_t n, double *frame, size_t frame_count)
{
    summary_sort(frame, frame_count);
    const double less = summary_quantile_of(frame, frame_count, 0.5);

    for (size_t i = 0; i < n; i++) {
        values[i] -= less;
    }
}

/* Costs of one repetition, less those of the loop or of `empty` around them. */
static void add_cost(struct metrics *metrics, const struct run_bench *bench,
                     const struct run_series *series)
{
    const char *around = costs_around(bench, series->name);
    const bool is_cost = costs_are_pairs(bench, series->name);
    size_t n = series->n;
    size_t frame_count = 0;
    double *values = is_cost ? costs_read(bench, series->name, &n) : NULL;
    double *frame = is_cost && around != NULL ? costs_read(bench, around, &frame_count) : NULL;

    if (is_cost && (values == NULL || (around != NULL && frame == NULL))) {
        free(values);
        free(frame);
        return;
    }
    struct metric *metric = add_metric(metrics, bench, series->name, NULL);

    if (is_cost) {
        metric->values = values;
        metric->n = n;
    } else {
        set_values(metric, series->samples, n);
    }
    if (!is_cost && around != NULL) {
        const struct run_series *empty = run_find_series(bench, around);

        frame_count = empty->received;
        frame = alloc_zeroed(frame_count * sizeof(*frame));
        for (size_t i = 0; i < frame_count; i++) {
            frame[i] = (double)empty->samples[i];
        }
    }
    if (frame != NULL) {
        take_off(metric->values, metric->n, frame, frame_count);
    }
    free(frame);
}

/* Of the idle loop: a fixed number of iterations, which each run finds for itself. */
static double work_of(const struct run_bench *bench, const char *series)
{
    const bool calibrated =
        strcmp(series, SERIES_FLOOR) == 0 || strcmp(series, SERIES_TICKING) == 0;

    return calibrated && strcmp(bench->name, BENCH_IDLE) == 0
               ? (double)fact_or(bench, FACT_INNER_ITERATIONS, 0)
               : 0;
}

static void add_plain(struct metrics *metrics, const struct run_bench *bench,
                      const struct run_series *series)
{
    if (series->n == 0) {
        return;
    }
    struct metric *metric = add_metric(metrics, bench, series->name, NULL);

    set_values(metric, series->samples, series->n);
    metric->work = work_of(bench, series->name);
    if (has_unit(series, UNIT_HZ)) {
        metric->unit = UNIT_HZ;
        metric->better = METRIC_NEITHER;
    }
}

/* ---- curves ---- */

static const char *x_text(const struct run_series *x, int64_t value, char text[X_MAX])
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB"};
    size_t unit = 0;

    if (!has_unit(x, UNIT_BYTE) && !has_unit(x, UNIT_B)) {
        snprintf(text, X_MAX, "%" PRId64, value);
        return text;
    }
    while (unit + 1 < COUNT(units) && value != 0 && value % 1024 == 0) {
        value /= 1024;
        unit++;
    }
    snprintf(text, X_MAX, "%" PRId64 "%s", value, units[unit]);
    return text;
}

/* Ticks of so many bytes into bytes a second, an instruction or a tick. Trials that cost nothing
 * have no such. */
static void to_bandwidth(const struct metrics *metrics, struct metric *metric, double bytes)
{
    size_t kept = 0;

    for (size_t i = 0; i < metric->n; i++) {
        const double ticks = metric->values[i];

        if (ticks <= 0) {
            continue;
        }
        metric->values[kept++] =
            metrics->ticks_per_instruction > 0 ? bytes * metrics->ticks_per_instruction / ticks
            : metrics->ns_per_tick > 0         ? bytes * 1e3 / (ticks * metrics->ns_per_tick)
                                               : bytes / ticks;
    }
    metric->n = kept;
    metric->better = METRIC_MORE;
    metric->unit = metrics->ticks_per_instruction > 0 ? "B/instruction"
                   : metrics->ns_per_tick > 0         ? UNIT_MB_PER_S
                                                      : "B/tick";
}

static void add_curve(struct metrics *metrics, const struct run_bench *bench,
                      const struct run_series *series)
{
    char name[NAME_MAX_BYTES];
    char text[X_MAX];
    struct curve curve;

    if (!curve_read(bench, series->name, &curve)) {
        return;
    }
    snprintf(name, sizeof(name), "%s" SUFFIX_X, series->name);
    const struct run_series *x = run_find_series(bench, name);

    for (size_t i = 0; i < curve.points; i++) {
        struct metric *metric =
            add_metric(metrics, bench, series->name, x_text(x, curve.x[i], text));

        metric->x = (double)curve.x[i];
        metric->x_unit = x->unit != NULL ? x->unit : "";
        metric->n = curve.trials;
        metric->values = alloc_zeroed(curve.trials * sizeof(*metric->values));
        memcpy(metric->values, curve.cost + i * curve.trials,
               curve.trials * sizeof(*metric->values));
        if (strcmp(bench->name, BENCH_BANDWIDTH) == 0) {
            to_bandwidth(metrics, metric, (double)curve.x[i]);
        }
    }
    curve_free(&curve);
}

/* ---- cache lines from processor to processor ---- */

static void add_pair(struct metrics *metrics, const struct run_bench *bench,
                     const struct run_series *series, const struct line_matrix *matrix, size_t a,
                     size_t b)
{
    const size_t first = (a * matrix->count + b) * matrix->trials;
    const double repetitions = (double)fact_or(bench, FACT_REPETITIONS, 1);
    char text[X_MAX];

    snprintf(text, sizeof(text), "%" PRId64 "-%" PRId64, matrix->number[a], matrix->number[b]);
    struct metric *metric = add_metric(metrics, bench, series->name, text);

    set_values(metric, series->samples + first, matrix->trials);
    for (size_t i = 0; i < metric->n; i++) {
        metric->values[i] /= repetitions;
    }
}

static void add_matrix(struct metrics *metrics, const struct run_bench *bench,
                       const struct run_series *series)
{
    struct line_matrix matrix;

    if (!line_matrix_read(bench, series->name, &matrix)) {
        return;
    }
    for (size_t a = 0; a < matrix.count; a++) {
        for (size_t b = 0; b < matrix.count; b++) {
            if (a != b) {
                add_pair(metrics, bench, series, &matrix, a, b);
            }
        }
    }
    line_matrix_free(&matrix);
}

/* ---- gaps ---- */

/* The bin of the image's histogram that holds the greatest gap: 16 bins an octave. */
static void greatest_by_histogram(const struct run_bench *bench, double *low, double *high)
{
    const struct run_series *bound = run_find_series(bench, SERIES_HISTOGRAM_BOUND);

    *low = NAN;
    *high = NAN;
    if (bound == NULL || bound->n == 0 || !run_series_whole(bound)) {
        return;
    }
    const double last = (double)bound->samples[bound->n - 1];
    const double octave = last >= 16 ? exp2(floor(log2(last))) : 16;

    *low = last;
    *high = last + octave / 16 - 1;
}

/* Gaps above the threshold. Of those below it the histogram tells. */
static void add_gaps(struct metrics *metrics, const struct run_bench *bench,
                     const struct run_series *series)
{
    const struct run_fact *threshold = run_find_fact(bench, FACT_THRESHOLD);
    const struct run_fact *unkept = run_find_fact(bench, FACT_UNKEPT);
    struct metric *metric = add_metric(metrics, bench, series->name, NULL);

    set_values(metric, series->samples, series->n);
    metric->observed = (double)(fact_or(bench, FACT_GAP_ELAPSED, 0) - fact_or(bench, FACT_DEAD, 0));
    metric->unkept = gap_unkept_of(bench);
    greatest_by_histogram(bench, &metric->greatest_low, &metric->greatest_high);
    if (unkept == NULL || unkept->value != 0) {
        return;
    }
    if (metric->n > 0) {
        metric->greatest_low = metric->values[0];
        for (size_t i = 1; i < metric->n; i++) {
            metric->greatest_low = fmax(metric->greatest_low, metric->values[i]);
        }
        metric->greatest_high = metric->greatest_low;
    } else if (threshold != NULL) {
        metric->greatest_high = fmin(metric->greatest_high, (double)threshold->value);
    }
}

/* ---- input events ---- */

struct span {
    const char *name;
    bool (*of)(const struct interactive_event *event, uint64_t *ticks);
};

static const struct span spans[] = {{"service", interactive_service},
                                    {"response", interactive_response}};

/* Events of one kind, and of one phase where the bench has phases. */
struct selection {
    unsigned kind;
    const struct interactive_phase *phase; /* NULL: the bench has none */
};

static bool is_selected(const struct interactive_event *event, const struct selection *selection)
{
    return event->came && event->kind == selection->kind &&
           (selection->phase == NULL ||
            (event->has_phase && event->phase == selection->phase->phase));
}

static bool any_selected(const struct interactive *interactive, const struct span *span,
                         const struct selection *selection)
{
    uint64_t ticks;

    for (size_t i = 0; i < interactive->count; i++) {
        if (is_selected(&interactive->events[i], selection) &&
            span->of(&interactive->events[i], &ticks)) {
            return true;
        }
    }
    return false;
}

static void add_events(struct metrics *metrics, const struct run_bench *bench,
                       const struct interactive *interactive, const struct span *span,
                       const struct selection *selection)
{
    const struct interactive_phase *phase = selection->phase;
    char series[NAME_MAX_BYTES];
    char number[X_MAX];

    if (!any_selected(interactive, span, selection)) {
        return;
    }
    snprintf(series, sizeof(series), "%s.%s", span->name, input_kind_name(selection->kind));
    snprintf(number, sizeof(number), "%u", phase != NULL ? phase->phase : 0U);
    struct metric *metric = add_metric(metrics, bench, series,
                                       phase == NULL         ? NULL
                                       : phase->name != NULL ? phase->name
                                                             : number);

    metric->series = span->name;
    metric->values = alloc_zeroed(interactive->count * sizeof(*metric->values));
    metric->cold = alloc_zeroed(interactive->count * sizeof(*metric->cold));
    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];
        uint64_t ticks;

        if (!is_selected(event, selection) || !span->of(event, &ticks)) {
            continue;
        }
        if (event->cold) {
            metric->cold[metric->cold_count++] = (double)(int64_t)ticks;
        } else {
            metric->values[metric->n++] = (double)(int64_t)ticks;
        }
    }
}

static void add_kind(struct metrics *metrics, const struct run_bench *bench,
                     const struct interactive *interactive, unsigned kind)
{
    for (size_t i = 0; i < COUNT(spans); i++) {
        if (interactive->phase_count == 0) {
            add_events(metrics, bench, interactive, &spans[i], &(struct selection){kind, NULL});
        }
        for (size_t k = 0; k < interactive->phase_count; k++) {
            add_events(metrics, bench, interactive, &spans[i],
                       &(struct selection){kind, &interactive->phases[k]});
        }
    }
}

static void add_input(struct metrics *metrics, const struct run_bench *bench)
{
    struct interactive interactive;

    if (bench->group == NULL || strcmp(bench->group, GROUP_INTERACTIVE) != 0 ||
        bench->trace_count == 0) {
        return;
    }
    if (interactive_read(&interactive, bench)) {
        for (unsigned kind = 0; input_kind_name(kind) != NULL; kind++) {
            add_kind(metrics, bench, &interactive, kind);
        }
    }
    interactive_free(&interactive);
}

/* ---- all ---- */

static bool is_curve(const struct run_bench *bench, const char *series)
{
    char name[NAME_MAX_BYTES];

    snprintf(name, sizeof(name), "%s" SUFFIX_X, series);
    return run_find_series(bench, name) != NULL;
}

static void add_series(struct metrics *metrics, const struct run_bench *bench,
                       const struct run_series *series)
{
    if (!is_metric(bench, series)) {
        return;
    }
    if (strcmp(series->name, SERIES_GAP_LENGTH) == 0) {
        add_gaps(metrics, bench, series);
    } else if (strcmp(bench->name, BENCH_LINES) == 0) {
        add_matrix(metrics, bench, series);
    } else if (is_curve(bench, series->name)) {
        add_curve(metrics, bench, series);
    } else if (has_costs(bench) && series->n > 0) {
        add_cost(metrics, bench, series);
    } else {
        add_plain(metrics, bench, series);
    }
}

void metrics_of(const struct run *run, struct metrics *metrics)
{
    *metrics = (struct metrics){.run = run,
                                .ns_per_tick = run_ns_per_tick(run),
                                .ticks_per_instruction = run_ticks_per_instruction(run)};
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        for (size_t k = 0; k < bench->series_count; k++) {
            add_series(metrics, bench, &bench->series[k]);
        }
        add_input(metrics, bench);
    }
}

void metrics_free(struct metrics *metrics)
{
    for (size_t i = 0; i < metrics->count; i++) {
        free(metrics->item[i].name);
        free(metrics->item[i].values);
        free(metrics->item[i].cold);
    }
    free(metrics->item);
    *metrics = (struct metrics){0};
}

/* "FAMILY.BENCH" of a bench of the run, in its first pass. */
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

static const struct metric *main_metric(const struct metrics *metrics,
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

const struct metric *metrics_find(const struct metrics *metrics, const char *name)
{
    for (size_t i = 0; i < metrics->count; i++) {
        if (strcmp(metrics->item[i].name, name) == 0) {
            return &metrics->item[i];
        }
    }
    const struct run_bench *bench = find_family(metrics->run, name);

    return bench != NULL ? main_metric(metrics, bench) : NULL;
}
