/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/show/view_run.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/counters/host/counts.h"
#include "bench/counters/host/view_counts.h"
#include "bench/interactive/host/view_input.h"
#include "bench/interactive/names.h"
#include "bench/system/host/view_system.h"
#include "kernel/link/names.h"
#include "kernel/run/names.h"
#include "tools/base/colour.h"
#include "tools/base/number.h"
#include "tools/base/shell_text.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"
#include "tools/finding/run_findings.h"
#include "tools/finding/view_findings.h"
#include "tools/present/digest.h"
#include "tools/present/exit_profile.h"
#include "tools/present/report_plugin.h"
#include "tools/run/run_kind.h"
#include "tools/show/view_crash.h"
#include "tools/trace/account_check.h"
#include "tools/trace/shared_walk.h"
#include "tools/trace/view_trace.h"

#define MACHINE_LABEL 17 /* width in columns */
#define BENCH_LABEL   10 /* width in columns, as in print_labelled() */
#define REASONS_MAX   5  /* further reasons are only counted */
/* width of the main figure's name in columns, unless the terminal is wide */
#define WHAT_MAX 22
#define CUT      ".."
#define WIDE     110 /* width in columns from which on each bench's summary fits */

void view_verdict(FILE *out, const struct run *run, const struct run_texts *reasons)
{
    const bool valid = reasons->count == 0;
    const char *verdict = valid ? "VALID  " : "INVALID  ";
    const size_t column = strlen(verdict);
    char kind[RUN_KIND_MAX];
    char under[2 * RUN_KIND_MAX];

    colour_text(out, valid ? COLOUR_GOOD : COLOUR_BAD, verdict);
    for (size_t i = 0; i < reasons->count; i++) {
        print_wrapped(out, reasons->item[i], column, column + 2);
        fprintf(out, "%*s", (int)column, "");
    }
    print_wrapped(out, run_kind_text(run, kind), column, column);
    if (run_under_text(run, under) != NULL) {
        fprintf(out, "%*sbelow: ", (int)column, "");
        print_wrapped(out, under, column + strlen("below: "), column);
    }
    if (run_unsealed(run) != NULL) {
        fprintf(out, "%*s", (int)column, "");
        print_wrapped(out, run_unsealed(run), column, column);
    }
    if (run->window != NULL) {
        fprintf(out, "%*s", (int)column, "");
        print_wrapped(out, run->window, column, column);
    }
}

static void print_head(FILE *out, const char *title)
{
    fputc('\n', out);
    colour_text(out, COLOUR_HEAD, title);
    fputc('\n', out);
}

static bool is_in_state(const struct run_bench *bench, const char *state)
{
    return bench->state != NULL && strcmp(bench->state, state) == 0;
}

size_t view_count_state(const struct run *run, const char *state)
{
    size_t count = 0;

    for (size_t i = 0; i < run->bench_count; i++) {
        count += is_in_state(&run->benches[i], state);
    }
    return count;
}

/* Prints the benches in this state, such as " (order, paths)". */
static void name_benches(FILE *out, const struct run *run, const char *state)
{
    const char *between = " (";

    for (size_t i = 0; i < run->bench_count; i++) {
        char label[RUN_LABEL_MAX];

        if (is_in_state(&run->benches[i], state)) {
            fprintf(out, "%s%s", between, run_bench_label(run, &run->benches[i], label));
            between = ", ";
        }
    }
    fputc(')', out);
}

/* Prints the states of the benches, such as "34 OK, 6 SKIP, 1 FAIL (order)"; benches that did not
 * go well are named. */
static void print_states(FILE *out, const struct run *run)
{
    static const char *const states[] = {STATE_OK, STATE_SKIP, STATE_FAIL, STATE_ERROR,
                                         STATE_CRASH};
    struct long_text text;
    const char *between = "";

    long_text_open(&text);
    fprintf(text.out, "%zu: ", run->bench_count);
    for (size_t k = 0; k < sizeof(states) / sizeof(states[0]); k++) {
        const size_t count = view_count_state(run, states[k]);

        if (count == 0) {
            continue;
        }
        fprintf(text.out, "%s%zu %s", between, count, states[k]);
        if (colour_of_state(states[k]) == COLOUR_BAD) {
            name_benches(text.out, run, states[k]);
        }
        between = ", ";
    }
    print_labelled(out, "benches", long_text_close(&text));
    long_text_free(&text);
}

