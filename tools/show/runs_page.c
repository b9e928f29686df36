/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/runs_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/finding/finding.h"
#include "tools/base/alloc.h"
#include "tools/finding/run_findings.h"
#include "tools/present/metrics.h"
#include "tools/run/run_kind.h"
#include "tools/show/run_figures.h"
#include "tools/show/run_page.h"
#include "tools/stats/distributions.h"
#include "tools/stats/statistics.h"

#define NS_PER_MS 1e6
#define BARS_MAX  12    /* of a key figure, all runs together */
#define TAIL      0.975 /* of Student's distribution: an interval of 95 % */

/* ---- elapsed and busy time over all runs ---- */

static bool is_time_of_phase(const struct metric *metric)
{
    return strcmp(metric->series, "elapsed") == 0 || strcmp(metric->series, "busy") == 0;
}

/* In ms, of each run that has it. */
static size_t values_of(const struct metrics *metrics, size_t runs, const char *name,
                        double values[RUNS_PAGE_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < runs; i++) {
        const struct metric *metric = metrics_find(&metrics[i], name);

        if (metric != NULL && metric->n > 0 && metrics[i].ns_per_tick > 0) {
            values[n++] = metric->values[0] * metrics[i].ns_per_tick / NS_PER_MS;
        }
    }
    return n;
}

static void add_number(struct figure *figure, bool known, double value)
{
    if (known) {
        figure_cell(figure, "%.3f", value);
    } else {
        figure_cell(figure, "n/a");
    }
}

/* A mean stands with its deviation and interval; one value has neither. */
static void add_row(struct figure *figure, const char *name, const double *values, size_t n)
{
    const double mean = n > 0 ? statistics_mean(values, n) : NAN;
    const double deviation =
        n > 1 ? sqrt(statistics_covariation(values, n, mean, 0) / (double)(n - 1)) : NAN;
    const double half =
        n > 1 ? distribution_student_quantile(TAIL, (double)(n - 1)) * deviation / sqrt((double)n)
              : NAN;
    double least = INFINITY;
    double most = -INFINITY;

    for (size_t i = 0; i < n; i++) {
        least = fmin(least, values[i]);
        most = fmax(most, values[i]);
    }
    figure_cell(figure, "%s", name);
    figure_cell(figure, "%zu", n);
    add_number(figure, n > 0, mean);
    add_number(figure, n > 1, deviation);
    add_number(figure, n > 1, mean - half);
    add_number(figure, n > 1, mean + half);
    add_number(figure, n > 0, least);
    add_number(figure, n > 0, most);
}

static bool is_in(const struct metrics *metrics, size_t runs, const char *name)
{
    for (size_t i = 0; i < runs; i++) {
        if (metrics_find(&metrics[i], name) != NULL) {
            return true;
        }
    }
    return false;
}

static void add_times(struct figures *figures, const struct metrics *metrics, size_t runs)
{
    static const char *const heads[] = {"time of",   "runs", "mean", "deviation",
                                        "95 % from", "to",   "min",  "max"};
    struct figure *figure = figure_add(figures, FIGURE_TABLE, "All runs",
                                       "Elapsed and busy time over all runs", "runs-times");

    figure_how(figure,
               "ms; from the first input's arrival to the last effect, and of that what the "
               "processor was busy; deviation of a sample, and the interval of the mean by "
               "Student's distribution");
    figure_table(figure, "lrrrrrrr", heads);
    for (size_t i = 0; i < runs; i++) {
        for (size_t k = 0; k < metrics[i].count; k++) {
            const struct metric *metric = &metrics[i].item[k];
            double values[RUNS_PAGE_MAX];

            if (is_time_of_phase(metric) && !is_in(metrics, i, metric->name)) {
                add_row(figure, metric->name, values,
                        values_of(metrics, runs, metric->name, values));
            }
        }
    }
}

/* ---- figures of all runs ---- */

/* `text` becomes first, middle and second, which may hold what it was. */
static void set_joined(char **text, const char *first, const char *middle, const char *second)
{
    const size_t size = strlen(first) + strlen(middle) + strlen(second) + 1;
    char *made = alloc_zeroed(size);

    snprintf(made, size, "%s%s%s", first, middle, second);
    free(*text);
    *text = made;
}

