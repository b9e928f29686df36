/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Costs of repetitions and curves of costs. Benches of system/ and memory/ send raw ticks of n and
 * of 2n repetitions, so that the cost of the surrounding code cancels out.
 *
 * - A cost: series NAME has the ticks of `repetitions` (a fact of the bench) repetitions.
 * NAME.twice, if present, has those of twice as many. Trial i of both series is a pair. - A curve:
 * the same at several points. Series NAME.x has the place of each point and NAME.n its number of
 * repetitions. NAME and NAME.twice have trial k of point i at [i * trials + k].
 *
 * The cost of a repetition is (twice - once) / repetitions for a pair, and otherwise once /
 * repetitions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

struct curve {
    size_t points;
    size_t trials;
    const int64_t *x; /* places of the points; belongs to the run, which must outlive the curve */
    double *cost;     /* ticks of one repetition: trial k of point i at [i * trials + k] */
};

/* Reads a curve. Returns false if a series is missing or incomplete, or does not have the form
 * above. */
bool curve_read(const struct run_bench *bench, const char *name, struct curve *curve);
void curve_free(struct curve *curve);
/* Return the nearest-rank median, the minimum, the maximum or another quantile of a point's trials.
 */
double curve_median(const struct curve *curve, size_t point);
double curve_min(const struct curve *curve, size_t point);
double curve_max(const struct curve *curve, size_t point);
double curve_quantile(const struct curve *curve, size_t point, double q);

/* Returns the trials of a cost, in ticks of a repetition, and stores their number in *count.
 * Returns NULL if the series are not as described above. The caller frees the result. Without the
 * fact `repetitions`, a sample counts as one repetition. */
double *costs_read(const struct run_bench *bench, const char *name, size_t *count);

/* Is the cost measured as pairs of once and twice? */
bool costs_are_pairs(const struct run_bench *bench, const char *name);
/* Returns the series that measures the code around each cost of the bench ("loop"), or around each
 * plain series ("empty"), which is subtracted from reported costs. Returns NULL if there is none,
 * or if NAME is that series itself. */
const char *costs_around(const struct run_bench *bench, const char *name);
