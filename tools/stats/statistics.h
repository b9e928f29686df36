/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Summary statistics of samples. Quantiles are by nearest rank: each is a sample that occurred, and
 * none is interpolated.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A quantile q is reported only if at least this many samples are expected above it: n * (1 - q).
 * With fewer, it would be little more than the maximum under another name. */
#define STATISTICS_ABOVE_MIN 10

struct statistics {
    size_t n; /* with n = 0 no other member is set */
    int64_t min, median, max;
    bool has_p99, has_p999;
    int64_t p99, p999;
    bool has_total; /* false if the sum exceeds 64 bits */
    int64_t total;
};

/* Computes the summary. `samples` may be in any order and are not changed. */
void statistics_of(const int64_t *samples, size_t n, struct statistics *statistics);

/* Largest number of samples read before `done` is called: 1 MiB. */
#define STATISTICS_STRETCH (1 << 17)

/* Does the same for samples of a mapped file that exceed memory. Reads them several times, and
 * calls `done` after each section. */
void statistics_of_stretches(const int64_t *samples, size_t n,
                             void (*done)(void *context, size_t first, size_t count), void *context,
                             struct statistics *statistics);

/* Returns the sample of rank ceil(n * numerator / denominator), ranks from 1, of n > 0 sorted
 * samples; 0 < numerator <= denominator. */
int64_t statistics_quantile(const int64_t *sorted, size_t n, uint32_t numerator,
                            uint32_t denominator);

/* Returns the median of samples in any order, or 0 if there are none. */
int64_t statistics_median(const int64_t *samples, size_t n);

/* The most frequent value of samples and the next, the smaller of equally frequent ones; shares of
 * all samples, 0 to 1. A `next_share` of 0: there is no other value. */
struct statistics_mode {
    double value, next;
    double share, next_share;
};
/* Finds the modes of n > 0 samples in any order. */
struct statistics_mode statistics_mode_of(const int64_t *samples, size_t n);
/* The same of real numbers, which it sorts. */
struct statistics_mode statistics_mode_of_reals(double *values, size_t n);

/* Returns Pearson's coefficient of correlation of n pairs, -1 to 1, or NaN if it is undefined: for
 * fewer than two pairs, or if x or y never varies. It is computed from exact differences of the
 * integers. */
double statistics_correlation(const int64_t *x, const int64_t *y, size_t n);

/* Returns the sum of products of the deviations from the mean, for values that are `lag` apart. For
 * lag 0 this is the sum of squares. */
double statistics_covariation(const double *values, size_t n, double mean, size_t lag);
/* Returns the mean of n > 0 values. */
double statistics_mean(const double *values, size_t n);