/* Prints the machine, the date, the rate of the TSC, and how the benches ended. */
static void print_summary(FILE *out, const struct run *run)
{
    const char *brand = run_pair_value(&run->machine, FACT_CPU_BRAND);
    const char *firmware = run_pair_value(&run->machine, FACT_FIRMWARE_VENDOR);
    const char *date = run_pair_value(&run->info, INFO_DATE);
    char number[RUN_KIND_MAX];
    const char *processors = run_processors_text(run, number);
    char text[512];

    fputc('\n', out);
    snprintf(text, sizeof(text), "%s%s%s%s%s", brand != NULL ? brand : "processor unknown",
             processors != NULL ? ", " : "", processors != NULL ? processors : "",
             firmware != NULL ? ", firmware " : "", firmware != NULL ? firmware : "");
    print_labelled(out, "on", text);
    if (date != NULL) {
        print_labelled(out, "at", date);
    }
    if (run_ownership_text(run, text) != NULL) {
        print_labelled(out, "machine", run_ownership_text(run, text));
    }
    if (run_is_simulated(run)) {
        print_labelled(out, "tick", "1 ns of simulated time");
    } else if (run->verdict.present && run->verdict.hz != 0) {
        snprintf(text, sizeof(text), "%.3f MHz%s", (double)run->verdict.hz / 1e6,
                 run->verdict.ok ? "" : ", not verified");
        print_labelled(out, "TSC", text);
    }
    if (run->bench_count > 0) {
        print_states(out, run);
    }
}

/* Returns whether it is a fact that a reader looks for first; all others follow in one paragraph.
 */
static bool is_headline(const char *name)
{
    static const char *const headlines[] = {
        FACT_CPU_BRAND,  FACT_HYPERVISOR,      FACT_INVARIANT_TSC,
        FACT_PROCESSORS, FACT_FIRMWARE_VENDOR, FACT_MEMORY_FREE_BYTES,
        FACT_LAPIC,      FACT_SERIAL,          FACT_FRAMEBUFFER,
    };

    return SEARCH_ANY(i, sizeof(headlines) / sizeof(headlines[0]), strcmp(name, headlines[i]) == 0);
}

/* Prints the list unless it is empty, and frees it. */
static void print_long(FILE *out, int width, const char *label, struct long_text *list)
{
    const char *const text = long_text_close(list);

    if (text[0] != '\0') {
        print_field(out, width, label, text);
    }
    long_text_free(list);
}

static void print_machine(FILE *out, const struct run *run)
{
    const char *date = run_pair_value(&run->info, INFO_DATE);
    struct long_text others;
    const char *between = "";

    long_text_open(&others);
    print_head(out, "machine");
    if (date != NULL) {
        print_field(out, MACHINE_LABEL, "date", date);
    }
    for (size_t i = 0; i < run->machine.count; i++) {
        const struct run_pair *fact = &run->machine.item[i];
        const char *value = fact->value != NULL ? fact->value : "-";

        if (is_headline(fact->key)) {
            print_field(out, MACHINE_LABEL, fact->key, value);
        } else {
            fprintf(others.out, "%s%s=%s", between, fact->key, value);
            between = ", ";
        }
    }
    print_long(out, MACHINE_LABEL, "and", &others);
    if (run->plan_source != NULL) {
        print_field(out, MACHINE_LABEL, "plan from", run->plan_source);
    }
    if (run->plan_text != NULL && run->plan_text[0] != '\0') {
        print_field(out, MACHINE_LABEL, "plan", run->plan_text);
    }
}

void view_estimates_table(struct table *table, const struct run *run, const char *rate)
{
    table_open(table, "llrrrr", "clock\tmeasured by\t%s\tfrom verdict\terror\twindows", rate);
    for (size_t i = 0; i < run->estimate_count; i++) {
        const struct run_estimate *estimate = &run->estimates[i];

        table_named_row(table, estimate->clock);
        table_text(table, estimate->reference);
        table_format(table, "%" PRIu64, estimate->hz);
        table_if(table, run->verdict.present && run->verdict.hz > 0, "%+.3f ppm",
                 ((double)estimate->hz / (double)run->verdict.hz - 1) * 1e6);
        table_if(table, estimate->has_error_ppb, "%.3f ppm", (double)estimate->error_ppb / 1000);
        table_format(table, "%" PRIu64, estimate->windows);
    }
}

