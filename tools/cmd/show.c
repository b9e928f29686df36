/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tare show: a run file as tables in the terminal, as JSON, or one series as plain numbers.
 */
#include <inttypes.h>
#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel/plan/number.h"
#include "tools/cmd/commands.h"
#include "tools/cmd/show_options.h"
#include "tools/lib/colour.h"
#include "tools/lib/counts.h"
#include "tools/lib/kernels.h"
#include "tools/lib/run_json.h"
#include "tools/lib/run_kind.h"
#include "tools/lib/runfile.h"
#include "tools/lib/view_seed3.h"
#include "tools/lib/views.h"

#define MACHINE_LABEL 17 /* width */

static const char help[] =
    "usage: tare show [--bench NAME] [TABLES] RUN.db\n"
    "       tare show --json RUN.db\n"
    "       tare show --samples BENCH/SERIES RUN.db\n"
    "       tare show --seed3 [--why | --json] RUN.db...\n"
    "\n"
    "Shows a run: whether it is valid, the machine, its clocks, and per bench the\n"
    "parameters, series and what follows from them. Quantiles are samples (nearest\n"
    "rank); p99 and p99.9 are told where at least ten samples lie above them. Of a\n"
    "bench that was traced: where every tick went.\n"
    "\n"
    "Tables of benches that were traced, instead:\n"
    "  --threads               each thread: its states and their causes, its\n"
    "                          wake-ups, the locks\n"
    "  --irqs                  each interrupt and deferred call: times and their\n"
    "                          distribution\n"
    "  --avail MS              how busy the processor was, over intervals of MS\n"
    "                          milliseconds (of 0.1, for instance)\n"
    "  --delays THREAD         the slowest wake-ups and waits for locks of a thread,\n"
    "                          by its name or number, and who had the processor\n"
    "                          meanwhile\n"
    "  --slowest N             how many of them, up to 1000 (5)\n"
    "\n"
    "Tables and figures of benches with input events, instead:\n"
    "  --events                each event: when it was due, came and was done; by\n"
    "                          kind; what its latency consists of; latency profile,\n"
    "                          histogram, cumulative latency, utilisation,\n"
    "                          responsiveness\n"
    "  --threshold KIND=MS,... response times that nobody minds, for responsiveness:\n"
    "                          of key_down, key_up, button_down, button_up, move or\n"
    "                          all (all=100)\n"
    "  --interarrival MS,...   intervals between events whose response time is above\n"
    "                          each of these, such as 100,110,120 or 50us\n"
    "  --fsm                   think and wait: times, transitions, and what machines\n"
    "                          that know less than the trace would say\n"
    "  --transitions N         how many of the transitions, or all (20)\n"
    "\n"
    "  --statistics            of each metric, also with --bench: quantiles with the\n"
    "                          median's interval, the greatest and when it came,\n"
    "                          mean, deviation, MAD; whether values drift or depend\n"
    "                          on each other; zero variance is \"exact\"\n"
    "\n"
    "The processor and memory experiments of a report about a laptop under an\n"
    "operating system, each beside what was expected and measured here:\n"
    "  --seed3                 as a table; of several runs, a column each\n"
    "  --why                   and where each figure comes from, and what estimates\n"
    "                          are made of\n"
    "\n"
    "  --bench NAME            this bench only\n"
    "  --json                  one JSON object instead of tables\n"
    "  --samples BENCH/SERIES  the raw samples of one series, one a line; of a bench\n"
    "                          that was run more than once, BENCH:2/SERIES those of\n"
    "                          its second run\n"
    "  --help                  this text\n"
    "\n"
    "Exit status: 0 a valid run, 1 an invalid run or no run file, 2 wrong usage.\n";

static void print_verdict_line(FILE *out, const struct run *run, const struct run_texts *reasons)
{
    const bool valid = reasons->count == 0;
    const char *verdict = valid ? "VALID  " : "INVALID  ";
    const size_t column = strlen(verdict);
    char kind[RUN_KIND_MAX];

    colour_text(out, valid ? COLOUR_GOOD : COLOUR_BAD, verdict);
    for (size_t i = 0; i < reasons->count; i++) {
        print_wrapped(out, reasons->item[i], column, column + 2);
        fprintf(out, "%*s", (int)column, "");
    }
    print_wrapped(out, run_kind_text(run, kind), column, column);
}

