/* SPDX-License-Identifier: BSD-2-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/memory/names.h"
#include "bench/system/host/view_system.h"
#include "bench/system/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/number.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/run/curves.h"
#include "tools/run/run_kind.h"
#include "tools/stats/summary.h"

#define PERCENT 100

/* Returns true for a part of a curve; other views show curves. */
static bool is_of_curve(const struct run_bench *bench, const char *name)
{
    return text_ends(name, SUFFIX_X) || text_ends(name, SUFFIX_N) ||
           run_series_named(bench, "%s" SUFFIX_X, name) != NULL;
}

static bool is_shown(const struct run_bench *bench, const struct run_series *series)
{
    return series->of == NULL && series->received > 0 && !text_ends(series->name, SUFFIX_TWICE) &&
           !is_of_curve(bench, series->name);
}

/* Finds the most frequent of n sorted costs. */
static void find_mode(const double *costs, size_t n, struct system_cost *cost)
{
    size_t most = 0;

    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && costs[end] <= costs[i];) {
            end++;
        }
        if (end - i > most) {
            most = end - i;
            cost->mode = costs[i];
        }
    }
    cost->share = (double)most / (double)n;
}

/* Summarises the costs; sorts them. */
static void summarise(double *costs, size_t n, struct system_cost *cost)
{
    sort_reals(costs, n);
    *cost = (struct system_cost){
        .n = n,
        .median = summary_quantile_of(costs, n, 0.5),
        .min = costs[0],
        .max = costs[n - 1],
        .quarter = summary_quantile_of(costs, n, 0.25),
        .three_quarters = summary_quantile_of(costs, n, 0.75),
    };
    find_mode(costs, n, cost);
}

static bool read_cost(const struct run_bench *bench, const char *name, struct system_cost *cost)
{
    size_t n;
    double *costs = costs_read(bench, name, &n);

    if (costs == NULL) {
        return false;
    }
    summarise(costs, n, cost);
    free(costs);
    return true;
}

static void read_plain(const struct run_series *series, struct system_cost *cost)
{
    double *costs = alloc_zeroed(series->received * sizeof(*costs));

    for (size_t i = 0; i < series->received; i++) {
        costs[i] = (double)series->samples[i];
    }
    summarise(costs, series->received, cost);
    free(costs);
}

bool system_cost_read(const struct run_bench *bench, const struct run_series *series,
                      struct system_cost *cost)
{
    const bool pairs = costs_are_pairs(bench, series->name);
    const char *frame = costs_around(bench, series->name);
    struct system_cost less = {0};

    if (pairs && !read_cost(bench, series->name, cost)) {
        return false;
    }
    if (!pairs) {
        read_plain(series, cost);
    }
    if (frame != NULL && pairs && !read_cost(bench, frame, &less)) {
        return false;
    }
    if (frame != NULL && !pairs) {
        read_plain(run_find_series(bench, frame), &less);
    }
    cost->median -= less.median;
    cost->min -= less.median;
    cost->max -= less.median;
    cost->quarter -= less.median;
    cost->three_quarters -= less.median;
    cost->mode -= less.median;
    return true;
}

static bool is_ticks(const struct run_series *series)
{
    return series->unit == NULL || strcmp(series->unit, UNIT_TICK) == 0;
}

/* Converts ticks to the unit of the table: instructions if the TSC counts those. */
static double in_unit(const struct view *view, const struct run_series *series, double ticks)
{
    return is_ticks(series) && view->ticks_per_instruction > 0 ? ticks / view->ticks_per_instruction
                                                               : ticks;
}

static void number_cell(struct table *table, double value, const char *sign)
{
    char text[NUMBER_MAX];

    table_text(table, *sign != '\0' ? number_signed(value, text) : number_text(value, text));
}

bool system_cost_expected(const struct view *view, const struct run_expect *expect,
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
    const bool ns = strcmp(unit, UNIT_NANOSECOND) == 0;

    *expected = ns && view->ns_per_tick > 0 ? (double)expect->value / view->ns_per_tick
                                            : (double)expect->value;
    return expect->has_value && (strcmp(unit, UNIT_CYCLE) == 0 || strcmp(unit, UNIT_TICK) == 0 ||
                                 (ns && view->ns_per_tick > 0));
}

