/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distribution of the overall response time as a sum of independent delays (Shub, section 2): the
 * delay of arrival, that of departure, n times that of transmission, processing, and contention for
 * the processor. It is the convolution of their distributions.
 *
 * All delays are put on one grid and multiplied as discrete Fourier transforms. Atoms (constants
 * and single values) are kept apart from densities: the sum has atoms where all delays have one,
 * and a density otherwise. A density is put on the grid so that the mass of each cell keeps its
 * mean (the weight of a point is the integral of the hat function about it), except the first
 * density in a sum: its distribution function is used directly, so that a single density among
 * atoms is exact. If possible, the step divides the distances of all atoms and bounds. Then sums of
 * atoms alone are exact, kinks are on the grid, the error is a series in even powers of the step,
 * and its first term is removed with a second grid of half the step (Richardson). If no step
 * divides them, atoms are split between two points, and the two grids only give an estimate of the
 * error.
 *
 * All times are in one unit chosen by the caller, and not negative. Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/sim/model/law.h"
#include "tools/sim/model/model.h"

/* A part of the sum: all its `times` delays together, which have the same distribution. */
struct convolution_part {
    size_t times;
    double mean, variance;
};

/* Computes a part from its laws. Returns false if the model does not have this part; the part is
 * then 0. */
bool convolution_part(const struct sim_model *model, enum sim_delay_part which,
                      struct convolution_part *part);
/* Returns the sum of the probabilities of a part's laws, or 0 if the part has no law. Probabilities
 * are divided by this sum. */
double convolution_weights(const struct sim_model *model, enum sim_delay_part which);

/* Upper bound of the mass beyond the grid. */
#define CONVOLUTION_BEYOND 1e-12
/* Rounding error of transforms, for all points together. */
#define CONVOLUTION_ROUNDING 1e-13

struct convolution_sum {
    double offset; /* smallest possible value of the sum; point i is offset + i * step */
    double step;
    size_t count;
    double *below;    /* P(X <= point i) */
    double *atoms;    /* sum of the atoms' masses at points up to i */
    double *doubt;    /* estimated error of below[i] */
    bool has_density; /* the sum has a density; false: all mass is in atoms */
    bool is_aligned;  /* atoms and bounds of densities are points of the grid */
    double error;     /* largest `doubt`, plus the mass beyond the grid and rounding */
    /* largest distance by which sums of atoms may be misplaced; 0 if aligned */
    double moved;
    double beyond;                     /* bound of the mass beyond the grid; 0: there is none */
    double mean, variance;             /* sums of the means and variances of the parts */
    double curve_mean, curve_variance; /* mean and variance of the computed curve */
};

#define CONVOLUTION_POINTS_MAX 64

/* Computes the distribution. `points` are the values at which the curve will be evaluated; they
 * become points of the grid if possible. */
void convolution_solve(const struct sim_model *model, const double *points, size_t point_count,
                       struct convolution_sum *sum);
void convolution_sum_free(struct convolution_sum *sum);

/* Returns P(X <= x), interpolated linearly between points. *doubt, unless NULL, is an estimate of
 * the error. */
double convolution_below(const struct convolution_sum *sum, double x, double *doubt);
/* Returns the largest error of convolution_below() for any x: from `doubt`, interpolation, the mass
 * beyond the grid, and rounding. */
double convolution_greatest_error(const struct convolution_sum *sum);
/* Returns P(X = x). */
double convolution_mass(const struct convolution_sum *sum, double x);
/* Returns the smallest x with P(X <= x) >= p, for 0 < p < 1, or the last point if p is beyond it.
 */
double convolution_quantile(const struct convolution_sum *sum, double p);
