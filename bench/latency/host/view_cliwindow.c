/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints and draws bench `cliwindow`: how far latencies are above the expected line, window by
 * window. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/latency/host/cli_window.h"
#include "bench/latency/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/present/figure_kit.h"
#include "tools/present/json_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/run/run_kind.h"

#define ROWS_MAX 20

static void add_bounds(struct table *table, const struct view *view, size_t n, int64_t *values)
{
    struct statistics bounds;

    statistics_of(values, n, &bounds);
    table_format(table, "%zu", n);
    cell_span(table, view, n > 0, (double)bounds.median);
    cell_span(table, view, n > 0, (double)bounds.max);
}

/* Prints a row for each window. If there are many, prints only some at equal distances, the last
 * included. */
static void print_windows(const struct view *view, const struct cli_points *points)
{
    const size_t rows = points->windows < ROWS_MAX ? points->windows : ROWS_MAX;
    const size_t deadlines = points->grid / points->windows;
    int64_t *values = alloc_zeroed(points->n * sizeof(*values));
    struct table table;

    table_open(&table, "rrrrrrr",
               "window\tdeadlines inside\tmedian above\tmax above\tdeadlines after\tmedian "
               "above\tmax above");
    for (size_t row = 0; row < rows; row++) {
        const size_t window = rows > 1 ? row * (points->windows - 1) / (rows - 1) : 0;

        table_row(&table);
        cell_span(&table, view, true, (double)points->window[window * deadlines]);
        add_bounds(&table, view, cli_deviations(points, true, window, values), values);
        add_bounds(&table, view, cli_deviations(points, false, window, values), values);
    }
    free(values);
    view_table(view, &table);
}

static void print_kind(const struct view *view, const char *what,
                       const struct statistics *deviations)
{
    char least[AMOUNT_MAX];
    char median[AMOUNT_MAX];
    char most[AMOUNT_MAX];

    if (deviations->n == 0) {
        print_paragraph(view->out, "no deadline fell %s", what);
        return;
    }
    print_paragraph(view->out, "deadlines %s: %zu, above the line by %s to %s, median %s%s", what,
                    deviations->n, span_text(view, (double)deviations->min, least),
                    span_text(view, (double)deviations->max, most),
                    span_text(view, (double)deviations->median, median), span_note(view));
}

static void view_cliwindow(const struct view *view, const struct run_bench *bench)
{
    struct cli_points points;
    struct cli_summary summary;
    char text[AMOUNT_MAX];

    if (!cli_points_of(bench, &points)) {
        print_paragraph(view->out, "no latencies by window: samples are missing");
        return;
    }
    cli_summary(&points, &summary);
    print_paragraph(view->out,
                    "expected line: the remainder of the window after the deadline, or 0. Latency "
                    "above the line, median and maximum%s:",
                    span_note(view));
    print_windows(view, &points);
    print_kind(view, "in the window", &summary.pending);
    print_kind(view, "after the window", &summary.running);
    if (!isnan(summary.slope)) {
        print_paragraph(view->out, "latency by the remainder: slope %.6f (expected: 1), %s at 0%s",
                        summary.slope, span_text(view, summary.offset, text), span_note(view));
    }
}

/*
 * Metrics and JSON of bench `cliwindow`: how far latencies are above the line, and the slope.
 * Latencies themselves follow the sweep, so their spread depends only on the plan.
 */

#define DECIMALS 6

static bool places(const char *series)
{
    return strcmp(series, SERIES_CLI_WINDOW) == 0 || strcmp(series, SERIES_CLI_DEADLINE) == 0 ||
           strcmp(series, SERIES_CLI_LATENCY) == 0;
}

static void add_deviations(struct metrics *metrics, const struct run_bench *bench,
                           const struct cli_points *points, bool pending, const char *x)
{
    int64_t *values = alloc_zeroed(points->n * sizeof(*values));
    const size_t n = cli_deviations(points, pending, CLI_EACH_WINDOW, values);

    if (n > 0) {
        metric_set(metrics_add(metrics, bench, "above_line", x), values, n);
    }
    free(values);
}

static void others(struct metrics *metrics, const struct run_bench *bench)
{
    struct cli_points points;
    struct cli_summary summary;

    if (!cli_points_of(bench, &points)) {
        return;
    }
    add_deviations(metrics, bench, &points, true, "in_window");
    add_deviations(metrics, bench, &points, false, "behind_window");
    cli_summary(&points, &summary);
    if (!isnan(summary.slope)) {
        static const int64_t one = 1;
        struct metric *metric = metrics_add(metrics, bench, "slope", NULL);

        metric_set(metric, &one, 1);
        metric->values[0] = summary.slope;
        metric->unit = "1";
        metric->better = METRIC_NEITHER;
    }
}

static void put_kind(struct json *json, const char *key, const struct statistics *deviations)
{
    json_object(json, key);
    json_statistics(json, deviations);
    json_close(json);
}

/* Writes member "cli_window" in ticks, or null if samples are missing. */
static void put(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct cli_points points;
    struct cli_summary summary;

    (void)run;
    if (!cli_points_of(bench, &points)) {
        json_null(json, "cli_window");
        return;
    }
    cli_summary(&points, &summary);
    json_object(json, "cli_window");
    json_unsigned(json, "points", points.n);
    json_number(json, "slope", summary.slope, DECIMALS);
    json_number(json, "offset", summary.offset, DECIMALS);
    put_kind(json, "above_line_in_window", &summary.pending);
    put_kind(json, "above_line_behind_window", &summary.running);
    json_close(json);
}

