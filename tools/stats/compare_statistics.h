/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What two samples say of each other, without any assumption of how they are distributed.
 *
 * Samples are sorted, of one value or more, and none is NAN. b is looked at beside a: what is
 * positive says that b is greater. `inflation`, 1 or more, is by how much the variance of a mean of
 * these values is larger than were they independent (compare_inflation); every chance and interval
 * is widened by it.
 *
 * Pure functions, without chance.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Up to so many values of both together, chances are counted out; above by the normal distribution.
 */
#define COMPARE_EXACT_MAX 30

struct two_samples {
    /* Mann and Whitney: pairs in which b is greater, half of those that are equal; and the chance
     * of such a one or one further out, on both sides, were there no difference. Ties are as they
     * are: counted out, or with their correction of the variance and that of continuity. */
    double u, p;
    double delta; /* Cliff: P(b > a) - P(b < a), -1 to 1 */
    /* Hodges and Lehmann: the median of all differences b - a, and its interval of 95 %, from
     * the same differences by rank; none where there are too few. */
    double shift;
    bool has_interval;
    double low, high;
    /* Kolmogorov and Smirnov: the greatest distance of the cumulative distributions, and its chance
     * by the limiting distribution: with ties and few values too large, never too small. */
    double ks, ks_p;
};

/* Differences are counted and selected where they stand, not made: O((n + m) * 64) steps. */
void compare_samples(const double *a, size_t a_count, const double *b, size_t b_count,
                     double inflation, struct two_samples *two);

/* The tails: the highest of p99 and p90 that can be told of both (STATISTICS_ABOVE_MIN), with
 * intervals of 95 %, and the chance that as many or more of the values above that quantile of both
 * together are b's, or a's (hypergeometric). False where there are too few values. */
struct two_tails {
    double q; /* 0.99 or 0.9 */
    double a, a_low, a_high;
    double b, b_low, b_high;
    double p;
};
bool compare_tails(const double *a, size_t a_count, const double *b, size_t b_count,
                   double inflation, struct two_tails *tails);

/* Numbers of events in two times, above 0, by Poisson's distribution: b's rate over a's with its
 * interval of 95 % (Clopper and Pearson's, of the share of b's events in all), and the chance under
 * equal rates. Without any event: NAN, 0 to INFINITY, and 1. */
struct two_rates {
    double ratio, low, high;
    double p;
};
void compare_rates(uint64_t a, double a_time, uint64_t b, double b_time, struct two_rates *two);

/* By how much values that follow each other alike widen the variance of their mean: 1 + 2 (sum of
 * autocorrelations of ranks up to the first that is not above 0), where these are beyond chance
 * (struct summary); else 1. In the order in which they were taken. */
double compare_inflation(const double *values, size_t n);

/* Holm's correction of `n` chances for their number, in place. Those that are NAN are none. */
void compare_holm(double *p, size_t n);
