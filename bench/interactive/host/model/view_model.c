/* SPDX-License-Identifier: BSD-2-Clause */
/* Shows bench model: responses and waits, the kernel's own costs, and the order of services. */
#include "bench/interactive/host/model/view_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/latency.h"
#include "bench/interactive/names.h"
#include "bench/tasks/host/task_benches.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/table.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/sim/model/program.h"
#include "tools/stats/statistics.h"
#include "tools/stats/summary.h"

static const char cost_prefix[] = "cost.";

static bool is_cost(const struct run_series *series)
{
    return strncmp(series->name, cost_prefix, strlen(cost_prefix)) == 0;
}

/* Returns whether the series holds durations of the model: not costs, codes or counts of events. */
static bool is_length(const struct run_series *series)
{
    return series->of == NULL && series->unit != NULL && strcmp(series->unit, UNIT_TICK) == 0 &&
           !is_cost(series);
}

/* Adds a row. `whole`: with tail and mean. */
static void add_spread(struct table *table, const struct view *view, const char *name,
                       const struct run_series *series, bool whole)
{
    double *values = alloc_zeroed(series->received * sizeof(*values));
    struct summary summary;

    for (size_t i = 0; i < series->received; i++) {
        values[i] = (double)series->samples[i];
    }
    summary_of(values, series->received, &summary);
    free(values);
    table_line(table, "%s\t%zu", name, series->received);
    if (summary.n == 0) {
        return;
    }
    cell_span(table, view, true, summary.min);
    cell_span(table, view, summary.median.reported, summary.median.value);
    if (whole) {
        cell_span(table, view, summary.p90.reported, summary.p90.value);
        cell_span(table, view, summary.p99.reported, summary.p99.value);
    }
    cell_span(table, view, true, summary.max);
    if (whole) {
        cell_span(table, view, true, summary.mean);
    }
}

static void print_lengths(const struct view *view, const struct run_bench *bench)
{
    struct table table;

    table_open(&table, "lrrrrrrr", "series\tn\tmin\tmedian\tp90\tp99\tmax\tmean");
    for (size_t i = 0; i < bench->series_count; i++) {
        if (is_length(&bench->series[i])) {
            add_spread(&table, view, bench->series[i].name, &bench->series[i], true);
        }
    }
    fprintf(view->out,
            "\n  responses: from the intended time to the end of a pass; waits: from the\n  "
            "intended time to the first service%s\n",
            span_note(view));
    table_print(&table, view->out, 2);
}

static void print_costs(const struct view *view, const struct run_bench *bench)
{
    struct table table;
    size_t count = 0;

    table_open(&table, "lrrrr", "cost\tn\tmin\tmedian\tmax");
    for (size_t i = 0; i < bench->series_count; i++) {
        if (is_cost(&bench->series[i])) {
            add_spread(&table, view, bench->series[i].name + strlen(cost_prefix), &bench->series[i],
                       false);
            count++;
        }
    }
    if (count == 0) {
        table_free(&table);
        return;
    }
    fprintf(view->out, "\n  costs of the kernel's own work, as measured%s\n", span_note(view));
    table_print(&table, view->out, 2);
}

/* Prints the overhead that `tare sim --overheads` computes from the same costs, in the unit of the
 * lengths above. */
static void print_overhead(const struct view *view, const struct run_bench *bench)
{
    /* one unit of this model is a tick of the run */
    const struct sim_model tick = {.unit_ns = view->ns_per_tick};
    struct sim_overhead overhead;
    char why[SIM_OVERHEAD_ERROR_MAX];
    double below;

    if (view->ns_per_tick <= 0) {
        return;
    }
    if (!sim_program_overhead(view->run, bench, &tick, &overhead, &below, why)) {
        fputc('\n', view->out);
        print_field(view->out, 10, "overhead", why);
        return;
    }
    fprintf(view->out,
            "\n  overhead of each step, computed from these costs; a send goes to a process of the "
            "same "
            "level%s\n",
            span_note(view));
    for (enum sim_overhead_part i = 0; i < SIM_OVERHEAD_PARTS; i++) {
        char text[AMOUNT_MAX];

        print_field(view->out, 10, sim_overhead_name(i),
                    span_text(view, *sim_overhead_part(&overhead, i), text));
    }
}

void view_model(const struct view *view, const struct run_bench *bench)
{
    print_lengths(view, bench);
    print_costs(view, bench);
    print_overhead(view, bench);
    view_order(view, bench);
}

/* Metrics of a simulated run. Even if not all values were kept, the largest of all is known. */

