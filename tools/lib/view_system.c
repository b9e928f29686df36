/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/curves.h"
#include "tools/lib/statistics.h"
#include "tools/lib/views.h"

#define SERIES_NAME_MAX 128
#define COLUMNS         7
#define PERCENT         100

/* A cost or a plain series in ticks of one repetition, what surrounds it taken off. */
struct derived {
    size_t n;
    double median, min, max;
};

static const struct run_series *find_with(const struct run_bench *bench, const char *name,
                                          const char *suffix)
{
    char full[SERIES_NAME_MAX];

    snprintf(full, sizeof(full), "%s%s", name, suffix);
    return run_find_series(bench, full);
}

static bool ends_with(const char *name, const char *suffix)
{
    const size_t length = strlen(name);
    const size_t end = strlen(suffix);

    return length > end && strcmp(name + length - end, suffix) == 0;
}

/* The middle, or a part, of a curve: other views show these. */
static bool is_of_curve(const struct run_bench *bench, const char *name)
{
    return ends_with(name, ".x") || ends_with(name, ".n") || find_with(bench, name, ".x") != NULL;
}

/* By once and twice. */
static bool is_cost(const struct run_bench *bench, const char *name)
{
    return find_with(bench, name, ".twice") != NULL;
}

static bool is_shown(const struct run_bench *bench, const struct run_series *series)
{
    return series->of == NULL && series->received > 0 && !ends_with(series->name, ".twice") &&
           !is_of_curve(bench, series->name);
}

static bool read_cost(const struct run_bench *bench, const char *name, struct derived *derived)
{
    double *costs = costs_read(bench, name, &derived->n);

    if (costs == NULL) {
        return false;
    }
    costs_sort(costs, derived->n);
    derived->median = costs_median(costs, derived->n);
    derived->min = costs[0];
    derived->max = costs[derived->n - 1];
    free(costs);
    return true;
}

static void read_plain(const struct run_series *series, struct derived *derived)
{
    struct statistics statistics;

    statistics_of(series->samples, series->received, &statistics);
    *derived = (struct derived){
        .n = statistics.n,
        .median = (double)statistics.median,
        .min = (double)statistics.min,
        .max = (double)statistics.max,
    };
}

/* What is around each cost of the bench, or around each plain series; NULL where nothing is, or
 * this is it. */
static const char *around(const struct run_bench *bench, const char *name)
{
    const char *frame = is_cost(bench, name) ? "loop" : "empty";
    const struct run_series *series = run_find_series(bench, frame);

    return series != NULL && series->received > 0 && strcmp(name, frame) != 0 &&
                   is_cost(bench, frame) == is_cost(bench, name)
               ? frame
               : NULL;
}

static bool read_derived(const struct run_bench *bench, const struct run_series *series,
                         struct derived *derived)
{
    const bool cost = is_cost(bench, series->name);
    const char *frame = around(bench, series->name);
    struct derived less = {0};

    if (cost && !read_cost(bench, series->name, derived)) {
        return false;
    }
    if (!cost) {
        read_plain(series, derived);
    }
    if (frame != NULL && cost && !read_cost(bench, frame, &less)) {
        return false;
    }
    if (frame != NULL && !cost) {
        read_plain(run_find_series(bench, frame), &less);
    }
    derived->median -= less.median;
    derived->min -= less.median;
    derived->max -= less.median;
    return true;
}

static bool is_ticks(const struct run_series *series)
{
    return series->unit == NULL || strcmp(series->unit, "tick") == 0;
}

/* Ticks to the unit of the table: instructions where the TSC counts those. */
static double in_unit(const struct view *view, const struct run_series *series, double ticks)
{
    return is_ticks(series) && view->ticks_per_instruction > 0 ? ticks / view->ticks_per_instruction
                                                               : ticks;
}

/* Numbers of instructions are whole; means of ticks are told to a hundredth. */
static void number_cell(struct table *table, double value, const char *sign)
{
    char text[AMOUNT_MAX];

    snprintf(text, sizeof(text), *sign != '\0' ? "%+.2f" : "%.2f", value);
    if (ends_with(text, ".00")) {
        text[strlen(text) - 3] = '\0';
    }
    table_text(table, strcmp(text, "-0") == 0 ? "0" : text);
}

