/* SPDX-License-Identifier: BSD-2-Clause */
/* The benches of threads on several processors: tables in `tare show`, and figures of curves. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/smp/names.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/run/run_kind.h"

#define CURVES_MAX 16
#define POINTS_MAX 16

/* its last characters align a table of fewer columns */
static const char alignments[] = "rrrrrrrrrrrrrrrrr";

/* Adds the median of series PREFIXnumber to a row. */
static void add_median(struct table *table, const struct view *view, const struct run_bench *bench,
                       const char *prefix, size_t number)
{
    char name[AMOUNT_MAX];

    snprintf(name, sizeof(name), "%s%zu", prefix, number);
    const struct run_series *series = run_find_whole(bench, name);
    const bool known = series != NULL && series->n > 0;

    cell_span(table, view, known, known ? statistics_median(series->samples, series->n) : 0);
}

static void view_quantum(const struct view *view, const struct run_bench *bench)
{
    const struct run_series *ran = run_find_whole(bench, SERIES_RAN);
    const struct run_series *cpu = run_find_whole(bench, SERIES_CPU);
    const double quantum = (double)run_fact_or(bench, FACT_QUANTUM, 0);
    struct table table;

    table_open(&table, "rrrrrrr", "hog\tCPU\tshare %%\texpected\tturn\tready\texpected");
    for (size_t i = 0; ran != NULL && cpu != NULL && ran->n == cpu->n && i < ran->n; i++) {
        double sharers = 0;
        double all = 0;

        for (size_t k = 0; k < ran->n; k++) {
            const bool together = cpu->samples[k] == cpu->samples[i];

            sharers += together ? 1 : 0;
            all += together ? (double)ran->samples[k] : 0;
        }
        table_line(&table, "%zu\t%" PRId64 "\t%.3f\t%.3f", i, cpu->samples[i],
                   100 * (double)ran->samples[i] / all, 100 / sharers);
        add_median(&table, view, bench, PREFIX_RUN, i);
        add_median(&table, view, bench, PREFIX_READY, i);
        cell_span(&table, view, true, (sharers - 1) * quantum);
    }
    print_paragraph(view->out,
                    "each hog's share of its processor, and the medians of its turns and ready "
                    "times%s; expected: round robin, without the cost of a change",
                    span_note(view));
    view_table(view, &table);
}

/* ---- curves ---- */

/* What a bench's curves are over. */
static const struct curves_of {
    const char *bench, *x, *title;
    bool rates; /* the table has rates in place of times */
} curves_of[] = {
    {BENCH_MIGRATION, "bytes", "moving a thread, by its working set", false},
    {BENCH_RUNQUEUE, "ready threads", "wake-up latency, by ready threads a processor", false},
    {BENCH_SCALING, "processors", "time of one operation of any processor", true},
};

struct curves {
    const struct curves_of *of;
    size_t count;
    const char *name[CURVES_MAX];
    struct curve curve[CURVES_MAX];
    const struct curve *longest;
};

static bool read_curves(const struct run_bench *bench, struct curves *curves)
{
    *curves = (struct curves){.of = curves_of, .longest = &curves->curve[0]};
    while (strcmp(curves->of->bench, bench->name) != 0) {
        curves->of++;
    }
    for (size_t i = 0; i < bench->series_count && curves->count < CURVES_MAX; i++) {
        struct curve *curve = &curves->curve[curves->count];

        if (curve_read(bench, bench->series[i].name, curve)) {
            curves->name[curves->count++] = bench->series[i].name;
            curves->longest = curve->points > curves->longest->points ? curve : curves->longest;
        }
    }
    return curves->count > 0 && curves->longest->points <= POINTS_MAX;
}

static void free_curves(struct curves *curves)
{
    for (size_t i = 0; i < curves->count; i++) {
        curve_free(&curves->curve[i]);
    }
}

/* Prints a row for each curve, and a column for each x. */
static void view_curves(const struct view *view, const struct run_bench *bench)
{
    struct curves curves;
    struct table table;

    if (read_curves(bench, &curves)) {
        table_init(&table, &alignments[POINTS_MAX - curves.longest->points]);
        table_named_row(&table, curves.of->x);
        for (size_t k = 0; k < curves.longest->points; k++) {
            table_signed(&table, curves.longest->x[k]);
        }
        for (size_t i = 0; i < curves.count; i++) {
            table_named_row(&table, curves.name[i]);
            for (size_t k = 0; k < curves.longest->points; k++) {
                const bool known = k < curves.curve[i].points;
                const double ticks = known ? curve_median(&curves.curve[i], k) : 0;

                if (curves.of->rates && ticks * view->ns_per_tick > 0) {
                    table_format(&table, "%.1f", 1e6 / (ticks * view->ns_per_tick));
                } else {
                    cell_span(&table, view, known, ticks);
                }
            }
        }
        print_paragraph(view->out, "%s, by %s%s",
                        curves.of->rates ? "operations of all processors per ms" : "median times",
                        curves.of->x, curves.of->rates ? "" : span_note(view));
        view_table(view, &table);
    }
    free_curves(&curves);
}

static void add_curves(struct figures *figures, const struct run *run,
                       const struct run_bench *bench)
{
    struct curves curves;

    if (read_curves(bench, &curves)) {
        const struct figure_scale scale =
            figure_length_scale(run, curve_median(curves.longest, curves.longest->points - 1));
        struct figure *figure = figure_add_of(figures, FIGURE_LINES, "Threads on processors", bench,
                                              curves.of->title, "curves");

        figure_axes(figure, curves.of->x, NULL, "time", scale.unit);
        figure_how(figure, "medians; whiskers: the middle half of the trials; in %s",
                   run_time_label(run));
        for (size_t i = 0; i < curves.count; i++) {
            figure_add_curve(figure_add_series(figure, curves.name[i]), &curves.curve[i], &scale);
        }
        figure_choose_scale(figure);
    }
    free_curves(&curves);
}

PLUGIN_OF(quantum, .order = 20, .show = view_quantum, .metrics = {.main = SERIES_RAN});
PLUGIN_OF(migration, .order = 20, .place = PLUGIN_FOR_SERIES, .show = view_curves,
          .bench_figures = add_curves);
PLUGIN_OF(runqueue, .order = 20, .place = PLUGIN_FOR_SERIES, .show = view_curves,
          .bench_figures = add_curves);
PLUGIN_OF(scaling, .order = 20, .place = PLUGIN_FOR_SERIES, .show = view_curves,
          .bench_figures = add_curves);