static void print_head(FILE *out, const char *title)
{
    fputc('\n', out);
    colour_text(out, COLOUR_HEAD, title);
    fputc('\n', out);
}

/* "34 OK, 6 SKIP, 1 FAIL (order)": what did not go well is named. */
static void print_states(FILE *out, const struct run *run)
{
    static const char *const states[] = {"OK", "SKIP", "FAIL", "ERROR", "CRASH"};
    char text[1024];
    size_t used = (size_t)snprintf(text, sizeof(text), "%zu: ", run->bench_count);
    const char *between = "";

    for (size_t k = 0; k < sizeof(states) / sizeof(states[0]); k++) {
        const bool is_named = colour_of_state(states[k]) == COLOUR_BAD;
        size_t count = 0;
        char names[512] = "";
        size_t length = 0;

        for (size_t i = 0; i < run->bench_count; i++) {
            char label[RUN_LABEL_MAX];

            if (run->benches[i].state == NULL || strcmp(run->benches[i].state, states[k]) != 0) {
                continue;
            }
            count++;
            if (is_named && length < sizeof(names)) {
                length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
                                           length > 0 ? ", " : "",
                                           run_bench_label(run, &run->benches[i], label));
            }
        }
        if (count > 0 && used < sizeof(text)) {
            used +=
                (size_t)snprintf(text + used, sizeof(text) - used, "%s%zu %s%s%s%s", between, count,
                                 states[k], is_named ? " (" : "", names, is_named ? ")" : "");
            between = ", ";
        }
    }
    print_labelled(out, "benches", text);
}

/* On what, when, at what rate, and how it went. */
static void print_summary(FILE *out, const struct run *run)
{
    const char *brand = run_pair_value(&run->machine, "cpu_brand");
    const char *processors = run_pair_value(&run->machine, "processors");
    const char *firmware = run_pair_value(&run->machine, "firmware_vendor");
    const char *date = run_pair_value(&run->info, "date");
    uint64_t count;
    char number[64] = "";
    char text[512];

    fputc('\n', out);
    if (processors != NULL && parse_unsigned(processors, &count)) {
        snprintf(number, sizeof(number), ", %" PRIu64 " processor%s", count, count == 1 ? "" : "s");
    } else if (processors != NULL) {
        snprintf(number, sizeof(number), ", processors %.30s", processors);
    }
    snprintf(text, sizeof(text), "%s%s%s%s", brand != NULL ? brand : "processor unknown", number,
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
                 run->verdict.ok ? "" : ", not to be believed");
        print_labelled(out, "TSC", text);
    }
    if (run->bench_count > 0) {
        print_states(out, run);
    }
}