static void print_sources(FILE *out, const struct run *run)
{
    struct table table;

    table_open(&table, "lrl", "source\thz\treported by");
    for (size_t i = 0; i < run->source_count; i++) {
        table_named_row(&table, run->sources[i].name);
        table_if(&table, run->sources[i].hz != 0, "%" PRIu64, run->sources[i].hz);
        table_text(&table, run->sources[i].from);
    }
    table_print(&table, out, 2);
}

static void print_clocks(FILE *out, const struct run *run)
{
    struct table estimates;

    print_head(out, "clocks");
    if (run->source_count > 0) {
        print_sources(out, run);
    }
    if (run->estimate_count > 0) {
        fputs(run->source_count > 0 ? "\n" : "", out);
        view_estimates_table(&estimates, run, "hz");
        table_print(&estimates, out, 2);
    }
    if (run->source_count + run->estimate_count > 0) {
        fputc('\n', out);
    }
    if (!run->verdict.present) {
        fputs("  verdict: none\n", out);
        return;
    }
    const bool has_reason = run->verdict.reason != NULL && run->verdict.reason[0] != '\0';
    char rate[32] = "no rate";
    char text[512];

    if (run->verdict.hz != 0) {
        snprintf(rate, sizeof(rate), "%" PRIu64 " Hz", run->verdict.hz);
    }
    snprintf(text, sizeof(text), "%s%s%s%s%s%s", run->verdict.ok ? "" : "not verified: ", rate,
             run->verdict.by != NULL ? ", by " : "", run->verdict.by != NULL ? run->verdict.by : "",
             has_reason ? ": " : "", has_reason ? run->verdict.reason : "");
    print_labelled(out, "verdict", text);
}

static void print_overview(FILE *out, const struct run *run)
{
    struct table table;

    print_head(out, "benches");
    table_open(&table, "lll", "bench\tstate\twhat it is, or why it was not run");
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        char label[RUN_LABEL_MAX];

        table_named_row(&table, run_bench_label(run, bench, label));
        table_text(&table, bench->state);
        table_colour(&table, colour_of_state(bench->state));
        table_text(&table, bench->reason != NULL ? bench->reason : bench->summary);
    }
    table_print(&table, out, 2);
}

static void print_params(FILE *out, const struct run_bench *bench)
{
    struct long_text text;

    long_text_open(&text);
    for (size_t i = 0; i < bench->param_count; i++) {
        const struct run_param *param = &bench->params[i];
        const bool by_plan = param->origin != NULL && strcmp(param->origin, ORIGIN_PLAN) == 0;

        fprintf(text.out, "%s%s=%s%s", i > 0 ? ", " : "", param->name,
                param->value != NULL ? param->value : "",
                run_param_is_found(param) ? " (found)"
                : by_plan                 ? " (plan)"
                                          : "");
    }
    print_long(out, BENCH_LABEL, "with", &text);
}

/* Prints the pass of a bench, such as "2 of 3, for events cycles, instructions". */
static void print_pass(const struct view *view, const struct run_bench *bench)
{
    const uint32_t passes = run_pass_count(view->run, bench->name);
    const char *event;
    struct long_text text;

    if (passes < 2) {
        return;
    }
    long_text_open(&text);
    fprintf(text.out, "%" PRIu32 " of %" PRIu32, bench->pass, passes);
    for (size_t i = 0; (event = counted_event_at(bench, i)) != NULL; i++) {
        fprintf(text.out, "%s%s", i > 0 ? ", " : ", for events ", event);
    }
    print_long(view->out, BENCH_LABEL, "pass", &text);
}

/* Returns whether the fact is the time at which the bench ran. It is not a result;
 * tools/judge/diff.h uses it. */
static bool is_time_of_bench(const struct run_fact *fact)
{
    return strcmp(fact->name, FACT_BEGAN) == 0 || strcmp(fact->name, FACT_ENDED) == 0;
}

