/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The overall response time as a sum of independent delays (Shub, section 2): the delay of arrival,
 * that of departure, n times that of transmission, processing, and contention for the processor.
 * Its distribution is the convolution of theirs.
 *
 * All are put on one grid and multiplied as discrete Fourier transforms. Atoms (constants, values)
 * and the rest are kept apart: the sum has atoms where all delays have one, and a density
 * otherwise. A density is put on the grid so that each cell's mass keeps its mean (the weight of a
 * point is the integral of the hat function about it), but of the first one in a sum: its
 * distribution function is taken as it is, so that a single density among atoms is exact. The step
 * divides the distances of all atoms and bounds wherever that can be. Then sums of atoms alone are
 * exact, kinks are on the grid, the error is a series in even powers of the step, and its first
 * term is taken out by a second grid, of half the step (Richardson). Where no step divides them,
 * atoms are shared out between two points, and the grids only estimate the error.
 *
 * All times are in one unit of the caller's, not negative. Pure functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/sim/model/law.h"
#include "tools/sim/model/model.h"

/* A part of the sum, all `times` of it together. */
struct convolution_part {
    size_t times;
    double mean, variance;
};

/* By sums over its laws. False: the model has none, and it is 0. */
bool convolution_part(const struct sim_model *model, enum sim_delay_part which,
                      struct convolution_part *part);
/* By which the probabilities of a part's laws are divided, so that they add to 1; 0: it has none.
 */
double convolution_weights(const struct sim_model *model, enum sim_delay_part which);

/* The mass beyond the grid is less. */
#define CONVOLUTION_BEYOND 1e-12
/* Of transforms, for all points. */
#define CONVOLUTION_ROUNDING 1e-13

struct convolution_sum {
    double offset; /* the least value there can be: point i is offset + i * step */
    double step;
    size_t count;
    double *below;         /* P(X <= point i) */
    double *atoms;         /* the sum of masses of the points up to i */
    double *doubt;         /* estimate of the error of below[i] */
    bool has_density;      /* else all is in atoms */
    bool is_aligned;       /* atoms and bounds are points of the grid */
    double error;          /* greatest of `doubt`, with what is beyond the grid and rounding */
    double moved;          /* a sum of atoms is less than this from its place; 0 where aligned */
    double beyond;         /* bound of the mass beyond the grid; 0: there is none */
    double mean, variance; /* by sums of the parts' */
    double curve_mean, curve_variance; /* of the curve that was found */
};

#define CONVOLUTION_POINTS_MAX 64

/* `points`: where the curve will be asked for: they are points of the grid if that can be. */
void convolution_solve(const struct sim_model *model, const double *points, size_t point_count,
                       struct convolution_sum *sum);
void convolution_sum_free(struct convolution_sum *sum);

/* P(X <= x), linear between points; unless NULL, *doubt is an estimate of its error. */
double convolution_below(const struct convolution_sum *sum, double x, double *doubt);
/* Of convolution_below(), for any x: greatest of `doubt` with that of interpolation, what is beyond
 * the grid, and rounding. */
double convolution_greatest_error(const struct convolution_sum *sum);
/* P(X = x) */
double convolution_mass(const struct convolution_sum *sum, double x);
/* The least x where P(X <= x) >= p, of 0 < p < 1; the greatest point where p lies beyond. */
double convolution_quantile(const struct convolution_sum *sum, double p);
