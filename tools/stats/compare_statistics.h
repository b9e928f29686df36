/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistical comparison of two samples, without any assumption about their distributions.
 *
 * Samples are sorted, have at least one value, and contain no NAN. Sample b is compared with a: a
 * positive result means that b is greater. `inflation`, 1 or more, is the factor by which the
 * variance of the mean exceeds that of independent values (summary.h); it widens every probability
 * and interval.
 *
 * Pure, deterministic functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Up to this many values in both samples together, probabilities are exact; above, they come from
 * the normal distribution. */
#define COMPARE_EXACT_MAX 30

struct two_samples {
    /* Mann and Whitney: `u` is the number of pairs in which b is greater, plus half the number of
     * equal pairs; `p` is its two-sided probability if there is no difference. Ties are handled
     * exactly, or by corrections of variance and continuity. */
    double u, p;
    double delta; /* Cliff's delta: P(b > a) - P(b < a), -1 to 1 */
    /* Hodges and Lehmann: `shift` is the median of all differences b - a. The 95 % interval comes
     * from the same differences by rank; there is none if there are too few. */
    double shift;
    bool has_interval;
    double low, high;
    /* Kolmogorov and Smirnov: `ks` is the largest distance of the cumulative distributions; `ks_p`
     * is its probability by the limiting distribution, which is too large with ties or few values,
     * never too small. */
    double ks, ks_p;
};

/* Compares two samples. Counts and selects differences without storing them, in O((n + m) * 64)
 * steps. */
void compare_samples(const double *a, size_t a_count, const double *b, size_t b_count,
                     double inflation, struct two_samples *two);

/* Comparison of tails: the higher of p99 and p90 that both samples have (STATISTICS_ABOVE_MIN),
 * with 95 % intervals. `p` is the probability (hypergeometric) that one sample contributes at least
 * as many of the values above that quantile of both samples together. compare_tails() returns false
 * if there are too few values. */
struct two_tails {
    double q; /* quantile that is compared: 0.99 or 0.9 */
    double a, a_low, a_high;
    double b, b_low, b_high;
    double p;
};
bool compare_tails(const double *a, size_t a_count, const double *b, size_t b_count,
                   double inflation, struct two_tails *tails);

/* Comparison of event counts in two times above 0, assuming Poisson distributions. `ratio` is b's
 * rate divided by a's, with its 95 % interval (Clopper and Pearson, for the share of b's events in
 * all); `p` is the probability if the rates are equal. Without any event the ratio is NAN, the
 * interval 0 to INFINITY, and p is 1. */
struct two_rates {
    double ratio, low, high;
    double p;
};
void compare_rates(uint64_t a, double a_time, uint64_t b, double b_time, struct two_rates *two);

/* Comparison of two groups of boots by one statistic of each boot, in any order. */
struct two_groups {
    double a, b; /* means of the two groups */
    /* the boots as two samples: `shift` is the median of all differences b - a */
    struct two_samples samples;
    /* 95 % interval of the shift; if there are too few boots for one (fewer than 4 and 4), the
     * smallest and largest difference of a boot of b and a boot of a */
    double low, high;
};

void compare_groups(const double *a, size_t a_count, const double *b, size_t b_count,
                    struct two_groups *two);

/* Returns the standard deviation of n values (divisor n - 1), or NAN for fewer than two. */
double compare_deviation(const double *values, size_t n);

/* Applies Holm's correction for multiple tests to `n` probabilities, in place. NAN marks a missing
 * one. */
void compare_holm(double *p, size_t n);
