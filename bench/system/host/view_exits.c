/* SPDX-License-Identifier: BSD-2-Clause */
/* Bench exits: prints what was measured next to the estimates for bare metal and for KVM; figure
 * and JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/system/host/view_system.h"
#include "bench/system/names.h"
#include "kernel/run/names.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/run/run_kind.h"

#define DECIMALS 3
#define PERCENT  100
#define FAIR     0.95 /* a mode with at least this share of the samples needs no explanation */
#define SEVERAL  0.05 /* a value with this share is a second path, not an interruption */

#define EXIT_ROWS_MAX 80
#define REASON_MAX    240

static const char *const guesses[] = {
    [EXIT_UNKNOWN] = NULL, [EXIT_NOT_TRAPPED] = "no", [EXIT_TRAPPED] = "yes"};

static void add_row(struct table *table, const struct view *view, const struct exit_row *row,
                    const struct exit_result *result)
{
    const double tick = view->ticks_per_instruction;
    char text[AMOUNT_MAX];

    table_named_row(table, row->what);
    if (tick > 0) {
        table_number(table, result->once / tick);
        table_number(table, result->twice / tick);
        table_number(table, result->mode / tick);
        table_format(table, "%.0f %%", floor(result->weakest.share * PERCENT));
        table_number(table, result->cost.max / tick);
    } else {
        table_text(table, span_text(view, result->cost.median, text));
        table_number(table, result->cycles);
        table_number(table, row->estimate[EXIT_BARE]);
    }
    for (size_t i = EXIT_AMD; i < EXIT_PLACES; i++) {
        table_number(table, tick > 0 ? row->instructions[i] : row->estimate[i]);
    }
    table_text(table, guesses[result->guess]);
}

static void print_table(const struct view *view, const struct run_bench *bench)
{
    struct exit_result result;
    struct table table;

    if (view->ticks_per_instruction > 0) {
        table_open(&table, "lrrrrrrrl", "exit\tonce\ttwice\tcost\tmode\tworst\tAMD\tIntel\texits?");
    } else {
        table_open(&table, "lrrrrrl",
                   "exit\tmedian\tcycles\tbare metal\tKVM-AMD\tKVM-Intel\ttrapped?");
    }
    for (const struct exit_row *row = exit_rows; row->series != NULL; row++) {
        if (exit_read(view->run, bench, row, &result)) {
            add_row(&table, view, row, &result);
        }
    }
    view_table(view, &table);
}

/* Says why less than FAIR of a row's samples have the mode. */
static void print_weak_modes(const struct view *view, const struct run_bench *bench)
{
    static char texts[EXIT_ROWS_MAX][REASON_MAX];
    struct remark remarks[EXIT_ROWS_MAX];
    struct exit_result result;
    size_t count = 0;

    for (const struct exit_row *row = exit_rows; row->series != NULL; row++) {
        const double tick = view->ticks_per_instruction;

        if (!exit_read(view->run, bench, row, &result) || result.weakest.share >= FAIR ||
            count == EXIT_ROWS_MAX) {
            continue;
        }
        const struct statistics_mode *mode = &result.weakest;

        if (mode->next_share >= SEVERAL) {
            snprintf(texts[count], REASON_MAX, "several values: %.0f in %.0f %%, %.0f in %.0f %%%s",
                     mode->value / tick, mode->share * PERCENT, mode->next / tick,
                     mode->next_share * PERCENT, row->lever != NULL ? row->lever : "");
        } else {
            snprintf(texts[count], REASON_MAX,
                     "interrupts of the host lengthen the other trials, each differently");
        }
        remarks[count] = (struct remark){"mode", row->series, texts[count]};
        count++;
    }
    if (count > 0) {
        fputc('\n', view->out);
        print_remarks(view->out, remarks, count);
    }
}

static void view_exits(const struct view *view, const struct run_bench *bench)
{
    const bool exact = view->ticks_per_instruction > 0;
    const char *under = run_pair_value(&view->run->info, RUN_UNDER);
    const int64_t extra = run_fact_or(bench, FACT_EXTRA, 0);
    char text[EXIT_TEXT_MAX];
    size_t trapped;

    print_paragraph(view->out, "cost of what a hypervisor may trap, %s:",
                    exact ? "in instructions: the most frequent sample with once and with twice "
                            "the repetitions, and one repetition by their difference, less the "
                            "loop; mode: share of the samples that have this value; AMD and Intel: "
                            "the same under KVM of Linux 6.1, mitigations=off"
                          : "compared with estimates in cycles of a processor, for bare metal and "
                            "for KVM; a cycle is an iteration of the loop");
    print_table(view, bench);
    if (exit_summarise(view->run, bench, &trapped, text)) {
        print_paragraph(view->out, "In this run %s.", text);
    } else {
        print_paragraph(view->out, "What is trapped is unknown: no exit is certain.");
    }
    if (exact && !run_is_exact(view->run)) {
        print_weak_modes(view, bench);
    }
    if (under != NULL && strcmp(under, RUN_UNDER_AMD) == 0) {
        print_paragraph(view->out,
                        "The processor below this KVM is QEMU's TCG, which saves no next RIP at an "
                        "exit (SVM nrip-save): KVM decodes each instruction to skip it, so CPUID, "
                        "MSRs and hypercalls take longer paths than on a real processor.");
    }
    if (extra > 0) {
        print_paragraph(view->out,
                        "%ld interrupt%s arrived a second time: the machine delivered more than "
                        "were sent.",
                        (long)extra, extra == 1 ? "" : "s");
    }
}

