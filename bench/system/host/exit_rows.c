/* SPDX-License-Identifier: BSD-2-Clause */
/* Bench exits: reads each operation's cost, and judges whether the hypervisor traps it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/system/host/view_system.h"
#include "bench/system/names.h"
#include "kernel/link/names.h"
#include "kernel/run/names.h"
#include "tools/present/view.h"
#include "tools/run/run_kind.h"
#include "tools/stats/statistics.h"

/* CPUID takes one instruction, except if it exits to a hypervisor whose instructions the TSC counts
 * as well. An exit takes hundreds. */
#define EXIT_INSTRUCTIONS 50

/* Parts of the cheapest certain exit: an operation that takes at least half of it exits; one that
 * takes at most a quarter does not. */
#define PART_TRAPPED 2
#define PART_NOT     4

#define POLLING \
    "; KVM polls before it sleeps, longer with each of the first halts: kvm.halt_poll_ns"
#define HUGE_PAGES "; the host clears a page, or with transparent_hugepage=always 2 MiB"

const struct exit_row exit_rows[] = {
#define NONE (double)NAN
#define EXIT_OPERATION(name, label, meaning, bare, amd, intel, amd_path, intel_path, instructions, \
                       ...)                                                                        \
    {#name, label, {bare, amd, intel}, {instructions, amd_path, intel_path}, NULL},
#include "bench/system/exit_operations.def"
    {EXITS_SELF_IPI, "self-IPI to handler", {700, 3300, 3000}, {NAN, 8620, NAN}, NULL},
    {EXITS_HLT_PENDING, "HLT, IRQ pending", {300, 2800, 2500}, {4, 4862, 2838}, NULL},
    {EXITS_HLT_TIMER, "HLT, wake-up delay", {3000, 15300, 15000}, {NAN, NAN, NAN}, POLLING},
    {EXITS_IPI, "IPI, round trip", {3000, 10300, 10000}, {NAN, NAN, NAN}, NULL},
    {EXITS_IPI_HALTED, "IPI to halted CPU", {5000, 20300, 20000}, {NAN, NAN, NAN}, NULL},
    {EXITS_PAGE_FIRST, "page, first write", {600, 200000, 200000}, {1, NAN, NAN}, HUGE_PAGES},
    {EXITS_PAGE_AGAIN, "page, second write", {1, 1, 1}, {1, 1, 1}, NULL},
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

/* Returns the most frequent sample of NAME with a suffix, or NAN if there is no such series. Sets
 * *weakest if its share is smaller. */
static double mode_of(const struct run_bench *bench, const char *name, const char *suffix,
                      struct statistics_mode *weakest)
{
    const struct run_series *series = run_series_named(bench, "%s%s", name, suffix);

    if (series == NULL || series->received == 0) {
        return (double)NAN;
    }
    const struct statistics_mode mode = statistics_mode_of(series->samples, series->received);

    *weakest = mode.share < weakest->share ? mode : *weakest;
    return mode.value;
}

/* Returns the cost of a repetition by the modes, what surrounds it included. */
static double mode_cost(const struct run_bench *bench, const char *name, struct exit_result *result)
{
    const int64_t repetitions = run_fact_or(bench, FACT_REPETITIONS, 1);

    result->weakest = (struct statistics_mode){.share = HUGE_VAL};
    result->once = mode_of(bench, name, "", &result->weakest);
    result->twice = mode_of(bench, name, SUFFIX_TWICE, &result->weakest);
    return isnan(result->twice) ? result->once
                                : (result->twice - result->once) / (double)repetitions;
}

static bool read_modes(const struct run_bench *bench, const char *name, struct exit_result *result)
{
    const char *around = costs_around(bench, name);
    struct exit_result less;

    result->mode = mode_cost(bench, name, result);
    if (around != NULL) {
        result->mode -= mode_cost(bench, around, &less);
    }
    return !isnan(result->mode);
}

/* An exit that certainly happened in this run: CPUID or a hypercall. A hypervisor traps CPUID
 * always: if CPUID reports a hypervisor, or, where the TSC counts instructions that are not only
 * this program's, if CPUID takes many. */
struct certain {
    const struct exit_row *row; /* the cheapest of them; NULL: there is none */
    double ticks;
    double tick; /* ticks of an instruction, if costs are compared in instructions; 0: in time */
};

/* Returns the cost in ticks: by the modes if the TSC counts instructions, otherwise the median. */
static double cost_in(const struct certain *certain, const struct exit_result *result)
{
    return certain->tick > 0 ? result->mode : result->cost.median;
}

static bool read_costs(const struct run_bench *bench, const struct exit_row *row,
                       struct exit_result *result)
{
    return read_series(bench, row->series, &result->cost) && read_modes(bench, row->series, result);
}

static struct certain find_certain(const struct run *run, const struct run_bench *bench)
{
    static const enum exit_place sure[] = {EXIT_cpuid, EXIT_vmcall, EXIT_vmmcall};
    const bool reported =
        run_time(run) == RUN_TIME_REAL && run_pair_value(&run->info, INFO_HYPERVISOR) != NULL;
    struct certain certain = {.tick = run_is_exact(run) ? 0 : run_ticks_per_instruction(run)};
    struct exit_result result;

    if (!reported && !(certain.tick > 0 && read_costs(bench, &exit_rows[EXIT_cpuid], &result) &&
                       result.mode >= EXIT_INSTRUCTIONS * certain.tick)) {
        return certain;
    }
    for (size_t i = 0; i < sizeof(sure) / sizeof(sure[0]); i++) {
        if (read_costs(bench, &exit_rows[sure[i]], &result) && cost_in(&certain, &result) > 0 &&
            (certain.row == NULL || cost_in(&certain, &result) < certain.ticks)) {
            certain.row = &exit_rows[sure[i]];
            certain.ticks = cost_in(&certain, &result);
        }
    }
    return certain;
}

/* Only an instruction that exits executes others than its own: where the TSC counts those of the
 * hypervisor too, one that takes exactly its own count did not exit. In real time an operation that
 * takes long without an exit, because it waits for a device, has to take half an exit longer than
 * it is expected to take without. */
static enum exit_guess judge(const struct certain *certain, const struct exit_row *row,
                             const struct exit_result *result)
{
    const double ticks = cost_in(certain, result);
    const double half = certain->ticks / PART_TRAPPED;
    const double bare = row->estimate[EXIT_BARE] * result->per_cycle;
    const bool waits = certain->tick == 0 && bare > half;
    const double own = certain->tick > 0 ? (row->instructions[EXIT_BARE] + 0.5) * certain->tick
                                         : certain->ticks / PART_NOT;

    return certain->row == NULL                   ? EXIT_UNKNOWN
           : ticks <= own                         ? EXIT_NOT_TRAPPED
           : ticks >= half + (waits ? bare : 0.0) ? EXIT_TRAPPED
                                                  : EXIT_UNKNOWN;
}

bool exit_read(const struct run *run, const struct run_bench *bench, const struct exit_row *row,
               struct exit_result *result)
{
    const struct certain certain = find_certain(run, bench);

    if (!read_costs(bench, row, result)) {
        return false;
    }
    result->per_cycle = ticks_of_cycle(bench);
    result->cycles = result->cost.median / result->per_cycle;
    result->guess = judge(&certain, row, result);
    return true;
}

bool exit_summarise(const struct run *run, const struct run_bench *bench, size_t *trapped,
                    char text[EXIT_TEXT_MAX])
{
    const struct certain certain = find_certain(run, bench);
    const char *unit = certain.tick > 0 ? " instructions" : "";
    const struct exit_row *dearest = NULL;
    size_t measured = 0, unknown = 0;
    char cheapest_text[AMOUNT_MAX], dearest_text[AMOUNT_MAX];
    struct exit_result result;
    struct view view;
    double most = 0;

    *trapped = 0;
    for (const struct exit_row *row = exit_rows; row->series != NULL; row++) {
        if (!exit_read(run, bench, row, &result)) {
            continue;
        }
        measured++;
        *trapped += result.guess == EXIT_TRAPPED ? 1 : 0;
        unknown += result.guess == EXIT_UNKNOWN ? 1 : 0;
        if (result.guess == EXIT_TRAPPED && row->instructions[EXIT_BARE] == 1 &&
            strcmp(row->series, EXITS_PAGE_FIRST) != 0 && cost_in(&certain, &result) > most) {
            dearest = row;
            most = cost_in(&certain, &result);
        }
    }
    view_init(&view, NULL, run);
    if (certain.row != NULL) {
        snprintf(text, EXIT_TEXT_MAX,
                 "the hypervisor traps %zu of %zu operations (unknown: %zu); the cheapest certain "
                 "exit is %s (%s%s), the dearest instruction %s (%s%s)",
                 *trapped, measured, unknown, certain.row->what,
                 span_text(&view, certain.ticks, cheapest_text), unit,
                 dearest != NULL ? dearest->what : "not known",
                 span_text(&view, most, dearest_text), unit);
    }
    return certain.row != NULL;
}