/* The facts that a reader looks for first; all others follow in one paragraph. */
static bool is_headline(const char *name)
{
    static const char *const headlines[] = {
        "cpu_brand",         "hypervisor", "invariant_tsc", "processors",  "firmware_vendor",
        "memory_free_bytes", "lapic",      "serial",        "framebuffer",
    };

    for (size_t i = 0; i < sizeof(headlines) / sizeof(headlines[0]); i++) {
        if (strcmp(name, headlines[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void print_machine(FILE *out, const struct run *run)
{
    const char *date = run_pair_value(&run->info, "date");
    char others[4096] = "";
    size_t used = 0;

    print_head(out, "machine");
    if (date != NULL) {
        print_field(out, MACHINE_LABEL, "date", date);
    }
    for (size_t i = 0; i < run->machine.count; i++) {
        const struct run_pair *fact = &run->machine.item[i];
        const char *value = fact->value != NULL ? fact->value : "-";

        if (is_headline(fact->key)) {
            print_field(out, MACHINE_LABEL, fact->key, value);
        } else if (used < sizeof(others)) {
            used += (size_t)snprintf(others + used, sizeof(others) - used, "%s%s=%s",
                                     used > 0 ? ", " : "", fact->key, value);
        }
    }
    if (used > 0) {
        print_field(out, MACHINE_LABEL, "and", others);
    }
    if (run->plan_source != NULL) {
        print_field(out, MACHINE_LABEL, "plan from", run->plan_source);
    }
    if (run->plan_text != NULL && run->plan_text[0] != '\0') {
        print_field(out, MACHINE_LABEL, "plan", run->plan_text);
    }
}

static void print_estimates(FILE *out, const struct run *run)
{
    struct table table;

    table_init(&table, "llrrrr");
    table_row(&table);
    table_text(&table, "clock");
    table_text(&table, "measured by");
    table_text(&table, "hz");
    table_text(&table, "from verdict");
    table_text(&table, "error");
    table_text(&table, "windows");
    for (size_t i = 0; i < run->estimate_count; i++) {
        const struct run_estimate *estimate = &run->estimates[i];

        table_row(&table);
        table_text(&table, estimate->clock);
        table_text(&table, estimate->reference);
        table_format(&table, "%" PRIu64, estimate->hz);
        if (run->verdict.present && run->verdict.hz > 0) {
            table_format(&table, "%+.3f ppm",
                         ((double)estimate->hz / (double)run->verdict.hz - 1) * 1e6);
        } else {
            table_text(&table, NULL);
        }
        if (estimate->has_error) {
            table_format(&table, "%.3f ppm", (double)estimate->error_ppb / 1000);
        } else {
            table_text(&table, NULL);
        }
        table_format(&table, "%" PRIu64, estimate->windows);
    }
    table_print(&table, out, 2);
}

static void print_clocks(FILE *out, const struct run *run)
{
    print_head(out, "clocks");
    if (run->source_count > 0) {
        struct table table;

        table_init(&table, "lrl");
        table_row(&table);
        table_text(&table, "source");
        table_text(&table, "hz");
        table_text(&table, "said by");
        for (size_t i = 0; i < run->source_count; i++) {
            table_row(&table);
            table_text(&table, run->sources[i].name);
            if (run->sources[i].hz != 0) {
                table_format(&table, "%" PRIu64, run->sources[i].hz);
            } else {
                table_text(&table, NULL);
            }
            table_text(&table, run->sources[i].from);
        }
        table_print(&table, out, 2);
    }
    if (run->estimate_count > 0) {
        fputs(run->source_count > 0 ? "\n" : "", out);
        print_estimates(out, run);
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
    snprintf(text, sizeof(text), "%s%s%s%s%s%s",
             run->verdict.ok ? "" : "not to be believed: ", rate,
             run->verdict.by != NULL ? ", by " : "", run->verdict.by != NULL ? run->verdict.by : "",
             has_reason ? ": " : "", has_reason ? run->verdict.reason : "");
    print_labelled(out, "verdict", text);
}

static void print_overview(FILE *out, const struct run *run)
{
    static const char *const heads[] = {"bench", "state", "what it is, or why it was not run"};
    struct table table;

    print_head(out, "benches");
    table_head(&table, "lll", heads);
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        char label[RUN_LABEL_MAX];

        table_row(&table);
        table_text(&table, run_bench_label(run, bench, label));
        table_text(&table, bench->state);
        table_colour(&table, colour_of_state(bench->state));
        table_text(&table, bench->reason != NULL ? bench->reason : bench->summary);
    }
    table_print(&table, out, 2);
}

static void print_params(FILE *out, const struct run_bench *bench)
{
    char text[1024];
    size_t used = 0;

    for (size_t i = 0; i < bench->param_count && used < sizeof(text); i++) {
        const struct run_param *param = &bench->params[i];
        const bool planned = param->origin != NULL && strcmp(param->origin, "plan") == 0;

        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s=%s%s", i > 0 ? ", " : "",
                                 param->name, param->value != NULL ? param->value : "",
                                 planned ? " (plan)" : "");
    }
    if (used > 0) {
        print_labelled(out, "with", text);
    }
}

/* "2 of 3, for events cycles, instructions". */
static void print_pass(const struct view *view, const struct run_bench *bench)
{
    const uint32_t passes = run_pass_count(view->run, bench->name);
    const char *event;
    char text[1024];

    if (passes < 2) {
        return;
    }
    size_t used =
        (size_t)snprintf(text, sizeof(text), "%" PRIu32 " of %" PRIu32, bench->pass, passes);

    for (size_t i = 0; (event = counted_event_at(bench, i)) != NULL && used < sizeof(text); i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
                                 i > 0 ? ", " : ", for events ", event);
    }
    print_labelled(view->out, "run", text);
}

static void print_effective_clock(const struct view *view, const struct run_bench *bench)
{
    const double ratio = effective_clock(bench);

    if (!isnan(ratio)) {
        fprintf(view->out, "  effective clock: APERF/MPERF %.3f of the nominal clock\n", ratio);
    }
}

static void print_facts(const struct view *view, const struct run_bench *bench)
{
    const bool has_kernels = strcmp(bench->name, "counters") == 0;
    char text[1024];
    size_t used = 0;

    for (size_t i = 0; i < bench->fact_count && used < sizeof(text); i++) {
        const struct run_fact *fact = &bench->facts[i];
        const bool has_unit = fact->unit != NULL && strcmp(fact->unit, "count") != 0;

        if (has_kernels && is_kernel_expectation(fact)) {
            continue; /* they stand beside what was measured */
        }
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s=%" PRId64 "%s%s",
                                 used > 0 ? ", " : "", fact->name, fact->value, has_unit ? " " : "",
                                 has_unit ? fact->unit : "");
    }
    if (used > 0) {
        print_labelled(view->out, "facts", text);
    }
}

static void print_series(const struct view *view, const struct run_bench *bench)
{
    struct table table;

    statistics_head(&table, "series");
    for (size_t i = 0; i < bench->series_count; i++) {
        const struct run_series *series = &bench->series[i];
        struct statistics statistics;

        if (series->of != NULL) {
            continue;
        }
        statistics_of(series->samples, series->received, &statistics);
        statistics_rows(&table, view, series->name, series->unit, &statistics);
    }
    fputc('\n', view->out);
    table_print(&table, view->out, 2);
}

static void print_bench_head(const struct view *view, const struct run_bench *bench)
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
    if (bench->estimate != NULL) {
        print_labelled(view->out, "expected", bench->estimate);
    }
    print_params(view->out, bench);
    print_facts(view, bench);
    print_effective_clock(view, bench);
    view_absents(view, bench);
}

static void print_bench(const struct view *view, const struct run_bench *bench)
{
    static const struct {
        const char *bench;
        void (*print)(const struct view *view, const struct run_bench *bench);
        enum { BESIDE, FOR_COUNTS, FOR_SERIES } stands; /* beside the usual tables or for one */
    } special[] = {{"idle", view_idle, BESIDE},
                   {"load", view_load, BESIDE},
                   {"gap", view_gap, BESIDE},
                   {"counters", view_counters, FOR_COUNTS},
                   {"order", view_order, BESIDE},
                   {"switches", view_switches, BESIDE},
                   {"aliasing", view_aliasing, BESIDE},
                   {"inversion", view_inversion, BESIDE},
                   {"overload", view_overload, BESIDE},
                   {"bandwidth", view_bandwidth, FOR_SERIES},
                   {"chase", view_chase, FOR_SERIES},
                   {"loaded", view_loaded, FOR_SERIES},
                   {"stride", view_stride, FOR_SERIES},
                   {"tlb", view_tlb, FOR_SERIES},
                   {"model", view_model, FOR_SERIES},
                   {"lines", view_lines, FOR_SERIES},
                   {"contention", view_contention, FOR_SERIES},
                   {"ipi", view_ipi, FOR_SERIES},
                   {"contextswitch", view_contextswitch, BESIDE},
                   {"pagefault", view_pagefault, BESIDE},
                   {"sweep", view_sweep, FOR_SERIES}};
    size_t at = 0;

    while (at < sizeof(special) / sizeof(special[0]) &&
           strcmp(bench->name, special[at].bench) != 0) {
        at++;
    }
    const bool is_special = at < sizeof(special) / sizeof(special[0]);

    print_bench_head(view, bench);
    if (bench->series_count == 0 && bench->trace_count == 0) {
        return;
    }
    if (view_has_costs(bench)) {
        view_costs(view, bench);
    } else if (bench->series_count > 0 && (!is_special || special[at].stands != FOR_SERIES)) {
        print_series(view, bench);
    }
    if (!is_special || special[at].stands != FOR_COUNTS) {
        view_counts(view, bench);
    }
    view_ratios(view, bench);
    if (is_special) {
        special[at].print(view, bench);
    }
    if (view_has_input(bench)) {
        view_input_summary(view, bench);
    }
    if (bench->trace_count > 0) {
        view_trace(view, bench, &(struct trace_wish){.books = true});
    }
}

static void print_crash(FILE *out, const struct run_crash *crash)
{
    char text[2048] = "";
    size_t used = 0;

    for (size_t i = 0; i < crash->fields.count && used < sizeof(text); i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s=%s", i > 0 ? " " : "",
                                 crash->fields.item[i].key, crash->fields.item[i].value);
    }
    print_head(out, "crash");
    fputs("  ", out);
    print_wrapped(out, text, 2, 2);
    for (size_t i = 0; i < crash->frame_count; i++) {
        const struct run_backtrace *frame = &crash->frames[i];

        fprintf(out, "  #%-2" PRIu64 " %s", frame->depth,
                frame->address != NULL ? frame->address : "-");
        if (frame->symbol != NULL) {
            fprintf(out, " %s%s%s", frame->symbol, frame->offset != NULL ? "+" : "",
                    frame->offset != NULL ? frame->offset : "");
        }
        fputc('\n', out);
    }
}

