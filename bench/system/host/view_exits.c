/* SPDX-License-Identifier: BSD-2-Clause */
/* Bench exits: prints what was measured next to the estimates for bare metal, KVM and KVM in KVM;
 * figure and JSON. */
#include <math.h>
#include <stdio.h>

#include "bench/system/host/view_system.h"
#include "bench/system/names.h"
#include "kernel/run/names.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/run/run_kind.h"

/* If two estimates differ by less than this factor, a measured cost fits both. */
#define APART 5

const struct exit_row exit_rows[] = {
#define EXIT_UNKNOWN_COST (double)NAN
#define EXIT_OPERATION(name, label, meaning, bare, kvm, nested, ...) \
    {#name, label, {bare, kvm, nested}},
#include "bench/system/exit_operations.def"
    {EXITS_SELF_IPI, "self-IPI to handler", {700, 3000, 30000}},
    {EXITS_HLT_PENDING, "HLT, IRQ pending", {300, 2500, 25000}},
    {EXITS_HLT_TIMER, "HLT, wake-up delay", {3000, 15000, 60000}},
    {EXITS_IPI, "IPI, round trip", {3000, 10000, 60000}},
    {EXITS_IPI_HALTED, "IPI to halted CPU", {5000, 20000, 90000}},
    {EXITS_PAGE_FIRST, "page, first write", {600, 200000, 250000}},
    {EXITS_PAGE_AGAIN, "page, second write", {1, 1, 1}},
    {.series = NULL},
};

static bool read_series(const struct run_bench *bench, const char *name, struct system_cost *cost)
{
    const struct run_series *series = run_find_series(bench, name);

    return series != NULL && series->received > 0 && system_cost_read(bench, series, cost);
}

/* Returns the ticks of a cycle, by the known loop, or NAN if the run has no loop or it took no
 * time. */
static double ticks_of_cycle(const struct run_bench *bench)
{
    struct system_cost cost;

    return read_series(bench, SERIES_LOOP, &cost) && cost.median > 0 ? cost.median : (double)NAN;
}

bool exit_read(const struct run *run, const struct run_bench *bench, const struct exit_row *row,
               struct exit_result *result)
{
    if (!read_series(bench, row->series, &result->cost)) {
        return false;
    }
    result->per_cycle = ticks_of_cycle(bench);
    result->cycles = result->cost.median / result->per_cycle;
    result->guess = EXIT_UNKNOWN;
    const double bare = row->estimate[EXIT_BARE];
    const double kvm = row->estimate[EXIT_KVM];

    if (run_time(run) == RUN_TIME_REAL && !isnan(result->cycles) && kvm >= APART * bare) {
        result->guess = result->cycles > sqrt(bare * kvm) ? EXIT_TRAPPED : EXIT_NOT_TRAPPED;
    }
    return true;
}

enum exit_guess exit_rdtsc(const struct run *run, const struct run_bench *bench, double *cpuid)
{
    struct system_cost rdtsc;
    struct system_cost other;

    *cpuid = NAN;
    if (run_time(run) != RUN_TIME_REAL ||
        !read_series(bench, exit_rows[EXIT_rdtsc].series, &rdtsc)) {
        return EXIT_UNKNOWN;
    }
    if (read_series(bench, exit_rows[EXIT_cpuid].series, &other) && rdtsc.median > 0) {
        *cpuid = other.median / rdtsc.median;
    }
    const double cycles = rdtsc.median / ticks_of_cycle(bench);

    return isnan(cycles)                 ? EXIT_UNKNOWN
           : cycles >= EXIT_LEAST_CYCLES ? EXIT_TRAPPED
                                         : EXIT_NOT_TRAPPED;
}

#define DECIMALS       3
#define SMALL          10 /* smaller numbers get a decimal */
#define NAME_MAX_BYTES 64

static const char *const places[EXIT_PLACES] = {"bare metal", "KVM", "nested"};

static const char *const guesses[] = {
    [EXIT_UNKNOWN] = NULL, [EXIT_NOT_TRAPPED] = "no", [EXIT_TRAPPED] = "yes"};

static void number_cell(struct table *table, double value)
{
    table_real(table, value, value < SMALL && value != nearbyint(value) ? 1 : 0);
}

static void add_row(struct table *table, const struct view *view, const struct exit_row *row,
                    const struct exit_result *result)
{
    const bool exact = view->ticks_per_instruction > 0;
    char text[AMOUNT_MAX];

    table_named_row(table, row->what);
    if (exact) {
        number_cell(table, result->cost.median / view->ticks_per_instruction);
    } else {
        table_text(table, span_text(view, result->cost.median, text));
        number_cell(table, result->cycles);
    }
    for (size_t i = 0; i < EXIT_PLACES; i++) {
        number_cell(table, row->estimate[i]);
    }
    if (run_time(view->run) == RUN_TIME_REAL) {
        table_text(table, guesses[result->guess]);
    }
}

static void print_table(const struct view *view, const struct run_bench *bench)
{
    const bool exact = view->ticks_per_instruction > 0;
    const bool real = run_time(view->run) == RUN_TIME_REAL;
    struct exit_result result;
    struct table table;

    table_init(&table, exact ? "lrrrr" : real ? "lrrrrrl" : "lrrrrr");
    table_named_row(&table, "exit");
    table_text(&table, exact ? "instructions" : "median");
    if (!exact) {
        table_text(&table, "cycles");
    }
    for (size_t i = 0; i < EXIT_PLACES; i++) {
        table_text(&table, places[i]);
    }
    if (real) {
        table_text(&table, "trapped?");
    }
    for (const struct exit_row *row = exit_rows; row->series != NULL; row++) {
        if (exit_read(view->run, bench, row, &result)) {
            add_row(&table, view, row, &result);
        }
    }
    view_table(view, &table);
}

static void print_rdtsc(const struct view *view, const struct run_bench *bench)
{
    double cpuid;
    const enum exit_guess guess = exit_rdtsc(view->run, bench, &cpuid);

    if (guess == EXIT_UNKNOWN) {
        return;
    }
    print_paragraph(view->out, "RDTSC is %strapped: one CPUID takes as long as %.*f RDTSC.",
                    guess == EXIT_TRAPPED ? "" : "not ", cpuid < SMALL ? 1 : 0, cpuid);
}

static void view_exits(const struct view *view, const struct run_bench *bench)
{
    const bool exact = view->ticks_per_instruction > 0;

    print_paragraph(view->out,
                    "cost of what a hypervisor may trap, compared with estimates for bare metal, "
                    "for KVM and for KVM in KVM, in cycles of a processor; %s:",
                    exact ? "in exact time the values are counts of instructions, which cannot be "
                            "compared with estimates in cycles"
                          : "a cycle is an iteration of the loop");
    print_table(view, bench);
    if (exact) {
        return;
    }
    if (run_time(view->run) != RUN_TIME_REAL) {
        print_paragraph(view->out, "An emulator executes each of these itself, so whether a "
                                   "hypervisor traps it is unknown.");
    }
    print_rdtsc(view, bench);
}

/* ---- figure ---- */

/* Not drawn in exact time: counts of instructions cannot be compared with estimates in cycles. */
static void exits_figure(struct figures *figures, const struct run *run,
                         const struct run_bench *bench)
{
    struct exit_result result;
    size_t group = 0;

    if (run_is_exact(run) || run_find_series(bench, SERIES_LOOP) == NULL) {
        return;
    }
    struct figure *figure =
        figure_add(figures, FIGURE_BARS, "System", "What a hypervisor may trap", "exits");

    struct figure_series *measured = figure_add_series(figure, "measured");

    figure_axes(figure, NULL, NULL, "cost", "cycles");
    figure->y.logarithmic = true;
    for (const struct exit_row *row = exit_rows; row->series != NULL; row++) {
        if (exit_read(run, bench, row, &result)) {
            figure_add_group(figure, row->what);
            figure_add_range(measured, (double)group++, result.cycles,
                             result.cost.quarter / result.per_cycle,
                             result.cost.three_quarters / result.per_cycle);
        }
    }
    for (size_t i = 0; i < EXIT_PLACES; i++) {
        char name[NAME_MAX_BYTES];

        snprintf(name, sizeof(name), "%s, estimate", places[i]);
        struct figure_series *series = figure_add_series(figure, name);

        group = 0;
        for (const struct exit_row *row = exit_rows; row->series != NULL; row++) {
            if (exit_read(run, bench, row, &result)) {
                figure_add_point(series, (double)group++, row->estimate[i]);
            }
        }
    }
    figure_how(figure,
               "Medians, less the cost of the loop or of the time stamps around each operation, in "
               "%s; whiskers: the middle half "
               "of all samples. Estimates are for processors of 2018 and later.",
               run_time_label(run));
}

/* ---- JSON ---- */

static void put_guess(struct json *json, const char *name, enum exit_guess guess)
{
    if (guess == EXIT_UNKNOWN) {
        json_null(json, name);
    } else {
        json_bool(json, name, guess == EXIT_TRAPPED);
    }
}

static void exits_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct exit_result result;
    double cpuid;

    json_array(json, "exits");
    for (const struct exit_row *row = exit_rows; row->series != NULL; row++) {
        if (!exit_read(run, bench, row, &result)) {
            continue;
        }
        json_object(json, NULL);
        json_text(json, "series", row->series);
        json_text(json, "what", row->what);
        json_number(json, "ticks", result.cost.median, DECIMALS);
        json_number(json, "cycles", run_is_exact(run) ? (double)NAN : result.cycles, DECIMALS);
        json_number(json, "bare_metal", row->estimate[EXIT_BARE], DECIMALS);
        json_number(json, "kvm", row->estimate[EXIT_KVM], DECIMALS);
        json_number(json, "nested", row->estimate[EXIT_NESTED], DECIMALS);
        put_guess(json, "trapped", result.guess);
        json_close(json);
    }
    json_close(json);
    put_guess(json, "rdtsc_trapped", exit_rdtsc(run, bench, &cpuid));
}

PLUGIN_OF(exits, .order = 210, .show = view_exits, .bench_figures = exits_figure,
          .json = exits_json);
