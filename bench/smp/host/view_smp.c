/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/smp/host/view_smp.h"

#include <inttypes.h>
#include <stdio.h>

#include "bench/smp/names.h"
#include "kernel/run/names.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/run/run_kind.h"

#define PERCENT    100
#define NAME_MAX   64
#define CURVES_MAX 16

/* ---- quantum ---- */

/* Returns series PREFIXnumber, or NULL if it is not complete. */
static const struct run_series *find_numbered(const struct run_bench *bench, const char *prefix,
                                              size_t number)
{
    char name[NAME_MAX];

    snprintf(name, sizeof(name), "%s%zu", prefix, number);
    return run_find_whole(bench, name);
}

bool smp_hog_read(const struct run_bench *bench, size_t index, struct smp_hog *hog)
{
    const struct run_series *ran = run_find_whole(bench, SERIES_RAN);
    const struct run_series *cpu = run_find_whole(bench, SERIES_CPU);
    const struct run_series *run = find_numbered(bench, PREFIX_RUN, index);
    const struct run_series *ready = find_numbered(bench, PREFIX_READY, index);
    double all = 0;

    if (ran == NULL || cpu == NULL || index >= ran->n || cpu->n != ran->n) {
        return false;
    }
    *hog = (struct smp_hog){.cpu = cpu->samples[index]};
    for (size_t i = 0; i < ran->n; i++) {
        hog->sharers += cpu->samples[i] == hog->cpu ? 1 : 0;
        all += cpu->samples[i] == hog->cpu ? (double)ran->samples[i] : 0;
    }
    hog->share = all > 0 ? (double)ran->samples[index] / all : 0;
    hog->expected_ready = (int64_t)(hog->sharers - 1) * run_fact_or(bench, FACT_QUANTUM, 0);
    if (run != NULL && ready != NULL && run->n > 0 && ready->n == run->n) {
        hog->turns = run->n;
        hog->run = statistics_median(run->samples, run->n);
        hog->ready = statistics_median(ready->samples, ready->n);
    }
    return true;
}

static void view_quantum(const struct view *view, const struct run_bench *bench)
{
    struct smp_hog hog;
    struct table table;

    table_open(&table, "rrrrrrrrr",
               "hog\tCPU\thogs there\tshare\texpected\tturns\tturn\tready\texpected");
    for (size_t i = 0; smp_hog_read(bench, i, &hog); i++) {
        table_line(&table, "%zu\t%" PRId64 "\t%zu\t%.3f %%\t%.3f %%\t%zu", i, hog.cpu, hog.sharers,
                   PERCENT * hog.share, PERCENT / (double)hog.sharers, hog.turns);
        cell_span(&table, view, hog.turns > 0, hog.run);
        cell_span(&table, view, hog.turns > 0, hog.ready);
        cell_span(&table, view, true, (double)hog.expected_ready);
    }
    print_paragraph(view->out,
                    "each hog's share of its processor, and the medians of its turns and ready "
                    "times%s; expected: round robin, without the cost of a change",
                    span_note(view));
    view_table(view, &table);
}

/* ---- curves ---- */

struct curves {
    size_t count;
    const char *name[CURVES_MAX];
    struct curve curve[CURVES_MAX];
    size_t longest; /* index of a curve with the most points */
};

static void read_curves(const struct run_bench *bench, struct curves *curves)
{
    *curves = (struct curves){0};
    for (size_t i = 0; i < bench->series_count && curves->count < CURVES_MAX; i++) {
        if (curve_read(bench, bench->series[i].name, &curves->curve[curves->count])) {
            curves->longest =
                curves->curve[curves->count].points > curves->curve[curves->longest].points
                    ? curves->count
                    : curves->longest;
            curves->name[curves->count++] = bench->series[i].name;
        }
    }
}

static void free_curves(struct curves *curves)
{
    for (size_t i = 0; i < curves->count; i++) {
        curve_free(&curves->curve[i]);
    }
}

static void view_curves(const struct view *view, const struct run_bench *bench, const char *x,
                        bool rates)
{
    struct curves curves;
    struct table table;

    read_curves(bench, &curves);
    table_init(&table, &"rrrrrrrrrrrrrrrrr"[CURVES_MAX - curves.count]);
    table_named_row(&table, x);
    for (size_t i = 0; i < curves.count; i++) {
        table_text(&table, curves.name[i]);
    }
    for (size_t point = 0; point < curves.curve[curves.longest].points; point++) {
        table_row(&table);
        table_signed(&table, curves.curve[curves.longest].x[point]);
        for (size_t i = 0; i < curves.count; i++) {
            const bool known = point < curves.curve[i].points;
            const double ticks = known ? curve_median(&curves.curve[i], point) : 0;

            if (known && rates && ticks * view->ns_per_tick > 0) {
                table_format(&table, "%.1f", 1e6 / (ticks * view->ns_per_tick));
            } else {
                cell_span(&table, view, known, ticks);
            }
        }
    }
    print_paragraph(view->out, "%s, by %s%s",
                    rates ? "operations of all processors per ms" : "medians of the times", x,
                    rates ? "" : span_note(view));
    view_table(view, &table);
    free_curves(&curves);
}

static void add_curves(struct figures *figures, const struct run *run,
                       const struct run_bench *bench, const char *title, const char *x)
{
    struct curves curves;

    read_curves(bench, &curves);
    if (curves.count > 0) {
        const struct curve *longest = &curves.curve[curves.longest];
        const struct figure_scale scale =
            figure_length_scale(run, curve_median(longest, longest->points - 1));
        struct figure *figure =
            figure_add_of(figures, FIGURE_LINES, "Threads on processors", bench, title, "curves");

        figure_axes(figure, x, NULL, "time", scale.unit);
        figure_how(figure, "medians; whiskers: the middle half of the trials; in %s",
                   run_time_label(run));
        for (size_t i = 0; i < curves.count; i++) {
            figure_add_curve(figure_add_series(figure, curves.name[i]), &curves.curve[i], &scale);
        }
        figure_choose_scale(figure);
    }
    free_curves(&curves);
}

#define CURVES_OF(bench_, title, x, rates)                                            \
    static void view_##bench_(const struct view *view, const struct run_bench *bench) \
    {                                                                                 \
        view_curves(view, bench, x, rates);                                           \
    }                                                                                 \
    static void add_##bench_(struct figures *figures, const struct run *run,          \
                             const struct run_bench *bench)                           \
    {                                                                                 \
        add_curves(figures, run, bench, title, x);                                    \
    }

CURVES_OF(migration, "moving a thread, by its working set", "bytes", false)
CURVES_OF(runqueue, "wake-up latency, by ready threads a processor", "ready threads", false)
CURVES_OF(scaling, "time of one operation of any processor", "processors", true)

PLUGIN_OF(quantum, .order = 20, .show = view_quantum, .metrics = {.main = SERIES_RAN});
PLUGIN_OF(migration, .order = 20, .place = PLUGIN_FOR_SERIES, .show = view_migration,
          .bench_figures = add_migration);
PLUGIN_OF(runqueue, .order = 20, .place = PLUGIN_FOR_SERIES, .show = view_runqueue,
          .bench_figures = add_runqueue);
PLUGIN_OF(scaling, .order = 20, .place = PLUGIN_FOR_SERIES, .show = view_scaling,
          .bench_figures = add_scaling);