static void print_facts(const struct view *view, const struct run_bench *bench)
{
    const struct report_plugin *plugin = report_plugin_shown(bench);
    const bool holds = is_in_state(bench, STATE_OK);
    struct long_text text;
    const char *between = "";
    const char *phase;

    long_text_open(&text);
    for (size_t i = 0; i < bench->fact_count; i++) {
        const struct run_fact *fact = &bench->facts[i];
        const bool has_unit = fact->unit != NULL && strcmp(fact->unit, UNIT_COUNT) != 0;
        char value[NUMBER_MAX];

        if ((plugin != NULL && plugin->shows_fact != NULL && plugin->shows_fact(fact)) ||
            account_is_fact(fact) || run_is_leave_out_fact(fact) || is_time_of_bench(fact) ||
            phase_count_is_fact(view->run, fact, &phase)) {
            continue; /* printed with the measurements */
        }
        if (holds && strncmp(fact->name, PREFIX_PROOF, strlen(PREFIX_PROOF)) == 0) {
            continue; /* nothing changed; the JSON has these facts */
        }
        fprintf(text.out, "%s%s=%s%s%s", between, fact->name, number_whole(fact->value, value),
                has_unit ? " " : "", has_unit ? fact->unit : "");
        between = ", ";
    }
    print_long(view->out, BENCH_LABEL, "facts", &text);
}

static void print_series(const struct view *view, const struct run_bench *bench)
{
    struct table table;

    statistics_head(&table, "series");
    for (size_t i = 0; i < bench->series_count; i++) {
        const struct run_series *series = &bench->series[i];
        struct statistics statistics;

        if (series->of != NULL || strcmp(series->name, SERIES_COUNTED_AT) == 0) {
            continue;
        }
        statistics_of(series->samples, series->received, &statistics);
        statistics_rows(&table, view, series->name, series->unit, &statistics);
    }
    view_table(view, &table);
}

/* Prints what was expected. The estimate assumes input by a device; if there was another source, it
 * is named. */
static void print_estimate(FILE *out, const struct run_bench *bench)
{
    const char *input = run_find_param(bench, FOUND_INPUT);
    struct long_text text;

    if (bench->estimate == NULL) {
        return;
    }
    long_text_open(&text);
    fprintf(text.out, "%s%s%s", bench->estimate, input != NULL ? "; input " : "",
            input != NULL ? input : "");
    print_long(out, BENCH_LABEL, "expected", &text);
}

static void print_bench_head(const struct view *view, const struct run_bench *bench,
                             const struct report_plugin *plugin)
{
    fputc('\n', view->out);
    colour_text(view->out, COLOUR_HEAD, bench->name);
    fputs(": ", view->out);
    print_wrapped(view->out, bench->summary != NULL ? bench->summary : "(no description)",
                  strlen(bench->name) + 2, 2);
    print_pass(view, bench);
    fprintf(view->out, "  %-10s ", "state");
    colour_text(view->out, colour_of_state(bench->state),
                bench->state != NULL ? bench->state : "-");
    fputc('\n', view->out);
    if (bench->reason != NULL) {
        print_labelled(view->out, "reason", bench->reason);
    }
    if (plugin != NULL && plugin->answer != NULL) {
        plugin->answer(view, bench);
    }
    print_estimate(view->out, bench);
    print_params(view->out, bench);
    print_facts(view, bench);
    if (!isnan(effective_clock(bench))) {
        fprintf(view->out, "  effective clock: APERF/MPERF %.3f of the nominal clock\n",
                effective_clock(bench));
    }
    view_absents(view, bench);
}

/* Prints which samples the statistics lack, and why. */
static void print_left_out(const struct view *view, const struct run_bench *bench)
{
    struct long_text text;
    const char *between = "";

    long_text_open(&text);
    for (size_t i = 0; i < bench->series_count; i++) {
        const struct run_series *series = &bench->series[i];

        if (series->left_out > 0 && series->of == NULL) {
            fprintf(text.out, "%s%" PRIu32 " of %" PRIu32 " of %s", between, series->left_out,
                    series->n + series->left_out, series->name);
            between = ", ";
        }
    }
    if (between[0] != '\0') {
        fputs(": taken when the trace was full and records were discarded", text.out);
    }
    print_long(view->out, BENCH_LABEL, "left out", &text);
}

const struct trace_wish view_bench_wish = {.consistency = true};

void view_bench(const struct view *view, const struct run_bench *bench)
{
    const struct report_plugin *plugin = report_plugin_shown(bench);

    print_bench_head(view, bench, plugin);
    print_left_out(view, bench);
    if (bench->series_count == 0 && bench->trace_count == 0) {
        view_account(view, bench, NULL);
        return;
    }
    if (view_has_costs(bench)) {
        view_costs(view, bench);
    } else if (bench->series_count > 0 && (plugin == NULL || plugin->place != PLUGIN_FOR_SERIES)) {
        print_series(view, bench);
    }
    if (plugin == NULL || plugin->place != PLUGIN_FOR_COUNTS) {
        view_counts(view, bench);
    }
    view_phase_counts(view, bench);
    view_ratios(view, bench);
    if (plugin != NULL) {
        plugin->show(view, bench);
    }
    if (view_has_input(bench)) {
        view_input_summary(view, bench);
    }
    if (bench->trace_count > 0) {
        view_trace(view, bench, &view_bench_wish);
    } else {
        view_account(view, bench, NULL);
    }
}

