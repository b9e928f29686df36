/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What events counted during the samples of a bench, and the ratios that follow from it.
 *
 * A ratio is of sums over those samples for which both counts are there, and both are of one pass:
 * counts of two passes are of two runs and are never divided by one another.
 */
#pragma once

#include <stddef.h>

#include "tools/run/run.h"

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
