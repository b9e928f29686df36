/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Costs of repetitions, as benches of system/ and memory/ send them: raw ticks of once and of twice
 * as many repetitions, so that what surrounds them cancels out.
 *
 *   a cost    series NAME: ticks of `repetitions` (a fact of the bench); NAME.twice, if it is
 * there: of twice as many; trial i of both is a pair a curve   the same at several points: series
 * NAME.x: where each point is; NAME.n: its repetitions; NAME and NAME.twice: trial k of point i at
 * [i * trials + k]
 *
 * The cost of a repetition is (twice - once) / repetitions where there is a pair, else once /
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
    const int64_t *x; /* of the run: it must outlive the curve */
    double *cost;     /* ticks of one repetition: trial k of point i at [i * trials + k] */
};

/* False where a series is missing, not whole, or not of the shape above. */
bool curve_read(const struct run_bench *bench, const char *name, struct curve *curve);
void curve_free(struct curve *curve);
/* Nearest-rank median, least and greatest of a point's trials. */
double curve_median(const struct curve *curve, size_t point);
double curve_min(const struct curve *curve, size_t point);
double curve_max(const struct curve *curve, size_t point);
double curve_quantile(const struct curve *curve, size_t point, double q);

/* The costs of a cost's trials in ticks of a repetition, `count` of them; NULL where there are none
 * as above. The caller frees them. Without the fact `repetitions` a sample is one repetition. */
double *costs_read(const struct run_bench *bench, const char *name, size_t *count);

/* Is it a cost by once and twice? */
bool costs_are_pairs(const struct run_bench *bench, const char *name);
/* What is around each cost of the bench ("loop"), or around each plain series ("empty"), and is
 * taken off where costs are told; NULL where nothing is, or where this is it. */
const char *costs_around(const struct run_bench *bench, const char *name);

/* Sorts them; then [count * q] by nearest rank, as statistics_quantile(). */
void costs_sort(double *costs, size_t count);
double costs_median(const double *sorted, size_t count);