static void print_interrupts(FILE *out, const struct run *run)
{
    struct table table;

    if (run->interrupt_count == 0) {
        return;
    }
    print_head(out, "interrupts");
    table_init(&table, "rlrr");
    table_row(&table);
    table_text(&table, "vector");
    table_text(&table, "name");
    table_text(&table, "count");
    table_text(&table, "expected");
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

static void print_run(const struct view *view, const struct run_texts *reasons)
{
    const struct run *run = view->run;
    FILE *out = view->out;

    print_verdict_line(out, run, reasons);
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
        print_bench(view, &run->benches[i]);
    }
    for (size_t i = 0; i < run->crash_count; i++) {
        print_crash(out, &run->crashes[i]);
    }
    print_interrupts(out, run);
}

/* ---- one bench, and tables of traces ---- */

static bool is_wanted(const struct show_options *options, const struct run_bench *bench)
{
    return options->bench == NULL || strcmp(bench->name, options->bench) == 0;
}

/* "a, b, c" in a message: the benches there are, or those of them that were traced. */
static const char *list_benches(const struct run *run, bool traced, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < run->bench_count && used < size; i++) {
        const struct run_bench *bench = &run->benches[i];

        if (bench == run_find_bench(run, bench->name) && (!traced || bench->trace_count > 0)) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                     bench->name);
        }
    }
    return used > 0 ? text : "none";
}

