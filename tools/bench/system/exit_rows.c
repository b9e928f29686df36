/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/bench/system/exit_rows.h"

#include <math.h>

#include "bench/system/names.h"
#include "kernel/run/names.h"
#include "tools/run/run_kind.h"

/* Nearer than this factor, a cost fits both. */
#define APART 5

/* A UART, a PM timer and an HPET are QEMU's, a LAPIC is KVM's; its host has no APICv, with which
 * reads, EOI and self-IPIs are as on bare metal. Two-level paging traps neither INVLPG nor CR3. */
const struct exit_row exit_rows[] = {
    {EXITS_RDTSC, "RDTSC", 25, 25, 25},
    {EXITS_CPUID, "CPUID", 100, 1200, 15000},
    {EXITS_RDMSR, "RDMSR, APIC base", 60, 1300, 15000},
    {EXITS_TSC_DEADLINE, "WRMSR, TSC deadline", 120, 2000, 20000},
    {EXITS_X2APIC_READ, "RDMSR, x2APIC", 60, 1300, 15000},
    {EXITS_X2APIC_EOI, "WRMSR, x2APIC EOI", 80, 1300, 15000},
    {EXITS_X2APIC_ICR, "WRMSR, x2APIC ICR", 300, 2000, 25000},
    {EXITS_X2APIC_SELF, "WRMSR, self-IPI", 150, 1500, 18000},
    {EXITS_LAPIC_READ, "MMIO read, LAPIC", 50, 2500, 25000},
    {EXITS_LAPIC_EOI, "MMIO write, EOI", 50, 1500, 15000},
    {EXITS_LAPIC_ICR, "MMIO write, ICR", 200, 3500, 30000},
    {EXITS_HPET_READ, "MMIO read, HPET", 2000, 12000, 40000},
    {EXITS_NOTHING_READ, "MMIO read, nothing", 2000, 12000, 40000},
    {EXITS_PORT80_READ, "IN, port 80h", 3000, 10000, 35000},
    {EXITS_PORT80_WRITE, "OUT, port 80h", 3000, 10000, 35000},
    {EXITS_UART_READ, "IN, UART", 3000, 11000, 35000},
    {EXITS_UART_WRITE, "OUT, UART", 3000, 11000, 35000},
    {EXITS_PM_TIMER_READ, "IN, PM timer", 2500, 11000, 35000},
    {EXITS_INVLPG, "INVLPG", 150, 150, 150},
    {EXITS_CR3, "MOV to CR3", 200, 200, 200},
    {EXITS_VMCALL, "VMCALL", NAN, 1200, 15000},
    {EXITS_VMMCALL, "VMMCALL", NAN, 1200, 15000},
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
    if (run_time(run) != RUN_TIME_REAL || !read_series(bench, EXITS_RDTSC, &rdtsc)) {
        return EXIT_UNKNOWN;
    }
    if (read_series(bench, EXITS_CPUID, &other) && rdtsc.median > 0) {
        *cpuid = other.median / rdtsc.median;
    }
    const double cycles = rdtsc.median / ticks_of_cycle(bench);

    return isnan(cycles)                 ? EXIT_UNKNOWN
           : cycles >= EXIT_LEAST_CYCLES ? EXIT_TRAPPED
                                         : EXIT_NOT_TRAPPED;
}
