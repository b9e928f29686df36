/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/tests/sim/law_checks.h"

#include <math.h>
#include <string.h>

static bool numbers_equal(const double *a, const double *b, size_t count)
{
    size_t i = 0;

    while (i < count && a[i] == b[i]) {
        i++;
    }
    return i == count;
}

bool laws_equal(const struct sim_law *law, const struct sim_law *other)
{
    return law->kind == other->kind && law->mean == other->mean && law->low == other->low &&
           law->high == other->high && law->knee == other->knee && law->tail == other->tail &&
           law->count == other->count && law->shape == other->shape &&
           numbers_equal(law->given, other->given, SIM_SHAPE_NUMBERS) &&
           (law->count == 0 ||
            memcmp(law->values, other->values, law->count * sizeof(*law->values)) == 0);
}

/* P(X <= x) of the uniform law on [a, b], a point where they are one. */
static double uniform_below(double a, double b, double x)
{
    if (x >= b) {
        return 1;
    }
    return x > a ? (x - a) / (b - a) : 0;
}

static double empirical_below(const struct sim_law *law, double x)
{
    size_t from = 0;
    size_t to = law->count;

    while (from < to) {
        const size_t middle = from + (to - from) / 2;

        if (law->values[middle] <= x) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return (double)from / (double)law->count;
}

/* P(X <= x) of the gamma law of scale 1: the sum of 6.5.29 in Abramowitz and Stegun. */
static double gamma_below(double a, double x)
{
    double term = exp(a * log(x) - x - lgamma(a + 1));
    double sum = 0;

    for (double n = a + 1; x > 0 && (term > 1e-18 || n < x); n++) {
        sum += term;
        term *= x / n;
    }
    return sum;
}

static double normal_below(double z)
{
    return erfc(-z * M_SQRT1_2) / 2;
}

/* By the textbook definition of each law from the numbers of the model. */
static double shaped_below(const struct sim_law *law, double x)
{
    const double m = law->given[0];
    const double k = law->given[1];
    const double sigma = sqrt(log(1 + k * k / (m * m)));

    switch (law->shape) {
    case SIM_LOGNORMAL:
        return normal_below((log(x / m) + sigma * sigma / 2) / sigma);
    case SIM_NORMAL:
        return 1 - normal_below((m - x) / k) / normal_below(m / k);
    case SIM_GAMMA:
    case SIM_ERLANG:
        return gamma_below(k, x * k / m);
    case SIM_WEIBULL:
        return 1 - exp(-pow(x / m * tgamma(1 + 1 / k), k));
    case SIM_PARETO:
        return x < m * (k - 1) / k ? 0 : 1 - pow(m * (k - 1) / k / x, k);
    default:
        return k * (1 - exp(-x / m)) + (1 - k) * (1 - exp(-x / law->given[2]));
    }
}

double law_below(const struct sim_law *law, double x)
{
    if (x < 0) {
        return 0;
    }
    switch (law->kind) {
    case SIM_CONSTANT:
        break;
    case SIM_UNIFORM:
        return uniform_below(law->low, law->high, x);
    case SIM_TAILED:
        return (1 - law->tail) * uniform_below(0, law->knee, x) +
               law->tail * uniform_below(law->knee, law->high, x);
    case SIM_EXPONENTIAL:
        return -expm1(-x / law->mean);
    case SIM_EMPIRICAL:
        return empirical_below(law, x);
    case SIM_SHAPED:
        return shaped_below(law, x);
    }
    return x >= law->mean ? 1 : 0;
}