/* "a, b, c": the threads that the benches name. */
static const char *list_threads(const struct run *run, const struct show_options *options,
                                char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        for (size_t k = 0; is_wanted(options, bench) && k < bench->object_count && used < size;
             k++) {
            if (strcmp(bench->objects[k].kind, "thread") == 0 && bench->objects[k].name != NULL) {
                used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "",
                                         bench->objects[k].name);
            }
        }
    }
    return used > 0 ? text : "idle, bench";
}

/* Has a wanted bench input events? If not it has been said. */
static bool can_show_input(const struct run *run, const struct show_options *options)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        if (is_wanted(options, &run->benches[i]) && view_has_input(&run->benches[i])) {
            return true;
        }
    }
    if (options->bench != NULL) {
        command_failure(&command_show, "no input events in bench %s", options->bench);
    } else {
        command_failure(&command_show, "no input events in any bench of this run; the interactive "
                                       "benches have some: run one with a plan such as "
                                       "bench=echo");
    }
    return false;
}

/* Is there what is asked for? If not it has been said. */
static bool can_show(const struct run *run, const struct show_options *options)
{
    bool found = false;
    bool traced = false;
    bool thread = false;
    char text[1024];

    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];
        const bool counts = is_wanted(options, bench) && bench->trace_count > 0;

        found = found || is_wanted(options, bench);
        traced = traced || counts;
        thread = thread || (counts && options->wish.thread != NULL &&
                            view_find_thread(bench, options->wish.thread) != ACCOUNT_NO_THREAD);
    }
    if (options->bench != NULL && !found) {
        command_failure(&command_show, "no bench \"%s\" in the run; there are: %s", options->bench,
                        list_benches(run, false, text, sizeof(text)));
    } else if (options->wishes && !traced && options->bench != NULL) {
        command_failure(&command_show, "bench %s of this run was not traced; traced are: %s",
                        options->bench, list_benches(run, true, text, sizeof(text)));
    } else if (options->wishes && !traced) {
        command_failure(&command_show, "no bench of this run was traced; the benches of threads "
                                       "are: run one with a plan such as bench=switches");
    } else if (options->wish.thread != NULL && !thread) {
        command_failure(&command_show, "no thread \"%s\" in the run; there are: %s",
                        options->wish.thread, list_threads(run, options, text, sizeof(text)));
    } else {
        return !options->asks_input || can_show_input(run, options);
    }
    return false;
}