/* ---- figure ---- */

/* Adds an estimate's bars, in the order of the groups. */
static void add_estimate(struct figure *figure, const struct run *run,
                         const struct run_bench *bench, enum exit_where where)
{
    static const char *const names[][EXIT_PLACES] = {
        {"bare metal, estimate", "KVM-AMD, estimate", "KVM-Intel, estimate"},
        {"alone", "KVM-AMD of Linux 6.1", "KVM-Intel of Linux 6.1"}};
    const bool counts = run_ticks_per_instruction(run) > 0;
    struct figure_series *series = figure_add_series(figure, names[counts ? 1 : 0][where]);
    struct exit_result result;
    size_t group = 0;

    for (const struct exit_row *row = exit_rows; row->series != NULL; row++) {
        if (exit_read(run, bench, row, &result)) {
            figure_add_point(series, (double)group++,
                             counts ? row->instructions[where] : row->estimate[where]);
        }
    }
}

/* Draws nothing in exact time, where each operation takes only its own few instructions. */
static void exits_figure(struct figures *figures, const struct run *run,
                         const struct run_bench *bench)
{
    const double tick = run_ticks_per_instruction(run);
    struct exit_result result;
    size_t group = 0;

    if (run_is_exact(run) || run_find_series(bench, SERIES_LOOP) == NULL) {
        return;
    }
    struct figure *figure =
        figure_add(figures, FIGURE_BARS, "System", "What a hypervisor may trap", "exits");

    struct figure_series *measured = figure_add_series(figure, "measured");

    figure_axes(figure, NULL, NULL, "cost", tick > 0 ? "instructions" : "cycles");
    figure->y.logarithmic = true;
    for (const struct exit_row *row = exit_rows; row->series != NULL; row++) {
        if (exit_read(run, bench, row, &result)) {
            const double unit = tick > 0 ? tick : result.per_cycle;

            figure_add_group(figure, row->what);
            figure_add_range(measured, (double)group++,
                             (tick > 0 ? result.mode : result.cost.median) / unit,
                             result.cost.quarter / unit, result.cost.three_quarters / unit);
        }
    }
    for (enum exit_where where = tick > 0 ? EXIT_AMD : EXIT_BARE; where < EXIT_PLACES; where++) {
        add_estimate(figure, run, bench, where);
    }
    figure_how(figure,
               "%s, less the cost of the loop or of the time stamps around each operation, in %s; "
               "whiskers: the middle half of all samples. %s",
               tick > 0 ? "Most frequent values" : "Medians", run_time_label(run),
               tick > 0 ? "KVM of Linux 6.1: the same operations, mitigations=off."
                        : "Estimates are for processors of 2018 and later.");
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

static void put_row(struct json *json, const struct run *run, const struct exit_row *row,
                    const struct exit_result *result)
{
    const double tick = run_ticks_per_instruction(run);
    const double unit = tick > 0 ? tick : (double)NAN;

    json_object(json, NULL);
    json_text(json, "series", row->series);
    json_text(json, "what", row->what);
    JSON_NUMBERS(json, DECIMALS, {"ticks", result->cost.median},
                 {"cycles", tick > 0 ? (double)NAN : result->cycles}, {"once", result->once},
                 {"twice", result->twice}, {"instructions", result->mode / unit},
                 {"share", result->weakest.share}, {"worst", result->cost.max},
                 {"bare_metal", row->estimate[EXIT_BARE]}, {"kvm_amd", row->estimate[EXIT_AMD]},
                 {"kvm_intel", row->estimate[EXIT_INTEL]},
                 {"own_instructions", row->instructions[EXIT_BARE]},
                 {"kvm_amd_instructions", row->instructions[EXIT_AMD]},
                 {"kvm_intel_instructions", row->instructions[EXIT_INTEL]});
    put_guess(json, "trapped", result->guess);
    json_close(json);
}

static void exits_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct exit_result result;
    enum exit_guess rdtsc = EXIT_UNKNOWN;

    json_array(json, "exits");
    for (const struct exit_row *row = exit_rows; row->series != NULL; row++) {
        if (exit_read(run, bench, row, &result)) {
            put_row(json, run, row, &result);
            rdtsc = row == &exit_rows[EXIT_rdtsc] ? result.guess : rdtsc;
        }
    }
    json_close(json);
    put_guess(json, "rdtsc_trapped", rdtsc);
}

PLUGIN_OF(exits, .order = 210, .show = view_exits, .bench_figures = exits_figure,
          .json = exits_json);
