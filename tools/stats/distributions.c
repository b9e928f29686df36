/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/stats/distributions.h"

#include <float.h>
#include <math.h>

/* ---- normal ---- */

double distribution_normal_two_sided(double z)
{
    return erfc(fabs(z) * M_SQRT1_2);
}

/* Newton's method on the logarithm of the tail. The logarithm is concave, so the steps cannot
 * overshoot for long. */
double distribution_normal_quantile(double p)
{
    const double tail = p < 0.5 ? p : 1 - p;
    double z = sqrt(-2 * log(2 * tail)); /* initial value: at or beyond the quantile */

    for (int i = 0; i < 60; i++) {
        const double upper = erfc(z * M_SQRT1_2) / 2;
        const double density = exp(-z * z / 2) / sqrt(2 * M_PI);
        const double step = (log(upper) - log(tail)) * upper / density;

        z += step;
        if (fabs(step) <= 4 * DBL_EPSILON * fabs(z)) {
            break;
        }
    }
    return p < 0.5 ? -z : z;
}

/* ---- remainders of large factorials ---- */

/* Returns ln n! minus Stirling's (n + 1/2) ln n - n + ln sqrt(2 pi). The remainder is small, and
 * accurate where ln n! itself has lost its digits (Loader 2000, "Fast and accurate computation of
 * binomial probabilities"). n > 0. */
static double stirling_error(double n)
{
    const double squared = n * n;

    if (n < 16) {
        return lgamma(n + 1) - (n + 0.5) * log(n) + n - log(2 * M_PI) / 2;
    }
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - 1.0 / 1680 / squared) / squared) / squared) / n;
}

/* Returns x ln(x / mean) + mean - x, accurate also if x and the mean are large and close to each
 * other; x > 0. */
static double deviance(double x, double mean)
{
    const double part = (x - mean) / mean;

    return mean * ((1 + part) * log1p(part) - part);
}

/* ---- binomial ---- */

static double binomial_mass(double n, double p, double k)
{
    if (k <= 0 || k >= n) {
        return exp(k <= 0 ? n * log1p(-p) : n * log(p));
    }
    return exp(stirling_error(n) - stirling_error(k) - stirling_error(n - k) - deviance(k, n * p) -
               deviance(n - k, n * (1 - p))) *
           sqrt(n / (2 * M_PI * k * (n - k)));
}

/* Returns P(B <= k) for k not above the mean, where the terms fall from k downwards. */
static double binomial_below(double n, double p, double k)
{
    double term = binomial_mass(n, p, k);
    double sum = 0;

    for (double i = k; i >= 0 && term > sum * DBL_EPSILON / 16; i--) {
        sum += term;
        term *= i * (1 - p) / ((n - i + 1) * p);
    }
    return sum;
}

double distribution_binomial(double n, double p, double k)
{
    if (k < 0 || k >= n) {
        return k < 0 ? 0 : 1;
    }
    return k <= n * p ? binomial_below(n, p, k) : 1 - binomial_below(n, 1 - p, n - k - 1);
}

size_t distribution_binomial_low(size_t n, double p, double tail)
{
    const double trials = (double)n;
    const double z = distribution_normal_quantile(tail);
    const double guess = floor(trials * p + z * sqrt(trials * p * (1 - p)));
    double k = guess > 0 ? guess : 0;

    while (k > 0 && binomial_below(trials, p, k - 1) > tail) {
        k--;
    }
    while (k + 1 <= trials * p && binomial_below(trials, p, k) <= tail) {
        k++;
    }
    return (size_t)k;
}

/* ---- Student ---- */

/* Evaluates the continued fraction of the incomplete beta function by Lentz's method, for x below
 * (a + 1) / (a + b + 2) (Abramowitz and Stegun 26.5.8). */
static double beta_fraction(double a, double b, double x)
{
    double c = 1;
    double d = 1 / (1 - (a + b) * x / (a + 1));
    double fraction = d;
    double change = 0;

    for (double m = 1; fabs(change - 1) > DBL_EPSILON && m < 1e5; m++) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

        d = 1 / (1 + even * d);
        c = 1 + even / c;
        fraction *= c * d;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        change = c * d;
        fraction *= change;
    }
    return fraction;
}

/* Returns the incomplete beta function I_x(a, b). `rest` is 1 - x. */
static double beta_below(double a, double b, double x, double rest)
{
    if (x <= 0 || rest <= 0) {
        return x <= 0 ? 0 : 1;
    }
    const double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest));

    return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                     : 1 - front * beta_fraction(b, a, rest) / b;
}

double distribution_student_two_sided(double t, double freedom)
{
    const double squared = t * t;

    if (isinf(squared)) {
        return 0;
    }
    return beta_below(freedom / 2, 0.5, freedom / (freedom + squared),
                      squared / (freedom + squared));
}

double distribution_student_quantile(double p, double freedom)
{
    const double beyond = 2 * (1 - p);
    double low = 0;
    double high = 1;

    while (distribution_student_two_sided(high, freedom) > beyond) {
        high *= 2;
    }
    for (;;) {
        const double middle = low + (high - low) / 2;

        if (middle <= low || middle >= high) {
            return middle;
        }
        if (distribution_student_two_sided(middle, freedom) > beyond) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/* ---- gamma ---- */

/* Returns P(X <= x): by the series for x below a + 1, otherwise by the continued fraction of the
 * upper tail, evaluated by Lentz's method (Abramowitz and Stegun 6.5.29, 6.5.31). */
static double gamma_below(double a, double x)
{
    if (x <= 0) {
        return 0;
    }
    const double part = (x - a) / a;
    const double front = exp(-a * (part - log1p(part)) - stirling_error(a)) * sqrt(a / (2 * M_PI));

    if (x < a + 1) {
        double term = 1 / a;
        double sum = term;

        for (double n = a + 1; term > sum * DBL_EPSILON / 4; n++) {
            term *= x / n;
            sum += term;
        }
        return sum * front;
    }
    double b = x + 1 - a;
    double c = 1 / DBL_MIN;
    double d = 1 / b;
    double fraction = d;
    double change = 0;

    for (double n = 1; fabs(change - 1) > DBL_EPSILON && n < 1e7; n++) {
        const double numerator = -n * (n - a);

        b += 2;
        d = 1 / (numerator * d + b);
        c = b + numerator / c;
        change = c * d;
        fraction *= change;
    }
    return 1 - front * fraction;
}

double distribution_gamma_quantile(double a, double p)
{
    double low = 0;
    double high = a + 20 + 10 * sqrt(a);

    while (gamma_below(a, high) < p) {
        high *= 2;
    }
    for (;;) {
        const double middle = low + (high - low) / 2;

        if (middle <= low || middle >= high) {
            return middle;
        }
        if (gamma_below(a, middle) < p) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/* ---- Kolmogorov ---- */

/* Uses the series of the upper tail, or that of the lower tail (Jacobi's) where it converges
 * faster. */
double distribution_kolmogorov(double x)
{
    double sum = 0;

    if (x <= 0) {
        return 1;
    }
    if (x < 1) {
        for (int k = 1; k <= 9; k += 2) {
            sum += exp(-k * k * M_PI * M_PI / (8 * x * x));
        }
        return 1 - sqrt(2 * M_PI) / x * sum;
    }
    for (int k = 1; k <= 10; k++) {
        sum += (k % 2 == 1 ? 2 : -2) * exp(-2 * k * k * x * x);
    }
    return sum;
}
