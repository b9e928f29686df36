/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of event counts: in each action, in each sample, and of kernels whose
 * counts are known. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/counters/host/counts.h"
#include "bench/counters/host/view_counts.h"
#include "bench/counters/names.h"
#include "bench/interactive/host/figures_input.h"
#include "bench/interactive/host/measure/input.h"
#include "bench/interactive/host/view_input.h"
#include "kernel/pmu/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"

#define SECTION     "Counters"
#define NAME_SIZE   96
#define SERIES_MAX  8
#define WIDE        100  /* ratio of greatest to least value from which on an axis is logarithmic */
#define LINE_POINTS 60   /* points of the line on which counts are as expected */
#define RATIO_MIN   1e-4 /* smaller ratios are printed as "< 0.0001" */

/* ---- bars: a group for each event, a series for each thing it was counted in ---- */

struct bar {
    char series[NAME_SIZE];
    const char *event;
    struct statistics statistics;
};

struct bars {
    struct bar *item;
    size_t count, capacity;
};

static const struct bar *find_bar(const struct bars *bars, const char *series, const char *event)
{
    for (size_t i = 0; i < bars->count; i++) {
        if (strcmp(bars->item[i].series, series) == 0 && strcmp(bars->item[i].event, event) == 0) {
            return &bars->item[i];
        }
    }
    return NULL;
}

/* Adds a bar. A later pass that counts the same again does not replace the first. */
static void add_bar(struct bars *bars, const char *series, const char *event, const int64_t *values,
                    size_t n)
{
    if (n == 0 || find_bar(bars, series, event) != NULL) {
        return;
    }
    struct bar *bar = alloc_next(&bars->item, &bars->count, &bars->capacity, sizeof(*bar));

    snprintf(bar->series, sizeof(bar->series), "%s", series);
    bar->event = event;
    statistics_of(values, n, &bar->statistics);
}

static bool is_first(const struct bars *bars, size_t index, bool of_series)
{
    return !SEARCH_ANY(i, index,
                       of_series ? strcmp(bars->item[i].series, bars->item[index].series) == 0
                                 : strcmp(bars->item[i].event, bars->item[index].event) == 0);
}

static bool is_wide(const struct bars *bars)
{
    int64_t least = INT64_MAX;
    int64_t most = 0;

    for (size_t i = 0; i < bars->count; i++) {
        const int64_t median = bars->item[i].statistics.median;

        least = median > 0 && median < least ? median : least;
        most = median > most ? median : most;
    }
    return most > 0 && most / least >= WIDE;
}

static void add_bar_series(struct figure *figure, const struct bars *bars, const char *name)
{
    struct figure_series *series = figure_add_series(figure, name);

    for (size_t i = 0, group = 0; i < bars->count; i++) {
        if (!is_first(bars, i, false)) {
            continue;
        }
        const struct bar *bar = find_bar(bars, name, bars->item[i].event);

        if (bar != NULL) {
            figure_add_range(series, (double)group, (double)bar->statistics.median,
                             (double)bar->statistics.min, (double)bar->statistics.max);
        } else {
            figure_add_range(series, (double)group, NAN, NAN, NAN);
        }
        group++;
    }
}

static void draw_bars(struct figure *figure, const struct bars *bars, const char *label)
{
    size_t series = 0;

    figure_axes(figure, NULL, NULL, label, NULL);
    figure->y.logarithmic = is_wide(bars);
    for (size_t i = 0; i < bars->count; i++) {
        if (is_first(bars, i, false)) {
            figure_add_group(figure, bars->item[i].event);
        }
    }
    for (size_t i = 0; i < bars->count && series < SERIES_MAX; i++) {
        if (is_first(bars, i, true)) {
            add_bar_series(figure, bars, bars->item[i].series);
            series++;
        }
    }
}

/* ---- counted in each action ---- */

static void add_actions(struct figure *figure, const struct run_bench *bench,
                        const struct interactive *interactive, const struct actions *actions)
{
    struct latency_groups groups;

    latency_groups_of(&groups, interactive, actions,
                      &(struct latency_wish){.by_class = true, .bare = true});
    for (size_t g = 0; g < groups.count; g++) {
        for (size_t event = 0; event < interactive->counted_count; event++) {
            const struct latency_group *group = &groups.item[g];
            struct interactive_spread spread;

            latency_count_spread(group, actions, event, &spread);
            figure_cell(figure, "%s\t%s\t%s\t%zu of %zu", bench->name, group->label,
                        interactive->counted[event], spread.statistics.n, group->actions);
            figure_cell(figure, spread.statistics.n > 0 ? "%.1f" : "n/a", spread.mean);
            figure_cell(figure, spread.statistics.n > 1 ? "%.1f" : "n/a", spread.deviation);
        }
    }
    latency_groups_free(&groups);
}

