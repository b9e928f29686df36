/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench exits as rows: what each thing that a hypervisor may trap costs on bare metal, under KVM
 * and under KVM in KVM, by estimate, and what was measured. Estimates are of processors of 2018 and
 * later with two-level paging, in their cycles; an exit to KVM and back is some 1200, to QEMU and
 * back 10000, and each exit of a nested guest some ten of its host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bench/system/host/view_system.h"
#include "tools/run/run.h"

struct exit_row {
    const char *series; /* NULL ends the list */
    const char *what;
    double bare, kvm, nested; /* cycles; NAN: there is no such thing */
};
/* The operations of bench/system, then what the bench measures besides. */
extern const struct exit_row exit_rows[];

/* Places of the operations in exit_rows. */
enum exit_place {
#define EXIT_OPERATION(name, ...) EXIT_##name,
#include "bench/system/exit_operations.def"
};

enum exit_guess {
    EXIT_UNKNOWN, /* not real time, or the two estimates are too near to each other */
    EXIT_NOT_TRAPPED,
    EXIT_TRAPPED,
};

struct exit_result {
    struct system_cost cost; /* ticks */
    double per_cycle;        /* ticks: an iteration of the known loop is a cycle; NAN: unknown */
    double cycles;           /* the median; NAN: unknown */
    enum exit_guess guess;
};

/* False: the bench has no such series. */
bool exit_read(const struct run *run, const struct run_bench *bench, const struct exit_row *row,
               struct exit_result *result);

/* Is RDTSC trapped? In real time it is, where it takes EXIT_LEAST_CYCLES of the known loop; cpuid:
 * how many of it take as long as one CPUID, NAN where there is none. */
#define EXIT_LEAST_CYCLES 400
enum exit_guess exit_rdtsc(const struct run *run, const struct run_bench *bench, double *cpuid);
