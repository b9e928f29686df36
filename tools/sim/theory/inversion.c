/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/theory/inversion.h"

#include <math.h>

#define AVERAGED 11 /* partial sums beyond the last term, weighted by binomial coefficients */

static double term(laplace_transform *transform, void *context, double t, int k)
{
    const double value = creal(transform(context, LAPLACE_A / (2 * t) + M_PI * (double)k / t * I));

    return k % 2 == 0 ? value : -value;
}

double laplace_invert(laplace_transform *transform, void *context, double t)
{
    double sum = term(transform, context, t, 0) / 2;
    double weight = 1; /* binomial(AVERAGED, j) */
    double average = 0;

    for (int k = 1; k <= LAPLACE_TERMS; k++) {
        sum += term(transform, context, t, k);
    }
    for (int j = 0; j <= AVERAGED; j++) {
        average += weight * sum;
        sum += term(transform, context, t, LAPLACE_TERMS + 1 + j);
        weight = weight * (AVERAGED - j) / (j + 1);
    }
    return exp(LAPLACE_A / 2) / t * ldexp(average, -AVERAGED);
}
