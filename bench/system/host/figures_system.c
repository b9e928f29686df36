/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of what the operations of a system cost, compared with what was expected. */
#include <math.h>
#include <stdio.h>

#include "bench/memory/names.h"
#include "bench/system/host/view_system.h"
#include "bench/system/names.h"
#include "kernel/run/names.h"
#include "tools/figure/figure.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/run/curves.h"
#include "tools/run/estimates.h"
#include "tools/run/run_kind.h"

#define NAME_MAX_BYTES 64
#define ARGUMENTS_MAX  7

static const char section[] = "System";
/* Benches whose figures this file draws; others of their group are reported with memory and with
 * processors. */
static const char *const benches[] = {BENCH_LOOP,    BENCH_CLOCKREAD,  BENCH_CALL,
                                      BENCH_SYSCALL, BENCH_EXCEPTIONS, BENCH_CONTEXTSWITCH,
                                      BENCH_CREATION};

struct part {
    struct figures *figures;
    const struct run *run;
    struct view view;
};

/* Reads a cost in ticks. Returns false if the run has no such cost. */
static bool read_cost(const struct part *part, const char *bench_name, const char *name,
                      struct system_cost *cost)
{
    const struct run_bench *bench = run_find_bench(part->run, bench_name);
    const struct run_series *series = bench != NULL ? run_find_series(bench, name) : NULL;

    return series != NULL && series->received > 0 && system_cost_read(bench, series, cost);
}

/* Returns the expected cost in units of `scale`, or NAN if nothing is expected in them. */
static double expected_of(const struct part *part, const char *bench_name, const char *name,
                          const struct figure_scale *scale)
{
    const struct run_bench *bench = run_find_bench(part->run, bench_name);
    double expected;

    if (bench == NULL ||
        !system_cost_expected(&part->view, run_find_expect(bench, name), &expected)) {
        return NAN;
    }
    return part->view.ticks_per_instruction > 0 ? expected : expected * scale->per_tick;
}

static void add_cost(struct figure_series *series, double x, const struct system_cost *cost,
                     const struct figure_scale *scale)
{
    figure_add_range(series, x, cost->median * scale->per_tick, cost->quarter * scale->per_tick,
                     cost->three_quarters * scale->per_tick);
}

/* ---- tables ---- */

static bool has_results(const struct run *run)
{
    struct estimates_result result;

    for (size_t i = 0; estimates_row_at(i) != NULL; i++) {
        estimates_read(run, estimates_row_at(i), &result);
        if (result.missing == NULL) {
            return true;
        }
    }
    return false;
}

static void add_report(const struct part *part)
{
    struct table table;

    if (!has_results(part->run)) {
        return;
    }
    estimates_table(&table, part->run);
    struct figure *figure = figure_add_table(
        part->figures, section, "Estimates compared with results", &table, "system-table");

    figure_how(figure,
               "Medians in %s, less the cost of the code around each operation, compared with "
               "Kalyanaraman and Ganapathy, "
               "Systems Measurement, 2014: i5-4258U (Haswell), OS X 10.10, where a cycle is 0.417 "
               "ns. difference: between measurement and estimate.",
               run_time_label(part->run));
}

static void add_costs(const struct part *part, const struct run_bench *bench)
{
    char title[RUN_LABEL_MAX + 16];
    struct table table;

    costs_table(&table, &part->view, bench);
    snprintf(title, sizeof(title), "Costs: %.80s", bench->name);
    struct figure *figure =
        figure_add_table(part->figures, section, title, &table, "costs-%s", bench->name);

    figure_how(figure, "%s of n samples in %s%s.%s%s%s",
               part->view.ticks_per_instruction > 0 && !run_is_exact(part->run) ? "Modes"
                                                                                : "Medians",
               part->view.ticks_per_instruction > 0
                   ? "instructions"
                   : "ticks of the TSC, expected in cycles of a processor",
               costs_taken_off(bench), bench->estimate != NULL ? " Expected: " : "",
               bench->estimate != NULL ? bench->estimate : "", bench->estimate != NULL ? "." : "");
}

/* ---- main costs ---- */

static const struct {
    const char *group;
    const char *bench;
    const char *series;
} main_costs[] = {
    {"clock read", BENCH_CLOCKREAD, COST_RDTSC},
    {"call", BENCH_CALL, COST_REGISTER "0"},
    {"system call", BENCH_SYSCALL, CALL_NULL},
    {"thread switch", BENCH_CONTEXTSWITCH, SERIES_THREAD_YIELD},
    {"pipe, round trip", BENCH_CONTEXTSWITCH, SERIES_PROCESS_PIPE_ROUND},
    {"page fault, held page", BENCH_PAGEFAULT, KIND_MINOR},
    {"page fault, new page", BENCH_PAGEFAULT, KIND_DEMAND_ZERO},
    {"thread, whole life", BENCH_CREATION, SERIES_THREAD},
    {"process, whole life", BENCH_CREATION, SERIES_PROCESS},
};

#define MAIN_COSTS (sizeof(main_costs) / sizeof(main_costs[0]))