static bool is_same(const char *left, const char *right)
{
    return left == NULL || right == NULL ? left == right : strcmp(left, right) == 0;
}

static bool has_curves(const struct figure *figure)
{
    return figure->kind == FIGURE_LINES || figure->kind == FIGURE_STEPS ||
           figure->kind == FIGURE_STICKS || figure->kind == FIGURE_POINTS ||
           figure->kind == FIGURE_HISTOGRAM;
}

/* Curves of the same axes. */
static bool joins(const struct figure *figure, const struct figure *other)
{
    return strcmp(figure->id, other->id) == 0 && figure->kind == other->kind &&
           has_curves(figure) && is_same(figure->x.unit, other->x.unit) &&
           is_same(figure->y.unit, other->y.unit);
}

static void name_series(struct figure *figure, const char *label)
{
    for (size_t i = 0; i < figure->series_count; i++) {
        set_joined(&figure->series[i].name, label, ": ", figure->series[i].name);
    }
}

/* Moves the curves; what stands aside is left out, as it has to be last. */
static void join(struct figure *figure, struct figure *other)
{
    for (size_t i = 0; i < other->series_count; i++) {
        struct figure_series *series = &other->series[i];

        if (series->aside ||
            (figure->series_count > 0 && figure->series[figure->series_count - 1].aside)) {
            continue;
        }
        figure->series = alloc_append(figure->series, &figure->series_count,
                                      &figure->series_capacity, sizeof(*figure->series));
        figure->series[figure->series_count - 1] = *series;
        *series = (struct figure_series){0};
    }
}

/* Moves the figure behind the last one of its section. */
static void insert(struct figures *figures, struct figure *figure)
{
    size_t at = figures->count;

    while (at > 0 && strcmp(figures->item[at - 1].section, figure->section) != 0) {
        at--;
    }
    at = at > 0 ? at : figures->count;
    figures->item =
        alloc_append(figures->item, &figures->count, &figures->capacity, sizeof(*figures->item));
    memmove(&figures->item[at + 1], &figures->item[at],
            (figures->count - 1 - at) * sizeof(*figures->item));
    figures->item[at] = *figure;
    *figure = (struct figure){0};
}

/* Bars of all runs in one figure, `most` groups of each. False: they
 * are of another unit. */
static bool join_bars(struct figure *figure, const struct figure *other, const char *label,
                      size_t most)
{
    if (!is_same(figure->y.unit, other->y.unit)) {
        return false;
    }
    for (size_t i = 0; i < other->groups.count && i < most; i++) {
        const double group = (double)figure->groups.count;
        char name[RUNS_PAGE_TEXT_MAX];

        snprintf(name, sizeof(name), "%s: %s", label, other->groups.item[i]);
        figure_add_group(figure, name);
        for (size_t s = 0; s < figure->series_count && s < other->series_count; s++) {
            const struct figure_series *series = &other->series[s];

            if (i >= series->n) {
                continue;
            }
            /* Of a series all points have a deviation, or none. */
            const bool ranges = figure->series[s].low != NULL || figure->series[s].n == 0;

            if (series->low != NULL && ranges) {
                figure_add_range(&figure->series[s], group, series->y[i], series->low[i],
                                 series->high[i]);
            } else if (series->low == NULL && figure->series[s].low == NULL) {
                figure_add_point(&figure->series[s], group, series->y[i]);
            }
        }
    }
    return true;
}

/* Of key figures the bars of all runs are one; the others are left out, as many would be no glance.
 */
