/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Summary of n values, with flags that qualify it. For reports, comparisons and exports; the
 * columns of the run file are struct statistics (statistics.h).
 *
 * Quantiles are by nearest rank, each a value that occurred; a quantile above the median is
 * reported only if n * (1 - q) is at least STATISTICS_ABOVE_MIN. Their intervals are of 95 % or
 * more, without any assumption about the distribution, from order statistics of the binomial
 * distribution, widened by the values' correlation (struct inflation): [low, high] are values that
 * occurred. There is none if n is too small, or if the values are too correlated for so few.
 *
 * Pure, deterministic functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How much values that follow each other alike are worth: the factor by which their correlation
 * raises the variance of a mean or a median.
 *
 * It is the greater of two estimates, both from ranks. One takes the values for an autoregression:
 * the first autocorrelation, corrected for the bias of a short series (Marriott and Pope 1954),
 * plus INFLATION_MARGIN of its deviations. The other adds all autocorrelations up to the first that
 * is not above 0. Both err upwards: independent values get a factor of 1.6 at n = 30 and 1.2 at n =
 * 200.
 */

/* Below this many values correlation cannot be seen. */
#define INFLATION_MIN 10

#define INFLATION_MARGIN 1.25

struct inflation {
    double factor;      /* 1 or more; infinite below INFLATION_MIN values */
    double correlation; /* of a value with the next one, by the first estimate; 0 to 1 */
};

/* `values` in the order in which they were taken. Values that are all equal have a factor of 1,
 * however few. */
struct inflation inflation_of(const double *values, size_t n);

/* The chance that all `n` values of an autoregression lie on the same side of its median, about. */
double inflation_one_side(size_t n, double correlation);

struct summary_quantile {
    bool reported;
    double value;
    bool has_interval;
    double low, high;
    size_t low_rank, high_rank; /* their places in ascending order, from 1 */
};

#define SUMMARY_LAGS 10

struct summary {
    size_t n; /* with n = 0 nothing else is set */
    double min, max;
    size_t max_at; /* index of the first max */
    bool exact;    /* all n values are equal: zero variance is a result */
    struct summary_quantile median, p90, p99, p999, p9999;
    double mean;
    double deviation; /* of a sample, n - 1; NAN below two values */
    double mad;       /* median of the distances from the median, not scaled */
    /* Depend on the order in which values were taken. Flags, not verdicts: false below 40 values,
     * and if `exact`. */
    bool drifts;     /* the intervals of the first and of the last quarter's medians lie apart */
    double drift;    /* last quarter's median - first's */
    bool correlated; /* any |autocorrelation| above that of chance: p * SUMMARY_LAGS <= 0.05 (Holm's
                      * first step), taken as normal with deviation 1 / sqrt(n) */
    double autocorrelation[SUMMARY_LAGS]; /* lags 1 to 10; NAN where not defined */
    struct inflation inflation;           /* what widens the intervals */
};

/* Why the median has no interval: "too few values", "values too correlated"; NULL: it has one. */
const char *summary_interval_unknown(const struct summary *summary);

/* `values` in the order in which they were taken; none is NAN. */
void summary_of(const double *values, size_t n, struct summary *summary);
/* In half the time: of it n, inflation, min, max, exact and the quantiles; the rest is 0. */
void summary_quantiles_of(const double *values, size_t n, struct summary *summary);

/* Ranks (from 1) whose values hold the quantile q between them with 95 % or more; false where n is
 * too small. 0 < q < 1. */
bool summary_interval_ranks(size_t n, double q, size_t *low, size_t *high);

/* The same of values that are correlated: the distances from the quantile's own rank grow by the
 * root of the inflation. */
bool summary_widened_ranks(size_t n, double q, double inflation, size_t *low, size_t *high);

/* Of n > 0 sorted values, the one of nearest rank: ceil(n * q), from 1. 0 < q <= 1, to four digits
 * behind the point. */
double summary_quantile_of(const double *sorted, size_t n, double q);
/* The same of values in any order, which stay unchanged. */
double summary_quantile(const double *values, size_t n, double q);

/* A rate of events in a time above 0, in events per unit of `time`, by Poisson's distribution at
 * 95 % (exact, by chi-squared). Without any event only `high` is reported: "< 3/T" (-ln 0.05 =
 * 2.996). */
struct summary_rate {
    uint64_t events;
    double time;
    double rate, low, high;
};
void summary_rate_of(uint64_t events, double time, struct summary_rate *rate);