static void figure_of_actions(struct figures *figures, const struct run *run)
{
    struct figure *figure = NULL;

    for (size_t i = 0; i < run->bench_count; i++) {
        if (!input_is_shown(run, &run->benches[i])) {
            continue;
        }
        const struct input_reading *input = input_of(&run->benches[i]);

        if (input->good && input->interactive.counts != NULL) {
            if (figure == NULL) {
                figure = figure_add(figures, FIGURE_TABLE, SECTION, "counts of actions, by class",
                                    "counts-actions");
                figure_open(figure, "lllrrr", "bench\tclass\tcounted\tn\tmean\tstandard deviation");
                figure_how(figure, "%s. n: actions with known counts",
                           interactive_counted_how(&input->interactive));
            }
            add_actions(figure, &run->benches[i], &input->interactive, &input->actions);
        }
    }
}

/* ---- counted in each sample ---- */

static bool has_source(const struct run *run, const char *source)
{
    return SEARCH_ANY(i, run->event_count,
                      run->events[i].source != NULL && strcmp(run->events[i].source, source) == 0);
}

/* States how the counts were made. */
static void describe_counting(struct figure *figure, const struct run *run)
{
    if (has_source(run, COUNTED_BY_PLUGIN)) {
        figure_how(figure, "Counted by a plugin of QEMU between the two readings of the TSC of "
                           "each sample; TLB misses are modelled. Bars: median, whiskers: min to "
                           "max");
        return;
    }
    figure_how(figure,
               "Counters were read before and after each sample%s; the events of reading them are "
               "included. Bars: median, whiskers: min to max",
               has_source(run, COUNTED_BY_ICOUNT) ? ", instructions are computed from virtual time"
                                                  : "");
}

static void figure_of_samples(struct figures *figures, const struct run *run,
                              const struct run_bench *bench)
{
    struct bars bars = {0};

    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *pass = &run->benches[i];

        for (size_t k = 0; strcmp(pass->name, bench->name) == 0 && k < pass->series_count; k++) {
            const struct run_series *series = &pass->series[k];

            if (series->of != NULL) {
                add_bar(&bars, series->of, series->event, series->samples, series->received);
            }
        }
    }
    if (bars.count > 0) {
        struct figure *figure = figure_add_of(figures, FIGURE_BARS, SECTION, bench,
                                              "events counted during a sample", "counts");

        draw_bars(figure, &bars, "count of events per sample");
        describe_counting(figure, run);
    }
    free(bars.item);
}

/* ---- kernels of known counts ---- */

struct truth {
    const char *kernel;
    struct kernel_count count;
};

struct truths {
    struct truth *item;
    size_t count, capacity;
};

static void truths_of(const struct run *run, struct truths *truths)
{
    for (size_t b = 0; b < run->bench_count; b++) {
        const struct run_bench *bench = &run->benches[b];

        for (size_t i = 0; strcmp(bench->name, BENCH_COUNTERS) == 0 && i < bench->series_count;
             i++) {
            if (bench->series[i].of == NULL) {
                continue;
            }
            struct truth *truth =
                alloc_next(&truths->item, &truths->count, &truths->capacity, sizeof(*truth));

            truth->kernel = bench->series[i].of;
            kernel_count_of(bench, &bench->series[i], &truth->count);
        }
    }
}

static bool has_place(const struct kernel_count *count)
{
    return count->has_expected && count->expected > 0 && count->measured.n > 0;
}

static bool is_first_of_event(const struct truths *truths, size_t index)
{
    return !SEARCH_ANY(i, index,
                       has_place(&truths->item[i].count) &&
                           strcmp(truths->item[i].count.event, truths->item[index].count.event) ==
                               0);
}

static void add_event_points(struct figure *figure, const struct truths *truths, const char *event)
{
    struct figure_series *series = figure_add_series(figure, event);

    for (size_t i = 0; i < truths->count; i++) {
        const struct kernel_count *count = &truths->item[i].count;

        if (has_place(count) && strcmp(count->event, event) == 0) {
            figure_add_point(series, (double)count->expected, (double)count->measured.median);
        }
    }
}

static void add_line_of_truth(struct figure *figure, const struct truths *truths)
{
    double least = INFINITY;
    double most = 0;

    for (size_t i = 0; i < truths->count; i++) {
        if (has_place(&truths->item[i].count)) {
            least = fmin(least, (double)truths->item[i].count.expected);
            most = fmax(most, (double)truths->item[i].count.expected);
        }
    }
    struct figure_series *series = figure_add_reference(figure, "as expected");

    for (int i = 0; i <= LINE_POINTS; i++) {
        const double x = least * pow(most / least, (double)i / LINE_POINTS);

        figure_add_point(series, x, x);
    }
}

static void add_truth_points(struct figures *figures, const struct truths *truths)
{
    struct figure *figure = NULL;

    for (size_t i = 0; i < truths->count; i++) {
        if (!has_place(&truths->item[i].count) || !is_first_of_event(truths, i)) {
            continue;
        }
        if (figure == NULL) {
            figure = figure_add(figures, FIGURE_POINTS, SECTION,
                                "counters: counted and expected values", "counters-truth");
            figure_axes(figure, "expected by the manual", NULL, "counted", NULL);
            figure->x.logarithmic = true;
            figure->y.logarithmic = true;
            figure_how(
                figure,
                "Median of the counts of each known kernel, over the count that the manual gives "
                "for the kernel. Kernels without an expected count are only in the table");
        }
        add_event_points(figure, truths, truths->item[i].count.event);
    }
    if (figure != NULL) {
        add_line_of_truth(figure, truths);
    }
}