static void add_main_costs(const struct part *part)
{
    const struct figure_scale scale = figure_length_scale(part->run, 1);
    struct system_cost costs[MAIN_COSTS];
    size_t which[MAIN_COSTS];
    size_t count = 0;

    for (size_t i = 0; i < MAIN_COSTS; i++) {
        which[count] = i;
        count += read_cost(part, main_costs[i].bench, main_costs[i].series, &costs[count]);
    }
    if (count < 2) {
        return;
    }
    struct figure *figure =
        figure_add(part->figures, FIGURE_BARS, section, "Cost of operations", "system-costs");
    struct figure_series *series = figure_add_series(figure, "measured");

    figure_axes(figure, NULL, NULL, "cost", scale.unit);
    figure->y.logarithmic = true;
    for (size_t i = 0; i < count; i++) {
        figure_add_group(figure, main_costs[which[i]].group);
        add_cost(series, (double)i, &costs[i], &scale);
    }
    series = figure_add_reference(figure, "expected");
    for (size_t i = 0; i < count; i++) {
        figure_add_point(
            series, (double)i,
            expected_of(part, main_costs[which[i]].bench, main_costs[which[i]].series, &scale));
    }
    figure_how(figure,
               "Medians for one operation, less the loop or the clock reads around it, in %s; "
               "whiskers: the middle half of all samples. Expected: published before the run; "
               "whole life: creating, running, ending and joining.",
               run_time_label(part->run));
}

/* ---- arguments ---- */

/* Adds the costs PREFIX0 to PREFIX7. `first` is the name of the cost without arguments if it is not
 * PREFIX0, otherwise NULL. */
static void add_arguments(const struct part *part, struct figure *figure, const char *bench,
                          const char *prefix, const char *first, const char *series_name,
                          const struct figure_scale *scale)
{
    struct figure_series *series = NULL;
    struct system_cost cost;
    char name[NAME_MAX_BYTES];

    for (int i = 0; i <= ARGUMENTS_MAX; i++) {
        snprintf(name, sizeof(name), "%s%d", prefix, i);
        if (!read_cost(part, bench, i == 0 && first != NULL ? first : name, &cost)) {
            continue;
        }
        series = series != NULL ? series : figure_add_series(figure, series_name);
        add_cost(series, i, &cost, scale);
    }
}

/* Returns NULL if the run has no cost without arguments. */
static struct figure *begin_arguments(const struct part *part, const char *bench, const char *none,
                                      const char *what, struct figure_scale *scale)
{
    struct system_cost cost;
    char title[NAME_MAX_BYTES];
    char axis[NAME_MAX_BYTES];

    if (!read_cost(part, bench, none, &cost)) {
        return NULL;
    }
    *scale = figure_length_scale(part->run, cost.median);
    snprintf(title, sizeof(title), "Cost of a %s by number of arguments", what);
    snprintf(axis, sizeof(axis), "time of a %s, including the return", what);
    struct figure *figure =
        figure_add(part->figures, FIGURE_LINES, section, title, "%s-arguments", bench);

    figure_axes(figure, "arguments", NULL, axis, scale->unit);
    return figure;
}

static void add_calls(const struct part *part)
{
    struct figure_scale scale;
    struct figure *figure = begin_arguments(part, BENCH_CALL, COST_REGISTER "0", "call", &scale);

    if (figure != NULL) {
        add_arguments(part, figure, BENCH_CALL, COST_REGISTER, NULL, "in registers", &scale);
        add_arguments(part, figure, BENCH_CALL, COST_STACK, NULL, "on the stack", &scale);
        figure_how(
            figure,
            "Medians of one repetition, less the median of the loop, in %s; whiskers: the middle "
            "half of all samples. The series \"in registers\" passes the seventh argument "
            "on the stack.",
            run_time_label(part->run));
    }
    figure = begin_arguments(part, BENCH_SYSCALL, CALL_NULL, "system call", &scale);
    if (figure != NULL) {
        add_arguments(part, figure, BENCH_SYSCALL, CALL_ARGUMENTS, CALL_NULL, "SYSCALL", &scale);
        figure_how(figure,
                   "Medians of single calls, less the median time of reading the clock twice, in "
                   "%s; whiskers: "
                   "the middle half of all samples.",
                   run_time_label(part->run));
    }
}

/* ---- exceptions ---- */

static const char *const exception_kinds[] = {CLASS_DIVIDE,    CLASS_PAGE_FAULT, CLASS_PROTECTION,
                                              CLASS_UNDEFINED, CLASS_INT,        CLASS_SELF_IPI,
                                              CLASS_TIMER};
static const char *const exception_parts[] = {PART_ENTRY, PART_HANDLER, PART_RETURN};

#define EXCEPTION_KINDS (sizeof(exception_kinds) / sizeof(exception_kinds[0]))
#define EXCEPTION_PARTS (sizeof(exception_parts) / sizeof(exception_parts[0]))

static bool read_exception(const struct part *part, size_t kind, size_t of,
                           struct system_cost *cost)
{
    char name[NAME_MAX_BYTES];

