/* SPDX-License-Identifier: BSD-2-Clause */
/* The statistics that are compared: of a series, and whether one lies within a prediction. */
#include <math.h>

#include "tools/sim/against/against_parts.h"
#include "tools/stats/statistics.h"
#include "tools/stats/summary.h"

static const struct {
    const char *name;
    double quantile; /* 0: none */
    bool judged, judged_of_waits;
} statistic[AGAINST_STATISTICS] = {
    [AGAINST_MEAN] = {"mean", 0, true, true},
    [AGAINST_P50] = {"p50", 0.5, true, false},
    [AGAINST_P90] = {"p90", 0.9, true, true},
    [AGAINST_P99] = {"p99", 0.99, true, true},
    [AGAINST_P999] = {"p99.9", 0.999, false, false},
    [AGAINST_DEVIATION] = {"deviation", 0, false, false},
    [AGAINST_MAX] = {"max", 0, false, false},
};

const char *against_statistic_name(enum against_statistic which)
{
    return statistic[which].name;
}

bool against_is_judged(enum against_statistic which, bool waits)
{
    return waits ? statistic[which].judged_of_waits : statistic[which].judged;
}

double against_mean_of(const double *values, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += values[i];
    }
    return n > 0 ? sum / (double)n : NAN;
}

double against_deviation_of(const double *values, size_t n)
{
    const double mean = against_mean_of(values, n);
    double squares = 0;

    for (size_t i = 0; i < n; i++) {
        squares += (values[i] - mean) * (values[i] - mean);
    }
    return n > 1 ? sqrt(squares / (double)(n - 1)) : NAN;
}

double against_statistic_of(const double *sorted, size_t n, enum against_statistic which)
{
    const double quantile = statistic[which].quantile;

    if (n == 0) {
        return NAN;
    }
    if (which == AGAINST_MEAN) {
        return against_mean_of(sorted, n);
    }
    if (which == AGAINST_DEVIATION) {
        return against_deviation_of(sorted, n);
    }
    if (which == AGAINST_MAX) {
        return sorted[n - 1];
    }
    if (which == AGAINST_P999 && (double)n * (1 - quantile) < STATISTICS_ABOVE_MIN - 1e-6) {
        return NAN;
    }
    return summary_quantile_of(sorted, n, quantile);
}

double against_value(const struct against_series *series, enum against_statistic which)
{
    return against_statistic_of(series->values, series->n, which);
}

bool against_inside(const struct against_band *band, double value, double resolution)
{
    return band->reported && value >= band->low - resolution && value <= band->high + resolution;
}

double against_z(const struct against_band *band, double value)
{
    return band->reported && band->deviation > 0 ? (value - band->mean) / band->deviation : NAN;
}

double against_excess(const struct against_band *band, double value, double tolerance)
{
    const double beyond = fmax(0, fabs(value - band->mean) - tolerance);
    const double side = value > band->mean ? band->above : band->below;

    if (!band->reported) {
        return NAN;
    }
    if (side > 0) {
        return beyond / side;
    }
    return beyond > 0 ? INFINITY : 0;
}