/* The tables that are asked for, as far as the bench has what they are made of. */
static bool print_tables(const struct view *view, const struct run_bench *bench,
                         const struct show_options *options)
{
    const bool traced = options->wishes && bench->trace_count > 0;
    const bool input = options->asks_input && view_has_input(bench);
    char label[RUN_LABEL_MAX];
    bool good = true;

    if (traced || input) {
        fprintf(view->out, "\n%s\n", run_bench_label(view->run, bench, label));
    }
    if (traced) {
        good = view_trace(view, bench, &options->wish) == NULL;
    }
    if (input) {
        good = view_input(view, bench, &options->input) == NULL && good;
    }
    return good;
}

static int print_part(const struct view *view, const struct run_texts *reasons,
                      const struct show_options *options)
{
    const struct run *run = view->run;
    int status = COMMAND_OK;

    if (!can_show(run, options)) {
        return COMMAND_FAILED;
    }
    print_verdict_line(view->out, run, reasons);
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];

        if (!is_wanted(options, bench)) {
            continue;
        }
        if (!options->wishes && !options->asks_input) {
            print_bench(view, bench);
        } else if (!print_tables(view, bench, options)) {
            status = COMMAND_FAILED;
        }
    }
    return status;
}

static int print_statistics(const struct view *view, const struct run_texts *reasons,
                            const struct show_options *options)
{
    if (!can_show(view->run, options)) {
        return COMMAND_FAILED;
    }
    print_verdict_line(view->out, view->run, reasons);
    if (!view_statistics(view, options->bench)) {
        return command_failure(&command_show, "no samples in %s%s that make a metric",
                               options->bench != NULL ? "bench " : "this run",
                               options->bench != NULL ? options->bench : "");
    }
    return COMMAND_OK;
}

/* ---- series ---- */

/* "a/b, a/c, a:2/d" in a message: which series there are. */
static void list_series(const struct run *run, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];
        char pass[16] = "";

        if (bench->pass > 1) {
            snprintf(pass, sizeof(pass), ":%" PRIu32, bench->pass);
        }
        for (size_t k = 0; k < bench->series_count && used < size; k++) {
            used += (size_t)snprintf(text + used, size - used, "%s%s%s/%s", used > 0 ? ", " : "",
                                     bench->name, pass, bench->series[k].name);
        }
    }
}

/* The series that "BENCH/SERIES" or "BENCH:PASS/SERIES" names; without a pass, of the first pass
 * that has it. */
