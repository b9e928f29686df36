/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Costs of the system in `tare show` and in figures: each less what surrounds it, and beside its
 * estimate.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tools/base/table.h"
#include "tools/figure/figure.h"
#include "tools/present/view.h"
#include "tools/run/curves.h"
#include "tools/run/run.h"

/* Does the bench report costs (tools/run/curves.h), or plain series beside an `empty` one? Of the
 * groups system and memory. */
bool view_has_costs(const struct run_bench *bench);
/* A cost or a plain series in ticks of one repetition, what surrounds it taken off. */
struct system_cost {
    size_t n;
    double median, min, max;
    double quarter, three_quarters; /* nearest rank */
};
bool system_cost_read(const struct run_bench *bench, const struct run_series *series,
                      struct system_cost *derived);
/* In instructions where those are what the TSC counts, else in ticks; false: nothing is expected in
 * these. `expect` may be NULL. */
bool system_cost_expected(const struct view *view, const struct run_expect *expect,
                          double *expected);
/* What view_costs() prints, which the caller prints or frees; and what has been taken off, for its
 * heading: "" or ", less the median of `loop`". */
void costs_table(struct table *table, const struct view *view, const struct run_bench *bench);
const char *costs_taken_off(const struct run_bench *bench);
/* Each of them: of one repetition, less the median of the loop or of `empty` around it, how much it
 * spreads, and what was expected. Curves are left out. */
void view_costs(const struct view *view, const struct run_bench *bench);

void figures_system(struct figures *figures, const struct run *run);

/*
 * Bench exits as rows: what each thing that a hypervisor may trap costs on bare metal, under KVM
 * and under KVM in KVM, by estimate, and what was measured. Estimates are of processors of 2018 and
 * later with two-level paging, in their cycles; an exit to KVM and back is some 1200, to QEMU and
 * back 10000, and each exit of a nested guest some ten of its host.
 */

enum exit_where { EXIT_BARE, EXIT_KVM, EXIT_NESTED, EXIT_PLACES };

struct exit_row {
    const char *series; /* NULL ends the list */
    const char *what;
    double estimate[EXIT_PLACES]; /* cycles; NAN: there is no such thing */
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

/*
 * Switches between tasks that read a footprint of memory in each turn, as bench contextswitch
 * reports them.
 */

enum footprint {
    FOOTPRINT_ALONE, /* the reading, without a switch */
    FOOTPRINT_THREAD,
    FOOTPRINT_PROCESS,
    FOOTPRINT_TAGGED, /* processes with PCID */
    FOOTPRINTS,
};

/* A turn by bytes read. Those that are there have the same points. */
struct footprints {
    bool there[FOOTPRINTS];
    struct curve curve[FOOTPRINTS];
};

/* False: not even the reading alone. To be freed all the same. */
bool footprints_read(const struct run_bench *bench, struct footprints *footprints);
void footprints_free(struct footprints *footprints);

/* What a turn takes beyond the reading and beyond the switch, each as it is by itself, in ticks:
 * filling caches and TLB again. */
double footprints_refill(const struct footprints *footprints, enum footprint of, size_t point);

/*
 * The report's experiments beside runs (estimates.h), as tables and as JSON.
 */

#define ESTIMATES_RUNS_MAX 6 /* columns of one table */

struct estimates_run {
    const char *path;
    const struct run *run;
    bool valid;
};

/* Of one run: report, estimate, result, difference, n and spread. The caller prints or frees it. */
void estimates_table(struct table *table, const struct run *run);
/* For a terminal of 100 columns. One run: estimate, result, difference, n and spread; several: a
 * column of results each. `why` adds what each figure is made of and where it comes from. */
void view_estimates(FILE *out, const struct estimates_run *runs, size_t count, bool why);
/* One JSON object. */
void estimates_json(FILE *out, const struct estimates_run *runs, size_t count);
