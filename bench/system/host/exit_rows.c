/* SPDX-License-Identifier: BSD-2-Clause */
/* Bench exits: reads each operation's cost, and judges whether the hypervisor traps it. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/system/host/view_system.h"
#include "bench/system/names.h"
#include "kernel/link/names.h"
#include "kernel/run/names.h"
#include "tools/run/run_kind.h"
#include "tools/stats/statistics.h"

/* CPUID takes one instruction, except if it exits to a hypervisor whose instructions the TSC counts
 * as well. An exit takes hundreds. */
#define EXIT_INSTRUCTIONS 50

/* Parts of the cheapest certain exit: an operation that takes at least half of it exits; one that
 * takes at most a quarter does not. */
#define PART_TRAPPED 2
#define PART_NOT     4

const struct exit_row exit_rows[] = {
#define EXIT_NONE (double)NAN
#define EXIT_OPERATION(name, label, meaning, bare, amd, intel, amd_path, intel_path, instructions, \
                       ...)                                                                        \
    {#name, label, {bare, amd, intel}, {instructions, amd_path, intel_path}},
#include "bench/system/exit_operations.def"
    {EXITS_SELF_IPI, "self-IPI to handler", {700, 3300, 3000}, {NAN, 8620, NAN}},
    {EXITS_HLT_PENDING, "HLT, IRQ pending", {300, 2800, 2500}, {4, 4862, 2838}},
    {EXITS_HLT_TIMER, "HLT, wake-up delay", {3000, 15300, 15000}, {NAN, NAN, NAN}},
    {EXITS_IPI, "IPI, round trip", {3000, 10300, 10000}, {NAN, NAN, NAN}},
    {EXITS_IPI_HALTED, "IPI to halted CPU", {5000, 20300, 20000}, {NAN, NAN, NAN}},
    {EXITS_PAGE_FIRST, "page, first write", {600, 200000, 200000}, {1, NAN, NAN}},
    {EXITS_PAGE_AGAIN, "page, second write", {1, 1, 1}, {1, 1, 1}},
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
    char full[EXIT_NAME_MAX];

    snprintf(full, sizeof(full), "%s%s", name, suffix);
    const struct run_series *series = run_find_series(bench, full);

    if (series == NULL || series->received == 0) {
        return (double)NAN;
    }
    const struct statistics_mode mode = statistics_mode_of(series->samples, series->received);

    *weakest = mode.share < weakest->share ? mode : *weakest;
    return (double)mode.value;
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

/* Returns the cost of an operation in ticks: by the modes if the TSC counts instructions, otherwise
 * the median. NAN: it was not measured. */
static double cost_of(const struct run_bench *bench, enum exit_place operation, bool counts)
{
    struct exit_result result;

    if (!read_series(bench, exit_rows[operation].series, &result.cost)) {
        return (double)NAN;
    }
    return !counts                                                   ? result.cost.median
           : read_modes(bench, exit_rows[operation].series, &result) ? result.mode
                                                                     : (double)NAN;
}

bool exit_certain(const struct run *run, const struct run_bench *bench,
                  struct exit_certain *certain)
{
    static const enum exit_place sure[] = {EXIT_cpuid, EXIT_vmcall, EXIT_vmmcall};
    const double tick = run_ticks_per_instruction(run);
    const bool shared = tick > 0 && !run_is_exact(run);
    const bool virtual = run_time(run) == RUN_TIME_REAL &&
                         run_pair_value(&run->info, INFO_HYPERVISOR) != NULL;

    *certain = (struct exit_certain){.ticks = (double)NAN};
    if (!virtual && !(shared && cost_of(bench, EXIT_cpuid, true) >= EXIT_INSTRUCTIONS * tick)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(sure) / sizeof(sure[0]); i++) {
        const double ticks = cost_of(bench, sure[i], shared);

        if (ticks > 0 && !(certain->ticks <= ticks)) {
            *certain = (struct exit_certain){&exit_rows[sure[i]], ticks, shared ? tick : 0};
        }
    }
    return certain->row != NULL;
}

/* Only an instruction that exits executes others than its own: where the TSC counts those of the
 * hypervisor too, one that takes exactly its own count did not exit. */
static enum exit_guess judge_counts(const struct exit_certain *certain, const struct exit_row *row,
                                    const struct exit_result *result)
{
    return result->mode <= (row->instructions[EXIT_BARE] + 0.5) * certain->tick ? EXIT_NOT_TRAPPED
           : result->mode >= certain->ticks / PART_TRAPPED                      ? EXIT_TRAPPED
                                                                                : EXIT_UNKNOWN;
}

/* An operation that takes long without an exit, because it waits for a device, has to take half an
 * exit longer than it is expected to take without. */
static enum exit_guess judge_time(const struct exit_certain *certain, const struct exit_row *row,
                                  const struct exit_result *result)
{
    const double ticks = result->cost.median;
    const double half = certain->ticks / PART_TRAPPED;
    const double bare = row->estimate[EXIT_BARE] * result->per_cycle;

    return ticks <= certain->ticks / PART_NOT                            ? EXIT_NOT_TRAPPED
           : ticks >= (isnan(bare) || bare <= half ? half : bare + half) ? EXIT_TRAPPED
                                                                         : EXIT_UNKNOWN;
}

bool exit_read(const struct run *run, const struct run_bench *bench, const struct exit_row *row,
               struct exit_result *result)
{
    struct exit_certain certain;

    if (!read_series(bench, row->series, &result->cost) ||
        !read_modes(bench, row->series, result)) {
        return false;
    }
    result->per_cycle = ticks_of_cycle(bench);
    result->cycles = result->cost.median / result->per_cycle;
    result->guess = !exit_certain(run, bench, &certain) ? EXIT_UNKNOWN
                    : certain.tick > 0                  ? judge_counts(&certain, row, result)
                                                        : judge_time(&certain, row, result);
    return true;
}

bool exit_summarise(const struct run *run, const struct run_bench *bench,
                    struct exit_summary *summary)
{
    struct exit_result result;

    *summary = (struct exit_summary){.dearest = NULL};
    if (!exit_certain(run, bench, &summary->certain)) {
        return false;
    }
    for (const struct exit_row *row = exit_rows; row->series != NULL; row++) {
        if (!exit_read(run, bench, row, &result)) {
            continue;
        }
        const double ticks = summary->certain.tick > 0 ? result.mode : result.cost.median;

        summary->measured++;
        summary->trapped += result.guess == EXIT_TRAPPED ? 1 : 0;
        summary->untrapped += result.guess == EXIT_NOT_TRAPPED ? 1 : 0;
        if (result.guess == EXIT_TRAPPED && row->instructions[EXIT_BARE] == 1 &&
            strcmp(row->series, EXITS_PAGE_FIRST) != 0 && ticks > summary->dearest_ticks) {
            summary->dearest = row;
            summary->dearest_ticks = ticks;
        }
    }
    return true;
}
