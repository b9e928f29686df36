/* SPDX-License-Identifier: BSD-2-Clause */
/* Latency by what is left of the window when the timer is due, beside the line; and above it. */
#include <stdlib.h>

#include "bench/latency/host/cli_window.h"
#include "bench/latency/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"
#include "tools/run/run_kind.h"

static const char section[] = "Latency";
static const char by_remainder[] = "Interrupts masked: latency by the window's remainder";
static const char above_line[] = "Interrupts masked: latency above the line";
static const char x_label[] = "window's end after the deadline";

/* A point of the grid over its trials. */
struct place {
    int64_t remainder; /* of the trial with the median latency */
    int64_t least, median, most;
};

static int by_value(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left;
    const int64_t b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

static int64_t latency_of(const struct cli_points *points, size_t index)
{
    return points->latency[index];
}

/* Whether of latencies or of deviations. */
typedef int64_t point_value(const struct cli_points *points, size_t index);

static void place_of(const struct cli_points *points, point_value *value, size_t index,
                     int64_t *scratch, struct place *place)
{
    const size_t trials = points->n / points->grid;
    int64_t remainder = 0;

    for (size_t i = 0; i < trials; i++) {
        scratch[i] = value(points, index + i * points->grid);
    }
    sort_stable(scratch, trials, sizeof(*scratch), by_value);
    place->least = scratch[0];
    place->median = scratch[(trials - 1) / 2];
    place->most = scratch[trials - 1];
    for (size_t i = 0; i < trials; i++) {
        if (value(points, index + i * points->grid) == place->median) {
            remainder = cli_remainder(points, index + i * points->grid);
        }
    }
    place->remainder = remainder;
}

static int by_remainder_of(const void *left, const void *right)
{
    return by_value(&((const struct place *)left)->remainder,
                    &((const struct place *)right)->remainder);
}

/* In the order of remainders; free() it. */
static struct place *places_of(const struct cli_points *points, point_value *value)
{
    struct place *places = alloc_zeroed(points->grid * sizeof(*places));
    int64_t *scratch = alloc_zeroed(points->n * sizeof(*scratch));

    for (size_t i = 0; i < points->grid; i++) {
        place_of(points, value, i, scratch, &places[i]);
    }
    free(scratch);
    sort_stable(places, points->grid, sizeof(*places), by_remainder_of);
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

/* From the least remainder to the greatest, with its bend. */
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
    struct place *latencies = places_of(points, latency_of);
    struct place *above = places_of(points, cli_deviation);
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
               "From the deadline of the LAPIC timer to the handler's first stamp, in %s; "
               "whiskers: all trials. Expected, with nothing fitted: the remainder, or 0",
               run_time_label(run));
    figure = figure_add(figures, FIGURE_LINES, section, above_line, "cliwindow-above");
    figure_axes(figure, x_label, scale.unit, "above the line", fine.unit);
    add_places(figure, "above the line", above, points->grid, &scale, &fine);
    figure_how(figure, "The interrupt's way in, which the remainder of the window lacks; of a "
                       "deadline after the window with the way to the timer's register");
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

READING_REGISTER(cliwindow_figures) = {.order = 380, .figures = figures_cliwindow};
