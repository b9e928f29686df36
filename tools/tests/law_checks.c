/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/tests/law_checks.h"

#include <math.h>
#include <string.h>

bool laws_equal(const struct sim_law *law, const struct sim_law *other)
{
    return law->kind == other->kind && law->mean == other->mean && law->low == other->low &&
           law->high == other->high && law->knee == other->knee && law->tail == other->tail &&
           law->count == other->count &&
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
    }
    return x >= law->mean ? 1 : 0;
}