    snprintf(name, sizeof(name), "%s.%s", exception_kinds[kind], exception_parts[of]);
    return read_cost(part, BENCH_EXCEPTIONS, name, cost);
}

static void add_exceptions(const struct part *part)
{
    const struct figure_scale scale = figure_length_scale(part->run, 1);
    struct system_cost cost;
    size_t which[EXCEPTION_KINDS];
    size_t groups = 0;

    for (size_t i = 0; i < EXCEPTION_KINDS; i++) {
        which[groups] = i;
        groups += read_exception(part, i, 0, &cost);
    }
    if (groups == 0) {
        return;
    }
    struct figure *figure = figure_add(part->figures, FIGURE_BARS, section,
                                       "Cost of exceptions and interrupts", "exceptions");

    figure_axes(figure, NULL, NULL, "cost", scale.unit);
    for (size_t i = 0; i < groups; i++) {
        figure_add_group(figure, exception_kinds[which[i]]);
    }
    for (size_t of = 0; of < EXCEPTION_PARTS; of++) {
        struct figure_series *series = figure_add_series(figure, exception_parts[of]);

        for (size_t i = 0; i < groups; i++) {
            if (read_exception(part, which[i], of, &cost)) {
                add_cost(series, (double)i, &cost, &scale);
            }
        }
    }
    figure_choose_scale(figure);
    figure_how(
        figure,
        "Medians, less the median time of reading the clock twice, in %s; whiskers: the middle "
        "half of all "
        "samples. Entry: up to the first stamp of the handler; return: from its last stamp on.",
        run_time_label(part->run));
}

/* ---- footprints ---- */

static const char *const footprint_heads[FOOTPRINTS] = {"reading alone", "threads", "processes",
                                                        "processes, PCID"};

/* With `refill`, draws only what exceeds the reading and the switch. */
static void fill_footprints(struct figure *figure, const struct footprints *footprints, bool refill,
                            const struct figure_scale *scale)
{
    for (enum footprint i = refill ? FOOTPRINT_THREAD : FOOTPRINT_ALONE; i < FOOTPRINTS; i++) {
        const struct curve *curve = &footprints->curve[i];

        if (!footprints->there[i]) {
            continue;
        }
        struct figure_series *series = figure_add_series(figure, footprint_heads[i]);

        for (size_t k = 0; k < curve->points; k++) {
            const double ticks =
                refill ? footprints_refill(footprints, i, k) : curve_median(curve, k);

            if (curve->x[k] > 0) {
                figure_add_point(series, (double)curve->x[k], ticks * scale->per_tick);
            }
        }
    }
}

/* For `refill` see fill_footprints(). */
static struct figure *draw_footprints(const struct part *part, const struct footprints *footprints,
                                      bool refill)
{
    const struct curve *alone = &footprints->curve[FOOTPRINT_ALONE];
    const struct figure_scale scale =
        figure_length_scale(part->run, curve_median(alone, alone->points / 2));
    struct figure *figure = figure_add(part->figures, FIGURE_LINES, section,
                                       refill ? "Cost of refilling caches after a context switch"
                                              : "Context switches by footprint of the tasks",
                                       "%s", refill ? "switch-refill" : "switch-footprint");

    figure_axes(figure, "footprint of each task", "bytes",
                refill ? "time beyond the reading and the switch" : "time of a turn", scale.unit);
    figure->x.logarithmic = true;
    figure->y.logarithmic = !refill;
    fill_footprints(figure, footprints, refill, &scale);
    return figure;
}

static void add_footprints(const struct part *part)
{
    const struct run_bench *bench = run_find_bench(part->run, BENCH_CONTEXTSWITCH);
    struct footprints footprints = {0};

    if (bench != NULL && footprints_read(bench, &footprints)) {
        figure_how(draw_footprints(part, &footprints, false),
                   "A turn in which a task reads its footprint and yields to the other task, of "
                   "the same process or another; medians in %s.",
                   run_time_label(part->run));
        /* counted instructions do not include filling caches */
        if (part->view.ticks_per_instruction <= 0) {
            figure_how(draw_footprints(part, &footprints, true),
                       "Median time of a turn, less the medians of the reading alone and of a "
                       "switch with nothing to read, in %s: the time to refill caches and TLB.",
                       run_time_label(part->run));
        }
    }
    footprints_free(&footprints);
}

void figures_system(struct figures *figures, const struct run *run)
{
    struct part part = {.figures = figures, .run = run};

    view_init(&part.view, NULL, run);
    add_report(&part);
    add_main_costs(&part);
    add_calls(&part);
    add_exceptions(&part);
    add_footprints(&part);
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        if (bench->pass <= 1 && view_has_costs(bench)) {
            add_costs(&part, bench);
        }
    }
    for (size_t i = 0; i < sizeof(benches) / sizeof(benches[0]); i++) {
        figures_find_bench(figures, run, section, benches[i], benches[i]);
    }
}

PLUGIN_REGISTER(figures_system) = {.order = 310, .figures = figures_system};