static void print_interrupts(FILE *out, const struct run *run)
{
    struct table table;

    if (run->interrupt_count == 0) {
        return;
    }
    print_head(out, "interrupts");
    table_open(&table, "rlrr", "vector\tname\tcount\texpected");
    for (size_t i = 0; i < run->interrupt_count; i++) {
        const struct run_interrupt *interrupt = &run->interrupts[i];

        table_row(&table);
        table_format(&table, "%02" PRIx64 "h", interrupt->vector);
        table_text(&table, interrupt->name);
        table_format(&table, "%" PRIu64, interrupt->count);
        table_text(&table, interrupt->expected);
    }
    table_print(&table, out, 2);
}

static void print_list(FILE *out, const char *title, const struct run_texts *texts)
{
    if (texts->count > 0) {
        print_head(out, title);
    }
    for (size_t i = 0; i < texts->count; i++) {
        fputs("  ", out);
        print_wrapped(out, texts->item[i], 2, 4);
    }
}

void view_run(const struct view *view, const struct run_texts *reasons)
{
    const struct run *run = view->run;
    FILE *out = view->out;

    walk_share(&(struct walk_wish){.run = run, .use = WALK_TABLES, .tables = &view_bench_wish});
    view_verdict(out, run, reasons);
    print_list(out, "errors", &run->errors);
    print_list(out, "lost", &run->losses);
    print_summary(out, run);
    if (run->bench_count > 0) {
        print_overview(out, run);
    }
    print_machine(out, run);
    print_clocks(out, run);
    view_events(view);
    for (size_t i = 0; i < run->bench_count; i++) {
        view_bench(view, &run->benches[i]);
    }
    exit_profiles_print(view);
    view_crashes(view);
    print_interrupts(out, run);
}

/* ---- in brief ---- */

/* Prints the verdict with the gravest reasons, and the number of further ones. */
static void print_verdict(const struct view *view, const struct run_texts *reasons)
{
    struct run_texts shown = *reasons;

    shown.count = reasons->count > REASONS_MAX ? REASONS_MAX : reasons->count;
    view_verdict(view->out, view->run, &shown);
    if (reasons->count > shown.count) {
        fprintf(view->out, "%9s%zu more reasons: --full\n", "", reasons->count - shown.count);
    }
}

/* Prints what identifies the run: "QEMU TCG CPU, 4 processors, firmware EDK II, TSC 1000.000 MHz,
 * 2024-01-01T00:00:34", and the devices that benches used. */
static void print_identity(const struct view *view)
{
    const struct run *run = view->run;
    const char *brand = run_pair_value(&run->machine, FACT_CPU_BRAND);
    const char *firmware = run_pair_value(&run->machine, FACT_FIRMWARE_VENDOR);
    const char *date = run_pair_value(&run->info, INFO_DATE);
    char number[RUN_KIND_MAX];
    const char *processors = run_processors_text(run, number);
    char devices[RUN_KIND_MAX];
    struct long_text text;

    long_text_open(&text);
    fputs(brand != NULL ? brand : "processor unknown", text.out);
    if (processors != NULL) {
        fprintf(text.out, ", %s", processors);
    }
    if (firmware != NULL) {
        fprintf(text.out, ", firmware %s", firmware);
    }
    if (run->verdict.present && run->verdict.hz != 0) {
        fprintf(text.out, ", TSC %.3f MHz", (double)run->verdict.hz / 1e6);
    }
    if (date != NULL) {
        fprintf(text.out, ", %s", date);
    }
    if (run_pair_value(&run->machine, FACT_SETTING) != NULL) {
        fprintf(text.out, ", setting %s", run_pair_value(&run->machine, FACT_SETTING));
    }
    fputs("  ", view->out);
    print_wrapped(view->out, long_text_close(&text), 2, 2);
    long_text_free(&text);
    if (run_devices_text(run, devices) != NULL) {
        fputs("  devices: ", view->out);
        print_wrapped(view->out, devices, strlen("  devices: "), 2);
    }
}

/* what fits into a line: everything, everything except the benches' summaries, or only name, p50
 * and max */
