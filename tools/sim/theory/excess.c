/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/theory/excess.h"

#include <math.h>

/* Of a mass of 1 that is uniform on [low, high]. */
static double uniform_excess(double low, double high, double x)
{
    if (x <= low) {
        return (low + high) / 2 - x;
    }
    return x < high ? (high - x) * (high - x) / (2 * (high - low)) : 0;
}

static double tailed_excess(const struct sim_law *law, double x)
{
    const double body = (1 - law->tail) * uniform_excess(0, law->knee, x);

    return body + law->tail * uniform_excess(law->knee, law->high, x);
}

static double empirical_excess(const struct sim_law *law, double x)
{
    double sum = 0;

    for (size_t i = law->count; i > 0 && law->values[i - 1] > x; i--) {
        sum += law->values[i - 1] - x;
    }
    return sum / (double)law->count;
}

double sim_law_excess(const struct sim_law *law, double x)
{
    if (x < 0) {
        return law->mean - x;
    }
    switch (law->kind) {
    case SIM_CONSTANT:
        return fmax(law->mean - x, 0);
    case SIM_UNIFORM:
        return uniform_excess(law->low, law->high, x);
    case SIM_TAILED:
        return tailed_excess(law, x);
    case SIM_EXPONENTIAL:
        return law->mean * exp(-x / law->mean);
    case SIM_EMPIRICAL:
        return empirical_excess(law, x);
    }
    return NAN;
}