/* In the unit of the table; false: nothing is expected there. */
static bool expected_in_unit(const struct view *view, const struct run_expect *expect,
                             double *expected)
{
    if (expect == NULL) {
        return false;
    }
    if (view->ticks_per_instruction > 0) {
        *expected = (double)expect->instructions;
        return expect->has_instructions;
    }
    const char *unit = expect->unit != NULL ? expect->unit : "";
    const bool ns = strcmp(unit, "ns") == 0;

    *expected = ns && view->ns_per_tick > 0 ? (double)expect->value / view->ns_per_tick
                                            : (double)expect->value;
    return expect->has_value && (strcmp(unit, "cycle") == 0 || strcmp(unit, "tick") == 0 ||
                                 (ns && view->ns_per_tick > 0));
}

static void expected_cells(struct table *table, const struct view *view,
                           const struct run_expect *expect, double value)
{
    double expected;

    if (!expected_in_unit(view, expect, &expected)) {
        table_text(table, NULL);
        table_text(table, NULL);
        return;
    }
    const double difference = value - expected;

    number_cell(table, expected, "");
    if (fabs(difference) < 0.005) {
        table_text(table, "none");
    } else if (view->ticks_per_instruction > 0 || expected == 0) {
        number_cell(table, difference, "+");
    } else {
        table_format(table, "%+.0f %%", difference / expected * PERCENT);
    }
}

static void spread_cell(struct table *table, const struct view *view,
                        const struct run_series *series, const struct derived *derived)
{
    const double min = in_unit(view, series, derived->min);
    const double max = in_unit(view, series, derived->max);

    if (derived->min == derived->max) {
        table_text(table, "exact");
    } else if (min == floor(min) && max == floor(max)) {
        table_format(table, "%.0f..%.0f", min, max);
    } else {
        table_format(table, "%.2f..%.2f", min, max);
    }
}

static void add_row(struct table *table, const struct view *view, const struct run_bench *bench,
                    const struct run_series *series)
{
    struct derived derived;
    char time[AMOUNT_MAX];

    if (!read_derived(bench, series, &derived)) {
        return;
    }
    const double median = in_unit(view, series, derived.median);

    table_row(table);
    table_text(table, series->name);
    table_format(table, "%zu", derived.n);
    number_cell(table, median, "");
    if (view->ticks_per_instruction <= 0) {
        table_text(table, is_ticks(series) && view->ns_per_tick > 0
                              ? duration_text(derived.median * view->ns_per_tick, time)
                              : NULL);
    }
    spread_cell(table, view, series, &derived);
    expected_cells(table, view, run_find_expect(bench, series->name), median);
}

/* What has been taken off, for the heading. */
static const char *taken_off(const struct run_bench *bench)
{
    bool loop = false;
    bool empty = false;

    for (size_t i = 0; i < bench->series_count; i++) {
        const struct run_series *series = &bench->series[i];
        const char *frame = is_shown(bench, series) ? around(bench, series->name) : NULL;

        loop = loop || (frame != NULL && strcmp(frame, "loop") == 0);
        empty = empty || (frame != NULL && strcmp(frame, "empty") == 0);
    }
    if (loop && empty) {
        return ", less the median of `loop` or `empty`";
    }
    return loop ? ", less the median of `loop`" : empty ? ", less the median of `empty`" : "";
}

bool view_has_costs(const struct run_bench *bench)
{
    const char *group = bench->group != NULL ? bench->group : "";

    if (strcmp(group, "system") != 0 && strcmp(group, "memory") != 0) {
        return false;
    }
    for (size_t i = 0; i < bench->series_count; i++) {
        if (is_shown(bench, &bench->series[i]) && (is_cost(bench, bench->series[i].name) ||
                                                   around(bench, bench->series[i].name) != NULL)) {
            return true;
        }
    }
    return false;
}

void view_costs(const struct view *view, const struct run_bench *bench)
{
    static const char *const exact_heads[COLUMNS] = {"cost",     "n",        "median",
                                                     "min..max", "expected", "difference"};
    static const char *const heads[COLUMNS] = {"cost",     "n",        "median",    "time",
                                               "min..max", "expected", "difference"};
    const bool exact = view->ticks_per_instruction > 0;
    struct table table;

    table_head(&table, exact ? "lrrrrr" : "lrrrrrr", exact ? exact_heads : heads);
    for (size_t i = 0; i < bench->series_count; i++) {
        if (is_shown(bench, &bench->series[i])) {
            add_row(&table, view, bench, &bench->series[i]);
        }
    }
    print_paragraph(view->out, "costs in %s%s:",
                    exact ? "instructions" : "ticks of the TSC, expected in cycles of a processor",
                    taken_off(bench));
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}