static void expected_cells(struct table *table, const struct view *view,
                           const struct run_expect *expect, double value)
{
    double expected;

    if (!system_cost_expected(view, expect, &expected)) {
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
                        const struct run_series *series, const struct system_cost *cost)
{
    const double min = in_unit(view, series, cost->min);
    const double max = in_unit(view, series, cost->max);

    if (cost->min == cost->max) {
        table_text(table, view_constant(view));
    } else {
        char from[NUMBER_MAX];
        char to[NUMBER_MAX];

        table_format(table, "%s..%s", number_text(min, from), number_text(max, to));
    }
}

/* Returns whether costs are shown by their mode: a host's interruptions are then no part of it. */
static bool has_modes(const struct view *view)
{
    return view->ticks_per_instruction > 0 && !run_is_exact(view->run);
}

static void add_row(struct table *table, const struct view *view, const struct run_bench *bench,
                    const struct run_series *series)
{
    struct system_cost cost;
    char time[AMOUNT_MAX];

    if (!system_cost_read(bench, series, &cost)) {
        return;
    }
    const double value = in_unit(view, series, has_modes(view) ? cost.mode : cost.median);

    table_named_row(table, series->name);
    table_format(table, "%zu", cost.n);
    number_cell(table, value, "");
    if (has_modes(view)) {
        table_format(table, "%.0f %%", cost.share * PERCENT);
    } else if (view->ticks_per_instruction <= 0) {
        table_text(table, is_ticks(series) && view->ns_per_tick > 0
                              ? duration_text(cost.median * view->ns_per_tick, time)
                              : NULL);
    }
    spread_cell(table, view, series, &cost);
    /* Below a hypervisor, bench exits measures its path, of which the bench expects nothing. */
    const bool is_path = has_modes(view) && strcmp(bench->name, BENCH_EXITS) == 0;

    expected_cells(table, view, is_path ? NULL : run_find_expect(bench, series->name), value);
}

const char *costs_taken_off(const struct run_bench *bench)
{
    bool loop = false;
    bool empty = false;

    for (size_t i = 0; i < bench->series_count; i++) {
        const struct run_series *series = &bench->series[i];
        const char *frame = is_shown(bench, series) ? costs_around(bench, series->name) : NULL;

        loop = loop || (frame != NULL && strcmp(frame, SERIES_LOOP) == 0);
        empty = empty || (frame != NULL && strcmp(frame, SERIES_EMPTY) == 0);
    }
    if (loop && empty) {
        return ", less the median of `loop` or `empty`";
    }
    return loop ? ", less the median of `loop`" : empty ? ", less the median of `empty`" : "";
}

bool view_has_costs(const struct run_bench *bench)
{
    const char *group = bench->group != NULL ? bench->group : "";

    if (strcmp(group, GROUP_SYSTEM) != 0 && strcmp(group, GROUP_MEMORY) != 0) {
        return false;
    }
    return SEARCH_ANY(i, bench->series_count,
                      is_shown(bench, &bench->series[i]) &&
                          (costs_are_pairs(bench, bench->series[i].name) ||
                           costs_around(bench, bench->series[i].name) != NULL));
}

void costs_table(struct table *table, const struct view *view, const struct run_bench *bench)
{
    const bool exact = run_is_exact(view->run);

    table_open(table, exact ? "lrrrrr" : "lrrrrrr",
               exact             ? "cost\tn\tmedian\tmin..max\texpected\tdifference"
               : has_modes(view) ? "cost\tn\tmode\tshare\tmin..max\texpected\tdifference"
                                 : "cost\tn\tmedian\ttime\tmin..max\texpected\tdifference");
    for (size_t i = 0; i < bench->series_count; i++) {
        if (is_shown(bench, &bench->series[i])) {
            add_row(table, view, bench, &bench->series[i]);
        }
    }
}

void view_costs(const struct view *view, const struct run_bench *bench)
{
    const bool exact = view->ticks_per_instruction > 0;
    struct table table;

    costs_table(&table, view, bench);
    print_paragraph(view->out, "costs in %s%s:",
                    exact ? "instructions" : "ticks of the TSC, expected in cycles of a processor",
                    costs_taken_off(bench));
    view_table(view, &table);
}

/* the metric that represents each bench in one-line summaries */
PLUGIN_OF(clock, .order = 500, .metrics = {.main = "tsc.cost"});
PLUGIN_OF(creation, .order = 500, .metrics = {.main = "process"});
PLUGIN_OF(exceptions, .order = 500, .metrics = {.main = "page_fault.entry"});
