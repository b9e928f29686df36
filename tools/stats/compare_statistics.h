/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparison of two samples, without any assumption about their distributions.
 *
 * Samples are sorted, have one value or more, and none is NAN. b is compared with a: a positive
 * result means that b is greater. `inflation`, 1 or more, is the factor by which the variance of
 * the mean exceeds that of independent values (summary.h); it widens every probability and
 * interval.
 *
 * Pure, deterministic functions.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Up to this many values of both together, probabilities are exact; above, by the normal
 * distribution. */
#define COMPARE_EXACT_MAX 30

struct two_samples {
    /* Mann and Whitney: the number of pairs in which b is greater, plus half of those that are
     * equal; and its two-sided probability if there is no difference. Ties are handled exactly, or
     * by the corrections of variance and continuity. */
    double u, p;
    double delta; /* Cliff: P(b > a) - P(b < a), -1 to 1 */
    /* Hodges and Lehmann: the median of all differences b - a, and its interval of 95 %, from
     * the same differences by rank; none if there are too few. */
    double shift;
    bool has_interval;
    double low, high;
    /* Kolmogorov and Smirnov: the max distance of the cumulative distributions, and its probability
     * by the limiting distribution: too large with ties and few values, never too small. */
    double ks, ks_p;
};

/* Counts and selects differences without storing them: O((n + m) * 64) steps. */
void compare_samples(const double *a, size_t a_count, const double *b, size_t b_count,
                     double inflation, struct two_samples *two);

/* The tails: the higher of p99 and p90 that both have (STATISTICS_ABOVE_MIN), with intervals of
 * 95 %, and the probability that as many or more of the values above that quantile of both together
 * are b's, or a's (hypergeometric). False: too few values. */
struct two_tails {
    double q; /* 0.99 or 0.9 */
    double a, a_low, a_high;
    double b, b_low, b_high;
    double p;
};
bool compare_tails(const double *a, size_t a_count, const double *b, size_t b_count,
                   double inflation, struct two_tails *tails);

/* Numbers of events in two times, above 0, by Poisson's distribution: b's rate over a's with its
 * interval of 95 % (Clopper and Pearson's, of the share of b's events in all), and the probability
 * if the rates are equal. Without any event: NAN, 0 to INFINITY, and 1. */
struct two_rates {
    double ratio, low, high;
    double p;
};
void compare_rates(uint64_t a, double a_time, uint64_t b, double b_time, struct two_rates *two);

/* The difference of the means, b - a, of values in any order: Welch's interval of 95 % and
 * two-sided probability. Where neither varies, the interval is the difference itself. None with
 * fewer than 2 values in one. */
struct two_means {
    double difference;
    bool has_interval;
    double low, high;
    double p; /* NAN: none */
};
void compare_means(const double *a, size_t a_count, const double *b, size_t b_count,
                   double inflation, struct two_means *two);

/*
 * Two groups of boots, one statistic of each boot, by Welch's test: how boots of the same group
 * differ decides. A group of one boot has the other's variance. Values are no finer than `step`,
 * 0 or more: no variance is taken to be less than that of rounding, step^2 / 12.
 */
struct two_groups {
    double a, b;       /* means */
    double shift;      /* b - a */
    double freedom;    /* degrees */
    double p;          /* two-sided */
    bool has_interval; /* of 95 %; false where nothing is known of how boots vary */
    double low, high;
};

void compare_groups(const double *a, size_t a_count, const double *b, size_t b_count, double step,
                    struct two_groups *two);

/* The smallest difference that two groups of `n` boots each, 2 or more, show as significant at 5 %
 * with a chance of about 80 %, where boots have this deviation. */
double compare_groups_see(double deviation, size_t n);

/* The deviation of n values, n - 1; NAN below two. */
double compare_deviation(const double *values, size_t n);

/* Holm's correction of `n` probabilities for their number, in place. NAN stands for none. */
void compare_holm(double *p, size_t n);