/* Figures: latency by the remainder of the window when the timer is due, with the expected line;
 * and latency above the line. */

static const char section[] = "Latency";
static const char by_remainder[] = "Interrupts masked: latency by the window's remainder";
static const char above_line[] = "Interrupts masked: latency above the expected line";
static const char x_label[] = "window's end after the deadline";

/* A point of the grid with all its trials. */
struct place {
    int64_t remainder; /* remainder in the trial with the median latency */
    int64_t least, median, most;
};

/* Returns the latency, or how far it is above the line. */
static int64_t value_of(const struct cli_points *points, size_t index, bool above)
{
    return above ? cli_deviation(points, index) : points->latency[index];
}

static void place_of(const struct cli_points *points, bool above, size_t index, int64_t *scratch,
                     struct place *place)
{
    const size_t trials = points->n / points->grid;
    int64_t remainder = 0;

    for (size_t i = 0; i < trials; i++) {
        scratch[i] = value_of(points, index + i * points->grid, above);
    }
    sort_integers(scratch, trials);
    place->least = scratch[0];
    place->median = scratch[(trials - 1) / 2];
    place->most = scratch[trials - 1];
    for (size_t i = 0; i < trials; i++) {
        if (value_of(points, index + i * points->grid, above) == place->median) {
            remainder = cli_remainder(points, index + i * points->grid);
        }
    }
    place->remainder = remainder;
}

/* Returns the points in the order of their remainders. Free with free(). */
static struct place *places_of(const struct cli_points *points, bool above)
{
    struct place *places = alloc_zeroed(points->grid * sizeof(*places));
    int64_t *scratch = alloc_zeroed(points->n * sizeof(*scratch));

    for (size_t i = 0; i < points->grid; i++) {
        place_of(points, above, i, scratch, &places[i]);
    }
    free(scratch);
    sort_by(places, points->grid, sizeof(*places), offsetof(struct place, remainder), false);
    return places;
}

static void add_places(struct figure *figure, const char *name, const struct place *places,
                       size_t count, const struct figure_scale *x, const struct figure_scale *y)
{
    struct figure_series *series = figure_add_series(figure, name);

    for (size_t i = 0; i < count; i++) {
        figure_add_range(series, (double)places[i].remainder * x->per_tick,
                         (double)places[i].median * y->per_tick,
                         (double)places[i].least * y->per_tick,
                         (double)places[i].most * y->per_tick);
    }
}

/* Draws the expected line from the least remainder to the greatest, with its bend at 0. */
static void add_expected(struct figure *figure, double least, double most)
{
    struct figure_series *line = figure_add_reference(figure, "expected");

    if (least < 0) {
        figure_add_point(line, least, 0);
    }
    if (least < 0 && most > 0) {
        figure_add_point(line, 0, 0);
    }
    if (most > 0) {
        figure_add_point(line, most, most);
    }
}

static void add_figures(struct figures *figures, const struct run *run,
                        const struct cli_points *points)
{
    struct place *latencies = places_of(points, false);
    struct place *above = places_of(points, true);
    const size_t last = points->grid - 1;
    const struct figure_scale scale =
        figure_length_scale(run, (double)points->window[points->n - 1]);
    const struct figure_scale fine = figure_length_scale(run, (double)above[last].median);
    struct figure *figure = figure_add(figures, FIGURE_LINES, section, by_remainder, "cliwindow");

    figure_axes(figure, x_label, scale.unit, "latency", scale.unit);
    add_places(figure, "latency", latencies, points->grid, &scale, &scale);
    add_expected(figure, (double)latencies[0].remainder * scale.per_tick,
                 (double)latencies[last].remainder * scale.per_tick);
    figure_how(figure,
               "From the deadline of the LAPIC timer to the handler's first time stamp, in %s; "
               "whiskers: min to max of the trials. Expected: the remainder of the window after "
               "the deadline, or 0; no parameter is fitted",
               run_time_label(run));
    figure = figure_add(figures, FIGURE_LINES, section, above_line, "cliwindow-above");
    figure_axes(figure, x_label, scale.unit, "above the line", fine.unit);
    add_places(figure, "above the line", above, points->grid, &scale, &fine);
    figure_how(
        figure,
        "The cost of interrupt delivery and entry, which the remainder of the window does not "
        "include; for a deadline after the window also the time to reach the timer's register");
    free(latencies);
    free(above);
}

static void figures_cliwindow(struct figures *figures, const struct run *run)
{
    const struct run_bench *bench =
        figures_find_bench(figures, run, section, by_remainder, BENCH_CLIWINDOW);
    struct cli_points points;

    if (bench == NULL) {
        return;
    }
    if (cli_points_of(bench, &points)) {
        add_figures(figures, run, &points);
    } else {
        figure_add_torn(figures, section, by_remainder, BENCH_CLIWINDOW);
    }
}

PLUGIN_OF(cliwindow, .order = 379, .show = view_cliwindow, .figures = figures_cliwindow,
          .json = put, .metrics = {.main = "above_line", .places = places, .others = others});
