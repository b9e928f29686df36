/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints what context switches cost by the memory that each side touches. */
#include <math.h>
#include <string.h>

#include "bench/memory/host/view_memory.h"
#include "bench/system/host/view_system.h"
#include "bench/system/names.h"
#include "tools/base/sort.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/run/curves.h"
#include "tools/run/run_kind.h"

static const char *const footprint_names[FOOTPRINTS] = {
    CURVE_FOOTPRINT_ALONE, CURVE_FOOTPRINT_THREAD, CURVE_FOOTPRINT_PROCESS,
    CURVE_FOOTPRINT_PROCESS_PCID};

/* Checks that two curves have the same points; others cannot be compared. */
static bool same_points(const struct curve *left, const struct curve *right)
{
    if (left->points != right->points) {
        return false;
    }
    return !SEARCH_ANY(i, left->points, left->x[i] != right->x[i]);
}

bool footprints_read(const struct run_bench *bench, struct footprints *footprints)
{
    memset(footprints, 0, sizeof(*footprints));
    for (enum footprint i = 0; i < FOOTPRINTS; i++) {
        footprints->there[i] = curve_read(bench, footprint_names[i], &footprints->curve[i]);
        if (footprints->there[i] &&
            !same_points(&footprints->curve[FOOTPRINT_ALONE], &footprints->curve[i])) {
            curve_free(&footprints->curve[i]);
            footprints->there[i] = false;
        }
    }
    return footprints->there[FOOTPRINT_ALONE];
}

double footprints_refill(const struct footprints *footprints, enum footprint of, size_t point)
{
    const struct curve *alone = &footprints->curve[FOOTPRINT_ALONE];
    const struct curve *curve = &footprints->curve[of];

    return curve_median(curve, point) - curve_median(curve, 0) -
           (curve_median(alone, point) - curve_median(alone, 0));
}

void footprints_free(struct footprints *footprints)
{
    for (enum footprint i = 0; i < FOOTPRINTS; i++) {
        curve_free(&footprints->curve[i]);
    }
}

/* ---- footprints ---- */

static void add_point(struct table *table, const struct view *view,
                      const struct footprints *footprints, size_t point)
{
    table_row(table);
    bytes_cell(table, footprints->curve[FOOTPRINT_ALONE].x[point]);
    for (enum footprint i = 0; i < FOOTPRINTS; i++) {
        if (footprints->there[i]) {
            cell_span(table, view, true, curve_median(&footprints->curve[i], point));
        }
    }
    for (enum footprint i = FOOTPRINT_THREAD; i < FOOTPRINTS; i++) {
        if (footprints->there[i]) {
            cell_span(table, view, true, footprints_refill(footprints, i, point));
        }
    }
}

static void print_footprints(const struct view *view, const struct footprints *footprints)
{
    static const char *const heads[FOOTPRINTS] = {"reading", "thread", "process", "pcid"};
    struct table table;

    table_init(&table, "rrrrrrrr");
    table_named_row(&table, "footprint");
    for (enum footprint i = 0; i < FOOTPRINTS; i++) {
        if (footprints->there[i]) {
            table_text(&table, heads[i]);
        }
    }
    for (enum footprint i = FOOTPRINT_THREAD; i < FOOTPRINTS; i++) {
        if (footprints->there[i]) {
            table_format(&table, "+%s", heads[i]);
        }
    }
    for (size_t i = 0; i < footprints->curve[FOOTPRINT_ALONE].points; i++) {
        add_point(&table, view, footprints, i);
    }
    print_paragraph(
        view->out,
        "medians of one turn, in which a task reads its footprint and then yields, for two threads "
        "of one process and for two processes%s. +thread and +process are the time for refilling "
        "caches and TLB: the turn less the reading alone, and less a switch with nothing to read:",
        span_note(view));
    view_table(view, &table);
}

static void view_contextswitch(const struct view *view, const struct run_bench *bench)
{
    struct footprints footprints;

    if (footprints_read(bench, &footprints)) {
        print_footprints(view, &footprints);
    }
    footprints_free(&footprints);
}