static bool model_places(const char *series)
{
    return strncmp(series, PREFIX_WORST, strlen(PREFIX_WORST)) == 0 ||
           strncmp(series, PREFIX_WORST_AT, strlen(PREFIX_WORST_AT)) == 0;
}

static void set_greatest(const struct metrics *metrics, const struct run_bench *bench,
                         struct metric *metric)
{
    const struct run_fact *unkept = run_fact_named(bench, PREFIX_UNKEPT "%s", metric->series);
    const struct run_fact *largest = run_fact_named(bench, PREFIX_LARGEST "%s", metric->series);

    (void)metrics;
    if (unkept == NULL || unkept->value <= 0) {
        return;
    }
    metric->unkept = (uint64_t)unkept->value;
    if (largest != NULL) {
        metric->greatest_low = metric->greatest_high = (double)largest->value;
    }
}

PLUGIN_OF(model, .order = 500, .show = view_model, .place = PLUGIN_FOR_SERIES,
          .metrics = {.places = model_places, .adjust = set_greatest});

/* Draws bench model: how long responses took, and how long competing quanta waited. */

#define SECTION "Response times of the model"
#define PERCENT 100

static const char wait_prefix[] = SERIES_WAIT ".";

static bool is_wait(const struct run_series *series)
{
    return strncmp(series->name, wait_prefix, strlen(wait_prefix)) == 0;
}

static bool is_response(const struct run_series *series)
{
    return strcmp(series->name, SERIES_RESPONSE) == 0 ||
           strncmp(series->name, SERIES_RESPONSE ".", sizeof(SERIES_RESPONSE)) == 0;
}

static void add_histogram(struct figures *figures, const struct run *run,
                          const struct run_series *series)
{
    const struct figure_scale scale =
        figure_length_scale(run, (double)statistics_median(series->samples, series->n));
    struct figure *figure = figure_add(figures, FIGURE_HISTOGRAM, SECTION, series->name,
                                       "model-histogram-%s", series->name);
    struct figure_series *bins = figure_add_series(figure, "passes");
    struct latency_bin bin[LATENCY_BINS_MAX];
    const size_t count =
        latency_histogram(series->samples, series->n, scale.per_tick, LATENCY_COARSE, bin);

    figure_axes(figure, "response", scale.unit, "passes", NULL);
    figure_how(figure,
               "%u passes, from the intended time of the stimulus to the end of its last "
               "portion",
               series->n);
    figure->x.logarithmic = count > 1 && bin[0].from > 0 && bin[count - 1].to > 10 * bin[0].from;
    for (size_t i = 0; i < count; i++) {
        figure_add_range(bins, (bin[i].from + bin[i].to) / 2, (double)bin[i].n, bin[i].from,
                         bin[i].to);
    }
}

/* Adds the part of samples that are longer or, with `upto`, not longer. */
static void add_curve(struct figure *figure, const struct run_series *series,
                      const struct figure_scale *scale, bool upto)
{
    struct figure_series *drawn = figure_add_series(figure, series->name);
    struct latency_curve curve;

    latency_curve_init(&curve, series->samples, series->n);
    for (size_t i = 0; i < series->n; i++) {
        const bool last = i + 1 == series->n;

        if (!last && curve.sorted[i + 1] == curve.sorted[i]) {
            continue;
        }
        const double part = (double)(i + 1) / (double)series->n;

        if (upto) {
            figure_add_point(drawn, (double)curve.sorted[i] * scale->per_tick, PERCENT * part);
        } else if (!last) {
            figure_add_point(drawn, (double)curve.sorted[i] * scale->per_tick,
                             PERCENT * (1 - part));
        }
    }
    latency_curve_free(&curve);
}

static bool is_drawn(const struct run_series *series, bool waits)
{
    return (waits ? is_wait(series) : is_response(series)) && series->n > 0 &&
           run_series_whole(series);
}

static const struct run_series *first_drawn(const struct run_bench *bench, bool waits)
{
    for (size_t i = 0; i < bench->series_count; i++) {
        if (is_drawn(&bench->series[i], waits)) {
            return &bench->series[i];
        }
    }
    return NULL;
}

