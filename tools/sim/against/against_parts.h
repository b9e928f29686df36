/* SPDX-License-Identifier: BSD-2-Clause */
/* What the sources of a comparison (against.h) share. */
#pragma once

#include "tools/sim/against/against.h"

/* NAN of none; of fewer than two. */
double against_mean_of(const double *values, size_t n);
double against_deviation_of(const double *values, size_t n);
/* Of ascending values; NAN: not reported. */
double against_statistic_of(const double *sorted, size_t n, enum against_statistic which);

/* How far a value is from the mean, less `tolerance`, in the prediction's deviation on that side,
 * as some are skewed. Without a deviation 0 or INFINITY; NAN: not reported.
 */
double against_excess(const struct against_band *band, double value, double tolerance);

/* `own`: the distances of the prediction's own runs, ascending. */
void against_measure_distance(struct against_distance *distance,
                              const struct against_series *measured,
                              const struct against_prediction *prediction, const double *own,
                              double resolution, uint64_t seed);
