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
#include "tools/stats/statistics.h"

/* Returns true if the bench reports costs (tools/run/curves.h), or plain series together with an
 * `empty` one. Only benches of the groups system and memory do. */
bool view_has_costs(const struct run_bench *bench);
/* a cost or a plain series in ticks of one repetition, with what surrounds it subtracted */
struct system_cost {
    size_t n;
    double median, min, max;
    double quarter, three_quarters; /* quartiles, by nearest rank */
    double mode;                    /* the most frequent value; of several, the smallest */
    double share;                   /* of the samples that have it, 0 to 1 */
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
 * Bench exits as rows: the measured cost of each thing that a hypervisor may trap, and estimates.
 * Those in cycles are for processors of 2018 and later with two-level paging: an exit to KVM and
 * back takes about 1200 cycles on Intel and 1500 on AMD, one to QEMU and back 10000. Those in
 * instructions are for time bases that count them: the operation's own, and the paths of one
 * version of KVM (exit_operations.def). Cycles and instructions are never compared.
 */

#define EXIT_NAME_MAX 64

enum exit_where { EXIT_BARE, EXIT_AMD, EXIT_INTEL, EXIT_PLACES };

struct exit_row {
    const char *series; /* NULL ends the list */
    const char *what;
    double estimate[EXIT_PLACES];     /* cycles; NAN: there is no estimate */
    double instructions[EXIT_PLACES]; /* NAN: not known */
    const char *lever; /* what decides on the host between several values; NULL: not known */
};
/* the operations of exit_operations.def, then the other series of the bench */
extern const struct exit_row exit_rows[];

/* indices of the operations in exit_rows */
enum exit_place {
#define EXIT_OPERATION(name, ...) EXIT_##name,
#include "bench/system/exit_operations.def"
    EXIT_OPERATION_COUNT,
};

enum exit_guess {
    EXIT_UNKNOWN, /* there is no certain exit to compare with, or the cost lies between */
    EXIT_NOT_TRAPPED,
    EXIT_TRAPPED,
};

struct exit_result {
    struct system_cost cost; /* ticks */
    /* ticks of a cycle, which is an iteration of the known loop; NAN: unknown */
    double per_cycle;
    double cycles; /* the median in cycles; NAN: unknown */
    /* most frequent samples in ticks: of all repetitions and of twice as many (NAN: measured once)
     */
    double once, twice;
    double mode; /* ticks of one repetition by these two, less the loop or the stamps around it */
    struct statistics_mode weakest; /* of the series whose mode has the smaller share */
    enum exit_guess guess;
};

/* Returns false if the bench has no such series. An operation is trapped if it takes at least half
 * of the cheapest exit that certainly happened in this run, and not if it takes exactly its own
 * instructions or, in real time, at most a quarter of that exit; else, or if no exit is certain, it
 * is unknown. */
bool exit_read(const struct run *run, const struct run_bench *bench, const struct exit_row *row,
               struct exit_result *result);

/* Writes in one line how many operations the hypervisor traps, and the cheapest and the dearest
 * exit. Returns false if no exit is certain: without a hypervisor, and in exact or emulated time.
 */
#define EXIT_TEXT_MAX 240
bool exit_summarise(const struct run *run, const struct run_bench *bench, size_t *trapped,
                    char text[EXIT_TEXT_MAX]);

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
