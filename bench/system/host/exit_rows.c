/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/system/host/exit_rows.h"

#include <math.h>

#include "bench/system/names.h"
#include "kernel/run/names.h"
#include "tools/run/run_kind.h"

/* Nearer than this factor, a cost fits both. */
#define APART 5

const struct exit_row exit_rows[] = {
#define EXIT_UNKNOWN_COST (double)NAN
#define EXIT_OPERATION(name, label, meaning, bare, kvm, nested, ...) \
    {#name, label, bare, kvm, nested},
#include "bench/system/exit_operations.def"
    {EXITS_SELF_IPI, "self-IPI to handler", 700, 3000, 30000},
    {EXITS_HLT_PENDING, "HLT, one pending", 300, 2500, 25000},
    {EXITS_HLT_TIMER, "HLT, late by", 3000, 15000, 60000},
    {EXITS_IPI, "IPI, round", 3000, 10000, 60000},
    {EXITS_IPI_HALTED, "IPI, round, halted", 5000, 20000, 90000},
    {EXITS_PAGE_FIRST, "page, first write", 600, 200000, 250000},
    {EXITS_PAGE_AGAIN, "page, second write", 1, 1, 1},
    {NULL, NULL, 0, 0, 0},
};

static bool read_series(const struct run_bench *bench, const char *name, struct system_cost *cost)
{
    const struct run_series *series = run_find_series(bench, name);

    return series != NULL && series->received > 0 && system_cost_read(bench, series, cost);
}

/* Ticks of a cycle, by the known loop; NAN: it is not there, or took none. */
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
    if (run_time(run) == RUN_TIME_REAL && !isnan(result->cycles) && row->kvm >= APART * row->bare) {
        result->guess =
            result->cycles > sqrt(row->bare * row->kvm) ? EXIT_TRAPPED : EXIT_NOT_TRAPPED;
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