/* Draws the curves of all series of one kind. */
static void add_curves(struct figures *figures, const struct run *run,
                       const struct run_bench *bench, bool waits)
{
    const struct run_series *first = first_drawn(bench, waits);

    if (first == NULL) {
        return;
    }
    const struct figure_scale scale =
        figure_length_scale(run, (double)statistics_median(first->samples, first->n));
    struct figure *figure = figure_add(figures, FIGURE_STEPS, SECTION,
                                       waits ? "Waiting times of competing quanta"
                                             : "Cumulative distribution of the response times",
                                       waits ? "model-waits" : "model-cumulative");

    figure_axes(figure, waits ? "wait" : "response", scale.unit,
                waits ? "share of quanta that wait longer" : "share of passes that are not longer",
                "%");
    figure_how(figure,
               waits
                   ? "Time from the arrival of a quantum to its first service, by priority level; "
                     "excludes the time in which the quantum was preempted"
                   : "Share of the passes whose response time is at most the value on the x axis");
    figure->y.logarithmic = waits;
    for (size_t i = 0; i < bench->series_count; i++) {
        if (is_drawn(&bench->series[i], waits)) {
            add_curve(figure, &bench->series[i], &scale, !waits);
        }
    }
}

void figures_model(struct figures *figures, const struct run *run)
{
    const struct run_bench *bench =
        figures_find_bench(figures, run, SECTION, "Responses", BENCH_MODEL);

    if (bench == NULL) {
        return;
    }
    if (first_drawn(bench, false) == NULL && first_drawn(bench, true) == NULL) {
        figure_add_torn(figures, SECTION, "Responses", BENCH_MODEL);
        return;
    }
    for (size_t i = 0; i < bench->series_count; i++) {
        if (is_drawn(&bench->series[i], false)) {
            add_histogram(figures, run, &bench->series[i]);
        }
    }
    add_curves(figures, run, bench, false);
    add_curves(figures, run, bench, true);
}

PLUGIN_REGISTER(figures_model) = {.order = 420, .figures = figures_model};

/* The statistics of a simulated model over its replications (tools/sim/results/sim_run.h), one row
 * each. */

#define MANY 1000 /* from here on, a value is printed without decimals */

static const char section[] = "Replications of a model";
static const char title[] = "Statistics over the replications";

struct moments {
    size_t n;
    /* `error` is the standard error of the mean; both are NAN for a single value */
    double mean, deviation, error;
    double least, greatest;
};

static struct moments moments_of(const struct run_series *series)
{
    struct moments moments = {.n = series->received, .least = INFINITY, .greatest = -INFINITY};
    double squares = 0;

    for (size_t i = 0; i < series->received; i++) {
        const double value = (double)series->samples[i];
        const double distance = value - moments.mean;

        moments.mean += distance / (double)(i + 1);
        squares += distance * (value - moments.mean);
        moments.least = fmin(moments.least, value);
        moments.greatest = fmax(moments.greatest, value);
    }
    moments.deviation = moments.n > 1 ? sqrt(squares / (double)(moments.n - 1)) : NAN;
    moments.error = moments.deviation / sqrt((double)moments.n);
    return moments;
}

/* Adds a cell. Samples are in ticks of 1 ns, in millionths, or counts. */
static void put(struct figure *figure, const char *unit, double value)
{
    char text[DURATION_MAX];

    if (isnan(value)) {
        figure_cell(figure, "n/a");
    } else if (strcmp(unit, UNIT_TICK) == 0) {
        figure_cell(figure, "%s", duration_text(value, text));
    } else if (strcmp(unit, UNIT_COUNT) == 0) {
        figure_cell(figure, fabs(value) < MANY ? "%.4g" : "%.0f", value);
    } else {
        figure_cell(figure, "%.4g%s", value / 1e6, strstr(unit, "percent") != NULL ? " %" : "");
    }
}

static void figures_replications(struct figures *figures, const struct run *run)
{
    const struct run_bench *bench =
        figures_find_bench(figures, run, section, title, "replications");

    if (bench == NULL) {
        return;
    }
    struct figure *figure = figure_add(figures, FIGURE_TABLE, section, title, "replications");

    figure_open(figure, "lrrrrrr", "statistic\tn\tmean\tstandard error\tdeviation\tmin\tmax");
    for (size_t i = 0; i < bench->series_count; i++) {
        const struct run_series *series = &bench->series[i];
        const struct moments moments = moments_of(series);
        const double numbers[] = {moments.mean, moments.error, moments.deviation, moments.least,
                                  moments.greatest};

        if (series->unit == NULL) {
            continue;
        }
        figure_cell(figure, "%s\t%zu", series->name, moments.n);
        for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++) {
            put(figure, series->unit, numbers[k]);
        }
    }
    figure_how(figure, "Simulated, not measured: each replication has its own random numbers and "
                       "gives one value of each statistic; deviation: standard deviation of the "
                       "value of one replication. "
                       "`tare sim --definitions` defines the statistics");
}

PLUGIN_REGISTER(figures_replications) = {.order = 400, .figures = figures_replications};
