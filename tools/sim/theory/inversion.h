/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numerical inversion of Laplace transforms: Abate and Whitt's EULER ("Numerical inversion of
 * Laplace transforms of probability distributions", ORSA Journal on Computing 7, 1995): a Fourier
 * series, its partial sums averaged by binomial weights.
 *
 * The discretisation error is below exp(-A) of the function's greatest value. Service laws with
 * bounds have kinks, where the series converges slowly: hence so many terms before averaging
 * (Talbot's contour is wrong on such transforms). At a kink the error is about the jump of the
 * slope, in units of 1 / t, over 10 times the terms; it is below 1e-8 where only the second
 * derivative jumps.
 */
#pragma once

#include <complex.h>

#define LAPLACE_A     23.0 /* exp(-23) is 1e-10, and exp(23 / 2) roundings are 1e-11 */
#define LAPLACE_TERMS 400

typedef double complex laplace_transform(void *context, double complex s);

/* f(t) for t > 0, of a bounded function. */
double laplace_invert(laplace_transform *transform, void *context, double t);
