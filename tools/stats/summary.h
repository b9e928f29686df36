/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistical summary of n values, with flags that qualify it. It serves reports, comparisons and
 * exports; the columns of the run file are struct statistics (statistics.h).
 *
 * Quantiles are by nearest rank: each is a value that occurred. A quantile above the median is
 * reported only if n * (1 - q) is at least STATISTICS_ABOVE_MIN. Their intervals have 95 % or more,
 * without any assumption about the distribution: they come from order statistics (binomial
 * distribution), widened by the correlation of the values (struct inflation), and low and high are
 * values that occurred. There is no interval if n is too small, or too small for the correlation of
 * the values.
 *
 * Pure, deterministic functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Effect of correlation between successive values: the factor by which it raises the variance of a
 * mean or a median.
 *
 * It is the greater of two estimates, both from ranks. One treats the values as an autoregression:
 * it uses the first autocorrelation, corrected for the bias of a short series (Marriott and Pope
 * 1954), plus INFLATION_MARGIN of its standard deviations. The other adds all autocorrelations up
 * to the first that is not above 0. Both err upwards: independent values get a factor of 1.6 at n =
 * 30 and 1.2 at n = 200.
 */

/* With fewer values, correlation cannot be detected. */
#define INFLATION_MIN 10

#define INFLATION_MARGIN 1.25

struct inflation {
    double factor; /* 1 or more; infinite below INFLATION_MIN values */
    /* correlation of a value with the next one, by the first estimate; 0 to 1 */
    double correlation;
};

/* Estimates the inflation of `values`, given in the order in which they were taken. If all values
 * are equal, the factor is 1, however few they are. `sorted` gets the values sorted, unless it is
 * NULL. */
struct inflation inflation_of(const double *values, size_t n, double *sorted);

/* Returns the approximate probability that all `n` values of an autoregression are on the same side
 * of its median. */
double inflation_one_side(size_t n, double correlation);

struct summary_quantile {
    bool reported;
    double value;
    bool has_interval;
    double low, high;
    size_t low_rank, high_rank; /* ranks of `low` and `high` in ascending order, from 1 */
};

#define SUMMARY_LAGS 10

struct summary {
    size_t n; /* with n = 0 no other member is set */
    double min, max;
    size_t max_at; /* index of the first occurrence of max */
    bool exact;    /* all n values are equal: zero variance is a valid result */
    struct summary_quantile median, p90, p99, p999, p9999;
    double mean;
    /* standard deviation of a sample (divisor n - 1); NAN for fewer than two values */
    double deviation;
    double mad; /* median of the distances from the median, not scaled */
    /* The following members depend on the order in which values were taken. They are flags, not
     * verdicts: false below 40 values, and if `exact`. */
    /* the intervals of the medians of the first and the last quarter do not overlap */
    bool drifts;
    double drift; /* median of the last quarter minus median of the first */
    /* some |autocorrelation| exceeds chance: p * SUMMARY_LAGS <= 0.05 (Holm's first step), as
     * normal with standard deviation 1 / sqrt(n) */
    bool correlated;
    double autocorrelation[SUMMARY_LAGS]; /* lags 1 to 10; NAN if undefined */
    struct inflation inflation;           /* correlation factor that widens the intervals */
};

/* Returns why the median has no interval ("too few values", "values too correlated"), or NULL if it
 * has one. */
const char *summary_interval_unknown(const struct summary *summary);

/* Summarises `values`, given in the order in which they were taken; none may be NAN. */
void summary_of(const double *values, size_t n, struct summary *summary);
/* Computes in half the time only n, inflation, min, max, exact and the quantiles; the other members
 * are 0. */
void summary_quantiles_of(const double *values, size_t n, struct summary *summary);

/* Finds the ranks (from 1) whose values enclose the quantile q with 95 % or more. Returns false if
 * n is too small. 0 < q < 1. */
bool summary_interval_ranks(size_t n, double q, size_t *low, size_t *high);

/* Does the same for correlated values: the distances from the rank of the quantile grow by the
 * square root of the inflation. */
bool summary_widened_ranks(size_t n, double q, double inflation, size_t *low, size_t *high);

/* Returns the nearest-rank quantile of n > 0 sorted values: the one of rank ceil(n * q), from 1. 0
 * < q <= 1, with at most four decimals. */
double summary_quantile_of(const double *sorted, size_t n, double q);
/* Does the same for values in any order, which are not changed. */
double summary_quantile(const double *values, size_t n, double q);

/* Rate of events in a time above 0, in events per unit of `time`, with an exact 95 % interval
 * assuming a Poisson distribution (by chi-squared). Without any event only `high` is reported: "<
 * 3/T" (-ln 0.05 = 2.996). */
struct summary_rate {
    uint64_t events;
    double time;
    double rate, low, high;
};
void summary_rate_of(uint64_t events, double time, struct summary_rate *rate);