enum room {
    ROOM_WIDE,
    ROOM_USUAL,
    ROOM_NARROW,
};

/* Puts the name of the main figure, cut if the terminal is not wide; its phase or point is kept. */
static void put_what(struct table *table, const struct digest *digest, enum room room)
{
    char what[METRIC_NAME_MAX];

    snprintf(what, sizeof(what), "%s", digest->what);
    if (room != ROOM_WIDE && strlen(what) > WHAT_MAX) {
        const char *point = strrchr(digest->what, '[');
        const size_t tail = strlen(CUT) + (point != NULL ? strlen(point) : 0);

        snprintf(what + (tail < WHAT_MAX ? WHAT_MAX - tail : 0), sizeof(what) - WHAT_MAX, "%s%s",
                 CUT, point != NULL ? point : "");
    }
    table_text(table, what);
}

static void put_bench(struct table *table, const struct view *view, const struct metrics *metrics,
                      const struct run_bench *bench, enum room room)
{
    char label[RUN_LABEL_MAX];
    struct digest digest;

    digest_of(view, metrics, bench, &digest);
    table_named_row(table, run_bench_label(view->run, bench, label));
    table_text(table, bench->state);
    table_colour(table, colour_of_state(bench->state));
    if (digest.text[0] != '\0') {
        table_span(table, digest.text);
        return;
    }
    put_what(table, &digest, room);
    if (room != ROOM_NARROW) {
        table_if(table, digest.n > 0, "%" PRIu64, digest.n);
    }
    table_text(table, digest.p50);
    if (room != ROOM_NARROW) {
        table_text(table, digest.p99);
    }
    table_text(table, digest.max);
    if (room == ROOM_WIDE) {
        table_text(table, bench->summary != NULL ? bench->summary : "");
    }
}

static void print_benches(const struct view *view)
{
    static const char *const alignments[] = {
        [ROOM_WIDE] = "lllrrrrl", [ROOM_USUAL] = "lllrrrr", [ROOM_NARROW] = "lllrr"};
    const size_t width = terminal_width();
    const enum room room = width >= WIDE             ? ROOM_WIDE
                           : width >= TERMINAL_WIDTH ? ROOM_USUAL
                                                     : ROOM_NARROW;
    struct metrics metrics;
    struct table table;

    metrics_of(view->run, &metrics);
    table_open(&table, alignments[room],
               room == ROOM_NARROW ? "bench\tstate\tmain figure\tp50\tmax"
                                   : "bench\tstate\tmain figure\tn\tp50\tp99\tmax\twhat it is");
    for (size_t i = 0; i < view->run->bench_count; i++) {
        put_bench(&table, view, &metrics, &view->run->benches[i], room);
    }
    table_print(&table, view->out, 2);
    metrics_free(&metrics);
    if (view->ticks_per_instruction > 0) {
        print_paragraph(view->out, "Values without a unit are instructions or counts.");
    }
}

/* Prints the commands that show more, with the name by which this program was called. The bench is
 * that of the first finding, or the first of the run. */
static void print_more(const struct view *view, const struct findings *findings, const char *path,
                       bool has_page)
{
    char *const tare = shell_text(program_invocation_name);
    char *const file = shell_text(path);
    const char *bench = view->run->bench_count > 0 ? view->run->benches[0].name : NULL;

    if (findings->count > 0 && findings->item[0].bench != NULL) {
        bench = findings->item[0].bench;
    }
    fputs("\nmore:", view->out);
    if (bench != NULL) {
        fprintf(view->out, "  %s show %s %s\n      ", tare, bench, file);
    }
    if (view->run->crash_count > 0) {
        fprintf(view->out, " %s show " SHOW_CRASH " %s\n      ", tare, file);
    }
    fprintf(view->out, " %s show --full %s\n", tare, file);
    if (!has_page) {
        fprintf(view->out, "       %s report %s\n", tare, file);
    }
    free(tare);
    free(file);
}

void view_digest(const struct view *view, const struct run_texts *reasons, const char *path,
                 bool has_page)
{
    struct findings findings;

    run_findings(view->run, reasons, &findings);
    view_findings(view->out, &findings);
    fputs(findings.count > 0 ? "\n" : "", view->out);
    print_verdict(view, reasons);
    print_identity(view);
    if (view->run->bench_count > 0) {
        fputc('\n', view->out);
        print_benches(view);
    }
    print_more(view, &findings, path, has_page);
}
