/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What n values say, with what there is to know before it is believed. For reports, comparisons and
 * exports; the run file's own columns are struct statistics (statistics.h).
 *
 * Quantiles are by nearest rank, each a value that occurred; one above the median is told only
 * where n * (1 - q) is at least STATISTICS_ABOVE_MIN. Their intervals are of 95 % or more, free of
 * any distribution, from order statistics of the binomial distribution: [low, high] are values that
 * occurred, and there is none where n is too small for one.
 *
 * Pure functions; nothing random but by a seed that is given.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summary_quantile {
    bool told;
    double value;
    bool has_interval;
    double low, high;
};

#define SUMMARY_LAGS 10

struct summary {
    size_t n; /* with n = 0 nothing else is set */
    double min, max;
    size_t max_at; /* index of the first greatest */
    bool exact;    /* all n values are equal: zero variance is a result */
    struct summary_quantile median, p90, p99, p999, p9999;
    double mean;
    double deviation; /* of a sample, n - 1; NAN below two values */
    double mad;       /* median of the distances from the median, not scaled */
    /* In the order in which they were taken. Flags, not verdicts: false below 40 values, and where
     * `exact`. */
    bool drifts;     /* the intervals of the first and of the last quarter's medians lie apart */
    double drift;    /* last quarter's median - first's */
    bool correlated; /* any |autocorrelation| above that of chance: p * SUMMARY_LAGS <= 0.05 (Holm's
                      * first step), taken as normal with deviation 1 / sqrt(n) */
    double autocorrelation[SUMMARY_LAGS]; /* lags 1 to 10; NAN where not defined */
};

/* `values` in the order in which they were taken; none is NAN. */
void summary_of(const double *values, size_t n, struct summary *summary);

/* Products of distances from the mean, of values that lie `lag` apart, summed: of lag 0 the
 * squares.
 */
double summary_covariation(const double *values, size_t n, double mean, size_t lag);
/* Of n > 0 values. */
double summary_mean(const double *values, size_t n);

/* Ranks (from 1) whose values hold the quantile q between them with 95 % or more; false where n is
 * too small. 0 < q < 1. */
bool summary_interval_ranks(size_t n, double q, size_t *low, size_t *high);

/* Of n > 0 sorted values, the one of nearest rank: ceil(n * q), from 1. 0 < q <= 1, to four digits
 * behind the point. */
double summary_quantile_of(const double *sorted, size_t n, double q);
void summary_sort(double *values, size_t n);

/* A rate of events seen in a time, by Poisson's distribution at 95 % (exact, by chi-squared). With
 * none seen, `high` is what is told: "< 3/T" (-ln 0.05 = 2.996). In events a unit of `time`, which
 * is above 0. */
struct summary_rate {
    uint64_t events;
    double time;
    double rate, low, high;
};
void summary_rate_of(uint64_t events, double time, struct summary_rate *rate);
