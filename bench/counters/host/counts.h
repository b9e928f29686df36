/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What events counted during the samples of a bench, and the ratios of these counts.
 *
 * A ratio is formed from sums over the samples for which both counts are known, and only if both
 * were counted in the same pass: counts of two passes belong to two runs of the bench and are never
 * divided by one another.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/stats/statistics.h"

struct count_ratio {
    const char *key;         /* name in JSON, for example "ipc" */
    const char *text;        /* text for people, for example "instructions per cycle" */
    const char *numerator;   /* name of an event */
    const char *denominator; /* name of an event; NULL: the ticks of the samples themselves */
    double scale;            /* factor, for example 1000 for misses per 1000 instructions */
};

/* Returns the ratio at `index`, from 0 up, or NULL after the last. */
const struct count_ratio *count_ratio_at(size_t index);

/* Returns the ratio during series `of`, or NaN if it cannot be formed: a count is missing, the
 * counts have no sample in common, a sum is negative, or the divisor is 0. */
double count_ratio_of(const struct run_bench *bench, const char *of,
                      const struct count_ratio *ratio);

/* If this pass of the bench counted only the numerator of the ratio, returns the pass that counted
 * the denominator; otherwise returns 0. */
uint32_t count_ratio_elsewhere(const struct run *run, const struct run_bench *bench,
                               const struct count_ratio *ratio);

/* Returns the name of the counted series at `index`, each listed once, or NULL after the last. */
const char *counted_series_at(const struct run_bench *bench, size_t index);
/* Does the same for the counted events. */
const char *counted_event_at(const struct run_bench *bench, size_t index);

/* Returns whether the bench counted this event during any series. */
bool bench_counts(const struct run_bench *bench, const char *event);

/* Returns the core's clock while the bench ran, as a share of the nominal clock: fact aperf divided
 * by fact mperf. Returns NaN if they are missing or give no ratio. */
double effective_clock(const struct run_bench *bench);

/*
 * Counts of the phases of an application: facts EVENT.PHASE (tools/qemu), where EVENT is an event
 * that the run counts.
 */

/* Returns whether the fact is one of these counts, and sets *phase to the phase in its name. */
bool phase_count_is_fact(const struct run *run, const struct run_fact *fact, const char **phase);
/* Returns the counted phase at `index`, each listed once, or NULL after the last. */
const char *phase_counted_at(const struct run *run, const struct run_bench *bench, size_t index);
/* Returns what an event counted in a phase, or NULL if it was not counted. */
const struct run_fact *phase_count_of(const struct run_bench *bench, const char *event,
                                      const char *phase);

/*
 * Bench `counters` of a run: kernels whose counts are known beforehand. A kernel is a series
 * without an event. Its counts are series of it, and fact `KERNEL.EVENT.expected` is the count that
 * the manual gives for each repetition.
 */

struct kernel_count {
    const char *event;
    bool has_expected;
    int64_t expected;
    struct statistics measured;
    /* error of the median; NaN if nothing or 0 is expected, or nothing was measured */
    double error_percent;
};

/* Fills *count from a series of counts. */
void kernel_count_of(const struct run_bench *bench, const struct run_series *series,
                     struct kernel_count *count);

/* Returns fact `KERNEL.iterations`, otherwise the bench's `iterations`, or NULL if there is
 * neither. */
const struct run_fact *kernel_iterations(const struct run_bench *bench, const char *kernel);

/* Returns whether the fact is an expected count as described above. */
bool is_kernel_expectation(const struct run_fact *fact);
