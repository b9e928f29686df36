/* SPDX-License-Identifier: BSD-2-Clause */
/* Bench together: bytes that 1 to N processors move at once, as a table, a figure and metrics. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench/memory/host/view_memory.h"
#include "bench/memory/names.h"
#include "tools/present/figure_kit.h"
#include "tools/present/reading.h"
#include "tools/run/curves.h"
#include "tools/run/run_kind.h"

#define REPETITION 1024 /* bytes */
#define OPERATIONS 4

static const char *const operations[OPERATIONS] = {OPERATION_READ, OPERATION_WRITE, OPERATION_COPY,
                                                   OPERATION_WRITE_NT};

/* Curves that the run has; those that it has not are of no points. */
static const struct curve *read_curves(const struct run_bench *bench,
                                       struct curve curves[OPERATIONS])
{
    const struct curve *any = NULL;

    for (size_t i = 0; i < OPERATIONS; i++) {
        curves[i] = (struct curve){0};
        if (curve_read(bench, operations[i], &curves[i]) && any == NULL) {
            any = &curves[i];
        }
    }
    return any;
}

static void free_curves(struct curve curves[OPERATIONS])
{
    for (size_t i = 0; i < OPERATIONS; i++) {
        curve_free(&curves[i]);
    }
}

/* NAN: the curve has no such point. */
static double rate_at(const struct view *view, const struct curve *curve, size_t point, int64_t x)
{
    if (point >= curve->points || curve->x[point] != x || !(curve_median(curve, point) > 0)) {
        return NAN;
    }
    return bandwidth_rate(view, REPETITION, curve_median(curve, point));
}

static void add_point(struct table *table, const struct view *view,
                      const struct curve curves[OPERATIONS], size_t point, int64_t processors)
{
    table_row(table);
    table_format(table, "%" PRId64, processors);
    for (size_t i = 0; i < 2 * OPERATIONS; i++) {
        const bool each = i >= OPERATIONS;
        const double rate = rate_at(view, &curves[i % OPERATIONS], point, processors);

        if (isnan(rate)) {
            table_text(table, NULL);
        } else {
            table_format(table, "%.*f", view->ticks_per_instruction > 0 ? 3 : 2,
                         each ? rate / (double)processors : rate);
        }
    }
}

void view_together(const struct view *view, const struct run_bench *bench)
{
    struct curve curves[OPERATIONS];
    const struct curve *any = read_curves(bench, curves);
    struct table table;

    if (any != NULL) {
        print_paragraph(
            view->out,
            "%s of n processors at once, each in its own memory; medians, of all of them, "
            "and of each: /n. A byte copied counts once.",
            bandwidth_unit(view));
        table_init(&table, "rrrrrrrrr");
        table_row(&table);
        table_text(&table, "processors");
        for (size_t i = 0; i < 2 * OPERATIONS; i++) {
            table_format(&table, "%s%s", operations[i % OPERATIONS], i < OPERATIONS ? "" : "/n");
        }
        for (size_t i = 0; i < any->points; i++) {
            add_point(&table, view, curves, i, any->x[i]);
        }
        fputc('\n', view->out);
        table_print(&table, view->out, 2);
    }
    free_curves(curves);
}

static void together_figure(struct figures *figures, const struct run *run,
                            const struct run_bench *bench)
{
    struct curve curves[OPERATIONS];
    const struct curve *any = read_curves(bench, curves);
    struct view view;

    view_init(&view, NULL, run);
    if (any != NULL) {
        struct figure *figure = figure_add(figures, FIGURE_LINES, "Memory",
                                           "Bandwidth of several processors at once", "together");

        figure_axes(figure, "processors", NULL, "all of them", bandwidth_unit(&view));
        for (size_t i = 0; i < OPERATIONS; i++) {
            struct figure_series *series =
                curves[i].points > 0 ? figure_add_series(figure, operations[i]) : NULL;

            for (size_t k = 0; k < curves[i].points; k++) {
                figure_add_point(series, (double)curves[i].x[k],
                                 rate_at(&view, &curves[i], k, curves[i].x[k]));
            }
        }
        figure_how(figure,
                   "Medians of %zu trials, from the word that lets all begin until the last is "
                   "done, in %s. A byte copied counts once.",
                   any->trials, run_time_label(run));
    }
    free_curves(curves);
}

READING_REGISTER(together_view) = {
    .bench = BENCH_TOGETHER, .order = 200, .show = view_together, .place = READING_FOR_SERIES};
READING_REGISTER(together_figure) = {
    .bench = BENCH_TOGETHER, .order = 385, .bench_figures = together_figure};
