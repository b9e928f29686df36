/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What events counted during the samples of a bench, and the ratios that follow from it.
 *
 * A ratio is of sums over those samples for which both counts are there, and both are of one pass:
 * counts of two passes are of two runs and are never divided by one another.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/stats/statistics.h"

struct count_ratio {
    const char *key;         /* "ipc", for programs */
    const char *text;        /* "instructions per cycle" */
    const char *numerator;   /* event */
    const char *denominator; /* event; NULL: the ticks of the samples themselves */
    double scale;            /* misses per 1000 instructions: 1000 */
};

/* All ratios that are formed: from 0 up; NULL ends them. */
const struct count_ratio *count_ratio_at(size_t index);

/* The ratio during the series `of`. NaN where it cannot be formed: a count is not there, the two
 * have no sample in common, or a sum is negative or, to divide by, 0. */
double count_ratio_of(const struct run_bench *bench, const char *of,
                      const struct count_ratio *ratio);

/* The pass in which what the ratio is divided by was counted, where its numerator is counted in
 * this pass of the bench and the other is not; else 0. */
uint32_t count_ratio_elsewhere(const struct run *run, const struct run_bench *bench,
                               const struct count_ratio *ratio);

/* The series that are counted, each once: the name of number `index`, or NULL behind the last. */
const char *counted_series_at(const struct run_bench *bench, size_t index);
/* The events that are counted, in the same way. */
const char *counted_event_at(const struct run_bench *bench, size_t index);

/* Does the bench count this event, during whatever series? */
bool bench_counts(const struct run_bench *bench, const char *event);

/* The core's clock while the bench ran as a part of the nominal one: fact aperf by fact mperf. NaN
 * where they are absent or make no ratio. */
double effective_clock(const struct run_bench *bench);

/*
 * Counts of the phases of an application: facts EVENT.PHASE (tools/qemu), EVENT being an event
 * that the run counts.
 */

/* Endo et al., on their figure 9: "20 cycles per miss as a lower bound on TLB miss handling". */
#define TLB_MISS_CYCLES 20

/* Is the fact one of these? Then *phase is in its name. */
bool phase_count_is_fact(const struct run *run, const struct run_fact *fact, const char **phase);
/* The phases that are counted, each once: the name of number `index`, or NULL behind the last. */
const char *phase_counted_at(const struct run *run, const struct run_bench *bench, size_t index);
/* What an event counted in a phase; NULL: it was not counted. */
const struct run_fact *phase_count_of(const struct run_bench *bench, const char *event,
                                      const char *phase);

/*
 * Bench `counters` of a run: kernels whose counts are known beforehand. A kernel is a series
 * without an event; its counts are series of it, and fact `KERNEL.EVENT.expected` is the
 * count of each repetition by the manual.
 */

struct kernel_count {
    const char *event;
    bool has_expected;
    int64_t expected;
    struct statistics measured;
    double error_percent; /* of the median; NaN where nothing, or 0, is expected or none measured */
};

/* Fills *count from a count series of the bench. */
void kernel_count_of(const struct run_bench *bench, const struct run_series *series,
                     struct kernel_count *count);

/* Fact `KERNEL.iterations`, or else the bench's `iterations`; NULL where there is neither. */
const struct run_fact *kernel_iterations(const struct run_bench *bench, const char *kernel);

/* Is the fact one of the expectations above? */
bool is_kernel_expectation(const struct run_fact *fact);