static const struct run_series *find_wanted(const struct run *run, const char *wanted)
{
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *bench = &run->benches[i];
        const size_t length = strlen(bench->name);
        char pass[16];

        if (strncmp(wanted, bench->name, length) != 0) {
            continue;
        }
        const char *rest = wanted + length;
        const size_t digits = (size_t)snprintf(pass, sizeof(pass), ":%" PRIu32, bench->pass);

        rest += strncmp(rest, pass, digits) == 0 ? digits : 0;
        const struct run_series *series = *rest == '/' ? run_find_series(bench, rest + 1) : NULL;

        if (series != NULL) {
            return series;
        }
    }
    return NULL;
}

static int print_samples(const struct run *run, const char *wanted)
{
    const struct run_series *series = find_wanted(run, wanted);
    char known[1024];

    if (series == NULL) {
        list_series(run, known, sizeof(known));
        return command_failure(&command_show, "no series \"%s\" in the run; there are: %s", wanted,
                               known[0] != '\0' ? known : "none");
    }
    for (size_t i = 0; i < series->received; i++) {
        printf("%" PRId64 "\n", series->samples[i]);
    }
    return run_series_whole(series)
               ? COMMAND_OK
               : command_failure(&command_show, "%zu of %u samples of %s are missing",
                                 series->n - series->received, series->n, wanted);
}

static int show(const struct show_options *options, struct run *run)
{
    char error[RUNFILE_ERROR_MAX];
    struct run_texts reasons = {0};
    int status = COMMAND_OK;
    struct view view;

    if (!runfile_read(options->paths[0], run, error)) {
        return command_failure(&command_show, "%s", error);
    }
    const bool valid = run_valid(run, &reasons);

    chart_use_blocks(strcmp(nl_langinfo(CODESET), "UTF-8") == 0);
    view_init(&view, stdout, run);
    if (options->samples != NULL) {
        status = print_samples(run, options->samples);
        if (status == COMMAND_OK && !valid) {
            status = command_failure(&command_show, "INVALID run: %s", reasons.item[0]);
        }
    } else if (options->json) {
        run_json(stdout, run, &reasons);
    } else if (options->statistics) {
        status = print_statistics(&view, &reasons, options);
    } else if (options->wishes || options->asks_input || options->bench != NULL) {
        status = print_part(&view, &reasons, options);
    } else {
        print_run(&view, &reasons);
    }
    run_texts_free(&reasons);
    return valid ? status : COMMAND_FAILED;
}

/* ---- the report's experiments ---- */

/* Reads runs[i] from paths[i]; false where one cannot be read, which has been said. */
static bool read_runs(const struct show_options *options, struct run *runs,
                      struct seed3_run *columns)
{
    char error[RUNFILE_ERROR_MAX];

    for (size_t i = 0; i < options->path_count; i++) {
        struct run_texts reasons = {0};

        if (!runfile_read(options->paths[i], &runs[i], error)) {
            command_failure(&command_show, "%s", error);
            return false;
        }
        columns[i] = (struct seed3_run){options->paths[i], &runs[i], run_valid(&runs[i], &reasons)};
        run_texts_free(&reasons);
    }
    return true;
}

static int show_seed3(const struct show_options *options)
{
    struct run runs[SEED3_RUNS_MAX];
    struct seed3_run columns[SEED3_RUNS_MAX];
    bool good;

    for (size_t i = 0; i < options->path_count; i++) {
        run_init(&runs[i]);
    }
    good = read_runs(options, runs, columns);
    if (good && options->json) {
        seed3_json(stdout, columns, options->path_count);
    } else if (good) {
        view_seed3(stdout, columns, options->path_count, options->why);
    }
    for (size_t i = 0; i < options->path_count; i++) {
        good = good && columns[i].valid;
        run_free(&runs[i]);
    }
    return good ? COMMAND_OK : COMMAND_FAILED;
}

static int show_main(int argc, char **argv)
{
    struct show_options options;
    struct run run;

    if (!show_read_options(argc, argv, &options)) {
        return COMMAND_USAGE;
    }
    if (options.seed3) {
        return show_seed3(&options);
    }
    run_init(&run);
    const int status = show(&options, &run);

    run_free(&run);
    return status;
}

const struct command command_show = {
    .name = "show",
    .summary = "show a run file as tables, JSON or raw samples",
    .help = help,
    .main = show_main,
    .is_long = true,
};
