/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/results/student.h"

#include <math.h>

#define TERMS_MAX 1000
#define TINY      1e-300
#define TOLERANCE 1e-15

static double away_from_zero(double value)
{
    return fabs(value) < TINY ? TINY : value;
}

/* The continued fraction of I_x(a, b), by Lentz's method; x is below (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    double c = 1;
    double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
    double fraction = d;

    for (int m = 1; m <= TERMS_MAX; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

        d = 1 / away_from_zero(1 + even * d);
        c = away_from_zero(1 + even / c);
        fraction *= c * d;
        d = 1 / away_from_zero(1 + odd * d);
        c = away_from_zero(1 + odd / c);
        fraction *= c * d;
        if (fabs(c * d - 1) < TOLERANCE) {
            break;
        }
    }
    return fraction;
}

/* I_x(a, b), 0 < x < 1, with y = 1 - x. */
static double beta_part(double x, double y, double a, double b)
{
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(y));

    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a
                                     : 1 - front * beta_fraction(y, b, a) / b;
}

double student_beyond(double t, double freedom)
{
    const double square = t * t;

    if (square == 0) {
        return 0.5;
    }
    return beta_part(freedom / (freedom + square), square / (freedom + square), freedom / 2, 0.5) /
           2;
}

double student_quantile(double p, double freedom)
{
    double low = 0;
    double high = 1;

    while (student_beyond(high, freedom) > p) {
        low = high;
        high *= 2;
    }
    while (high - low > 1e-10 * high) {
        const double middle = (low + high) / 2;

        if (student_beyond(middle, freedom) > p) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}