PLUGIN_OF(contextswitch, .order = 200, .show = view_contextswitch);

/* Bench fork: prints what it costs to create a process as a copy, by the number of pages, and what
 * one more page costs. */

#define FORKS 3

static const struct {
    const char *name;
    const char *head;
    const char *what;
} forks[FORKS] = {
    {CURVE_COPY, "copied", "copied at once"},
    {CURVE_SHARE, "shared", "shared, one written to"},
    {CURVE_WRITE, "written", "shared, all written to"},
};

/* Returns the ticks per additional page since the point before, or NAN if there is none or x does
 * not grow. */
static double page_more(const struct curve *curve, size_t point)
{
    if (point == 0 || curve->x[point] <= curve->x[point - 1]) {
        return NAN;
    }
    return (curve_median(curve, point) - curve_median(curve, point - 1)) /
           ((double)curve->x[point] - (double)curve->x[point - 1]);
}

/* A curve that lacks the point gets an empty cell. */
static void add_forks(struct table *table, const struct view *view,
                      const struct curve curves[FORKS], size_t point)
{
    table_row(table);
    table_signed(table, curves[0].x[point]);
    for (size_t i = 0; i < FORKS; i++) {
        cell_span(table, view, true,
                  point < curves[i].points ? curve_median(&curves[i], point) : (double)NAN);
    }
    for (size_t i = 0; i < FORKS; i++) {
        cell_span(table, view, true,
                  point < curves[i].points ? page_more(&curves[i], point) : (double)NAN);
    }
}

static void view_fork(const struct view *view, const struct run_bench *bench)
{
    struct curve curves[FORKS] = {{0}};
    bool there = true;
    struct table table;

    for (size_t i = 0; i < FORKS; i++) {
        there = curve_read(bench, forks[i].name, &curves[i]) && there;
    }
    if (there) {
        print_paragraph(
            view->out,
            "time of a process from its creation as a copy to its end, by number of pages of its "
            "parent. The pages are copied at once, shared with one page written to, or shared with "
            "all pages written to; + is the cost of each additional page. Medians%s:",
            span_note(view));
        table_init(&table, "rrrrrrr");
        table_named_row(&table, "pages");
        for (size_t i = 0; i < FORKS; i++) {
            table_text(&table, forks[i].head);
        }
        for (size_t i = 0; i < FORKS; i++) {
            table_format(&table, "+%s", forks[i].head);
        }
        for (size_t i = 0; i < curves[0].points; i++) {
            add_forks(&table, view, curves, i);
        }
        view_table(view, &table);
    }
    for (size_t i = 0; i < FORKS; i++) {
        curve_free(&curves[i]);
    }
}

static void fork_figure(struct figures *figures, const struct run *run,
                        const struct run_bench *bench)
{
    struct figure_scale scale = {0};
    struct figure *figure = NULL;
    struct curve curve;

    for (size_t i = 0; i < FORKS; i++) {
        if (!curve_read(bench, forks[i].name, &curve)) {
            continue;
        }
        if (figure == NULL) {
            scale = figure_length_scale(run, curve_median(&curve, curve.points - 1));
            figure = figure_add(figures, FIGURE_LINES, "System",
                                "Processes created as copies, by their pages", "fork");
            figure_axes(figure, "pages of the parent", NULL, "time from creation to end",
                        scale.unit);
            figure->x.logarithmic = true;
            figure->y.logarithmic = true;
        }
        figure_add_curve(figure_add_series(figure, forks[i].what), &curve, &scale);
        curve_free(&curve);
    }
    if (figure != NULL) {
        figure_how(figure,
                   "A process created as a copy of its parent, from its creation to its end: "
                   "medians; whiskers: the middle half of the trials; in %s.",
                   run_time_label(run));
    }
}

PLUGIN_OF(fork, .order = 315, .show = view_fork, .place = PLUGIN_FOR_SERIES,
          .bench_figures = fork_figure);
