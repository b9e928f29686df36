/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Costs of the system in `tare show` and in figures: each less what surrounds it, and compared with
 * its estimate.
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

/* Returns true if the bench reports costs (tools/run/curves.h), or plain series together with an
 * `empty` one. Only benches of the groups system and memory do. */
bool view_has_costs(const struct run_bench *bench);
/* a cost or a plain series in ticks of one repetition, with what surrounds it subtracted */
struct system_cost {
    size_t n;
    double median, min, max;
    double quarter, three_quarters; /* quartiles, by nearest rank */
};
bool system_cost_read(const struct run_bench *bench, const struct run_series *series,
                      struct system_cost *derived);
/* Sets *expected to instructions if the TSC counts those, otherwise to ticks. Returns false if
 * nothing is expected in these units. `expect` may be NULL. */
bool system_cost_expected(const struct view *view, const struct run_expect *expect,
                          double *expected);
/* costs_table() builds the table that view_costs() prints; the caller prints or frees it.
 * costs_taken_off() returns what was subtracted, for the heading: "" or ", less the median of
 * `loop`". */
void costs_table(struct table *table, const struct view *view, const struct run_bench *bench);
const char *costs_taken_off(const struct run_bench *bench);
/* Prints each cost: one repetition, less the median of the loop or of `empty` around it, its
 * spread, and what was expected. Leaves out curves. */
void view_costs(const struct view *view, const struct run_bench *bench);

void figures_system(struct figures *figures, const struct run *run);

/*
 * Bench exits as rows: the estimated cost of each thing that a hypervisor may trap, on bare metal,
 * under KVM and under KVM in KVM, and the measured cost. Estimates are in cycles of processors of
 * 2018 and later with two-level paging. An exit to KVM and back takes about 1200 cycles, to QEMU
 * and back 10000, and each exit of a nested guest about ten exits of its host.
 */

enum exit_where { EXIT_BARE, EXIT_KVM, EXIT_NESTED, EXIT_PLACES };

struct exit_row {
    const char *series; /* NULL ends the list */
    const char *what;
    double estimate[EXIT_PLACES]; /* cycles; NAN: there is no estimate */
};
/* the operations of exit_operations.def, then the other series of the bench */
extern const struct exit_row exit_rows[];

/* indices of the operations in exit_rows */
enum exit_place {
#define EXIT_OPERATION(name, ...) EXIT_##name,
#include "bench/system/exit_operations.def"
};

enum exit_guess {
    EXIT_UNKNOWN, /* not real time, or the two estimates are too close to each other */
    EXIT_NOT_TRAPPED,
    EXIT_TRAPPED,
};

struct exit_result {
    struct system_cost cost; /* ticks */
    /* ticks of a cycle, which is an iteration of the known loop; NAN: unknown */
    double per_cycle;
    double cycles; /* the median in cycles; NAN: unknown */
    enum exit_guess guess;
};

/* Returns false if the bench has no such series. */
bool exit_read(const struct run *run, const struct run_bench *bench, const struct exit_row *row,
               struct exit_result *result);

/* Returns whether RDTSC is trapped: in real time, if it takes at least EXIT_LEAST_CYCLES iterations
 * of the known loop. Sets *cpuid to the number of RDTSCs that take as long as one CPUID, or to NAN
 * if there is no CPUID. */
#define EXIT_LEAST_CYCLES 400
enum exit_guess exit_rdtsc(const struct run *run, const struct run_bench *bench, double *cpuid);

/*
 * Switches between tasks that read a footprint of memory in each turn, as bench contextswitch
 * reports them.
 */

enum footprint {
    FOOTPRINT_ALONE, /* the reading without a switch */
    FOOTPRINT_THREAD,
    FOOTPRINT_PROCESS,
    FOOTPRINT_TAGGED, /* processes with PCID */
    FOOTPRINTS,
};

/* A turn, by bytes read. All curves that exist have the same points. */
struct footprints {
    bool there[FOOTPRINTS];
    struct curve curve[FOOTPRINTS];
};

/* Returns false if even the reading alone is missing; free the result in any case. */
bool footprints_read(const struct run_bench *bench, struct footprints *footprints);
void footprints_free(struct footprints *footprints);

/* Returns what a turn takes beyond the reading alone and beyond the switch alone, in ticks: the
 * time to refill caches and TLB. */
double footprints_refill(const struct footprints *footprints, enum footprint of, size_t point);

/*
 * The report's experiments next to runs (estimates.h), as tables and as JSON.
 */

#define ESTIMATES_RUNS_MAX 6 /* columns of one table */

struct estimates_run {
    const char *path;
    const struct run *run;
    bool valid;
};

/* Builds the table of one run: report, estimate, result, difference, n and spread. The caller
 * prints or frees it. */
void estimates_table(struct table *table, const struct run *run);
/* Prints for a terminal of 100 columns. One run: estimate, result, difference, n and spread;
 * several runs: one column of results each. `why` adds the parts of each estimate and the source of
 * each figure. */
void view_estimates(FILE *out, const struct estimates_run *runs, size_t count, bool why);
/* Prints one JSON object. */
void estimates_json(FILE *out, const struct estimates_run *runs, size_t count);