static void add_error(struct figure *figure, const struct kernel_count *count)
{
    if (count->measured.n == 0) {
        figure_cell(figure, "%s", "");
    } else if (count->measured.median == count->expected) {
        figure_cell(figure, "exact");
    } else if (isnan(count->error_percent)) {
        figure_cell(figure, "%+" PRId64, count->measured.median); /* no event is expected */
    } else {
        figure_cell(figure, "%+.3f %%", count->error_percent);
    }
}

/* Returns whether an earlier pass has reported this count; some events are counted in each pass of
 * the bench. */
static bool was_reported(const struct truths *truths, size_t index)
{
    return SEARCH_ANY(i, index,
                      strcmp(truths->item[i].kernel, truths->item[index].kernel) == 0 &&
                          strcmp(truths->item[i].count.event, truths->item[index].count.event) ==
                              0);
}

static void add_truth_table(struct figures *figures, const struct truths *truths)
{
    struct figure *figure =
        figure_add(figures, FIGURE_TABLE, SECTION, "counters: known kernels", "counters-answers");

    figure_open(figure, "llrrrr", "kernel\tevent\texpected\tmedian\tmin..max\terror of the median");
    for (size_t i = 0; i < truths->count; i++) {
        const struct kernel_count *count = &truths->item[i].count;

        if (!count->has_expected || was_reported(truths, i)) {
            continue;
        }
        figure_cell(figure, "%s\t%s\t%" PRId64, truths->item[i].kernel, count->event,
                    count->expected);
        if (count->measured.n > 0) {
            figure_cell(figure, "%" PRId64 "\t%" PRId64 "..%" PRId64, count->measured.median,
                        count->measured.min, count->measured.max);
        } else {
            figure_cell(figure, "\t");
        }
        add_error(figure, count);
    }
    figure_how(figure, "Counts of one repetition of the kernel. Column expected: the number of "
                       "such instructions according to the manual. For an event that was counted "
                       "in several passes, the first pass is shown");
}

static void figures_of_kernels(struct figures *figures, const struct run *run)
{
    const struct run_bench *bench = run_find_bench(run, BENCH_COUNTERS);
    struct truths truths = {0};

    if (bench == NULL) {
        return;
    }
    truths_of(run, &truths);
    if (truths.count > 0) {
        add_truth_points(figures, &truths);
        add_truth_table(figures, &truths);
    } else {
        figure_add_absent(figures, SECTION, "counters: known kernels", "counters-answers", "%s",
                          bench->reason != NULL ? bench->reason : "no kernel was counted");
    }
    free(truths.item);
}

/* ---- ratios ---- */

/* Adds the ratios of a series. The first ratio of all creates the figure. Returns the figure. */
static struct figure *add_ratios(struct figures *figures, struct figure *figure,
                                 const struct run *run, const struct run_bench *bench,
                                 const char *of)
{
    const struct count_ratio *ratio;
    char label[RUN_LABEL_MAX];

    for (size_t i = 0; (ratio = count_ratio_at(i)) != NULL; i++) {
        const double value = count_ratio_of(bench, of, ratio);

        if (!isnan(value)) {
            const bool small = value > 0 && value < RATIO_MIN;

            if (figure == NULL) {
                figure =
                    figure_add(figures, FIGURE_TABLE, SECTION, "ratios of counts", "counts-ratios");
                figure_open(figure, "lllr", "bench\tduring\tratio of totals\tvalue");
            }
            figure_cell(figure, small ? "%s\t%s\t%s\t< %.4f" : "%s\t%s\t%s\t%.4f",
                        run_bench_label(run, bench, label), of, ratio->text,
                        small ? RATIO_MIN : value);
        }
    }
    return figure;
}

static void figure_of_ratios(struct figures *figures, const struct run *run)
{
    struct figure *figure = NULL;
    const char *of;

    for (size_t b = 0; b < run->bench_count; b++) {
        const bool kernels = strcmp(run->benches[b].name, BENCH_COUNTERS) == 0;

        for (size_t i = 0; !kernels && (of = counted_series_at(&run->benches[b], i)) != NULL; i++) {
            figure = add_ratios(figures, figure, run, &run->benches[b], of);
        }
    }
    if (figure != NULL) {
        figure_how(figure,
                   "Ratios of sums over the samples that have both counts from the same pass of "
                   "the bench; counts from two passes are never divided by each other");
    }
}

void figures_counters(struct figures *figures, const struct run *run)
{
    figure_of_actions(figures, run);
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        if (bench == run_find_bench(run, bench->name) && strcmp(bench->name, BENCH_COUNTERS) != 0 &&
            !view_has_input(bench)) {
            figure_of_samples(figures, run, bench);
        }
    }
    figures_of_kernels(figures, run);
    figure_of_ratios(figures, run);
}

PLUGIN_REGISTER(figures_counters) = {.order = 350, .figures = figures_counters};
