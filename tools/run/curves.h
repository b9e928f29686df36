/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Costs of repetitions, as benches of system/ and memory/ send them: raw ticks of n and of 2n
 * repetitions, so that the cost of the surrounding code cancels out.
 *
 * - A cost: series NAME has the ticks of `repetitions` (a fact of the bench); NAME.twice, if
 * present, those of twice as many. Trial i of both is a pair.
 * - A curve: the same at several points. Series NAME.x has the place of each point, NAME.n its
 *   repetitions; NAME and NAME.twice have trial k of point i at [i * trials + k].
 *
 * The cost of a repetition is (twice - once) / repetitions for a pair, else once / repetitions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

struct curve {
    size_t points;
    size_t trials;
    const int64_t *x; /* of the run: it must outlive the curve */
    double *cost;     /* ticks of one repetition: trial k of point i at [i * trials + k] */
};

/* False: a series is missing or incomplete, or has another form than above. */
bool curve_read(const struct run_bench *bench, const char *name, struct curve *curve);
void curve_free(struct curve *curve);
/* Nearest-rank median, min and max of a point's trials. */
double curve_median(const struct curve *curve, size_t point);
double curve_min(const struct curve *curve, size_t point);
double curve_max(const struct curve *curve, size_t point);
double curve_quantile(const struct curve *curve, size_t point, double q);

/* The trials of a cost, in ticks of a repetition, `count` of them; NULL if there are none as above.
 * The caller frees them. Without the fact `repetitions` a sample is one repetition. */
double *costs_read(const struct run_bench *bench, const char *name, size_t *count);

/* Is it a cost by once and twice? */
bool costs_are_pairs(const struct run_bench *bench, const char *name);
/* The series of the code around each cost of the bench ("loop"), or around each plain series
 * ("empty"), which is subtracted from reported costs; NULL: there is none, or NAME is it. */
const char *costs_around(const struct run_bench *bench, const char *name);