static bool add_key(struct figures *figures, const struct figure *figure, const char *label,
                    size_t most)
{
    if (strcmp(figure->section, FIGURE_SECTION_KEY) != 0) {
        return false;
    }
    if (figure->kind != FIGURE_BARS) {
        return true;
    }
    for (size_t i = 0; i < figures->count; i++) {
        if (strcmp(figures->item[i].id, figure->id) == 0) {
            return join_bars(&figures->item[i], figure, label, most);
        }
    }
    struct figure *first =
        figure_add(figures, FIGURE_BARS, FIGURE_SECTION_KEY, figure->title, "%s", figure->id);

    figure_axes(first, NULL, NULL, figure->y.label, figure->y.unit);
    figure_how(first, "%s", figure->how != NULL ? figure->how : "");
    for (size_t s = 0; s < figure->series_count; s++) {
        figure_add_series(first, figure->series[s].name)->reference = figure->series[s].reference;
    }
    first->y.logarithmic = figure->y.logarithmic;
    return join_bars(first, figure, label, most);
}

static void add_figure(struct figures *figures, struct figure *figure, const char *label,
                       size_t number, size_t runs)
{
    char behind[32];

    if (add_key(figures, figure, label, runs < BARS_MAX ? BARS_MAX / runs : 1)) {
        return;
    }

    name_series(figure, label);
    for (size_t i = 0; i < figures->count; i++) {
        if (joins(&figures->item[i], figure)) {
            join(&figures->item[i], figure);
            return;
        }
    }
    if (!has_curves(figure)) {
        snprintf(behind, sizeof(behind), "run-%zu", number);
        set_joined(&figure->id, figure->id, "-", behind);
        set_joined(&figure->title, label, ": ", figure->title);
    }
    insert(figures, figure);
}

static void add_run(struct figures *figures, const struct runs_page_run *run, size_t number,
                    size_t runs)
{
    struct figures own;

    figures_init(&own);
    run_figures(&own, &run->run, &(struct figures_progress){NULL, NULL});
    for (size_t i = 0; i < own.count; i++) {
        add_figure(figures, &own.item[i], run->label, number, runs);
    }
    figures_free(&own);
}

/* ---- page ---- */

/* The worst of each run is one of the page's findings. */
static void add_worst(struct runs_page *page, const struct runs_page_run *run,
                      const struct run_texts *reasons)
{
    struct findings findings;
    const size_t at = page->page.finding_count;

    run_findings(&run->run, reasons, &findings);
    if (findings.count > 0 && at < RUNS_PAGE_MAX) {
        snprintf(page->worst[at], sizeof(page->worst[at]), "%.80s: %s", run->label,
                 findings.item[0].text);
        page->lines[at] = (struct page_finding){finding_class_text(findings.item[0].class),
                                                page->worst[at], findings.item[0].bench};
        page->page.finding_count++;
    }
}

void runs_page_make(struct runs_page *page, struct runs_page_run *runs, size_t count)
{
    struct metrics metrics[RUNS_PAGE_MAX];
    bool good = true;

    *page = (struct runs_page){.page = {.brief = page->facts,
                                        .brief_count = count,
                                        .findings = page->lines,
                                        .tabs = run_page_tabs,
                                        .tab_count = run_page_tab_count}};
    figures_init(&page->figures);
    for (size_t i = 0; i < count; i++) {
        struct run_texts reasons = {0};
        const bool valid = run_valid(&runs[i].run, &reasons);

        snprintf(page->values[i], RUNS_PAGE_TEXT_MAX, "%s, %s%s%s", valid ? "VALID" : "INVALID",
                 run_time_label(&runs[i].run), reasons.count > 0 ? ": " : "",
                 reasons.count > 0 ? reasons.item[0] : "");
        page->facts[i] = (struct page_fact){runs[i].label, page->values[i]};
        good = good && valid;
        add_worst(page, &runs[i], &reasons);
        run_texts_free(&reasons);
        metrics_of(&runs[i].run, &metrics[i]);
    }
    add_times(&page->figures, metrics, count);
    for (size_t i = 0; i < count; i++) {
        metrics_free(&metrics[i]);
        add_run(&page->figures, &runs[i], i + 1, count);
    }
    run_page_order(&page->figures);
    snprintf(page->title, sizeof(page->title), "tare: %zu runs", count);
    page->page.title = page->title;
    page->page.verdict = good ? "VALID" : "INVALID";
    page->page.good = good;
    page->page.figures = &page->figures;
}

void runs_page_free(struct runs_page *page)
{
    figures_free(&page->figures);
}
