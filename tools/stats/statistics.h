/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Summaries of samples. Quantiles are by nearest rank: each is a sample that occurred, none is
 * interpolated.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A quantile q is reported only if at least this many samples are expected above it: n * (1 - q).
 * With fewer it is little more than the max under another name. */
#define STATISTICS_ABOVE_MIN 10

struct statistics {
    size_t n; /* with n = 0 nothing else is set */
    int64_t min, median, max;
    bool has_p99, has_p999;
    int64_t p99, p999;
    bool has_total; /* false if the sum exceeds 64 bits */
    int64_t total;
};

/* `samples` may have any order and stay unchanged. */
void statistics_of(const int64_t *samples, size_t n, struct statistics *statistics);

/* At most this many samples are a stretch: 1 MiB. */
#define STATISTICS_STRETCH (1 << 17)

/* The same for samples of a mapped file that exceed memory. Reads them several times, and calls
 * `done` after each stretch. */
void statistics_of_stretches(const int64_t *samples, size_t n,
                             void (*done)(void *context, size_t first, size_t count), void *context,
                             struct statistics *statistics);

/* The sample of rank ceil(n * numerator / denominator), ranks from 1, of n > 0 sorted samples;
 * 0 < numerator <= denominator. */
int64_t statistics_quantile(const int64_t *sorted, size_t n, uint32_t numerator,
                            uint32_t denominator);

/* The median of samples in any order; 0: there are none. */
int64_t statistics_median(const int64_t *samples, size_t n);

/* Pearson's coefficient of correlation of n pairs, -1 to 1. NaN if it is undefined: below two
 * pairs, or where one of the two never varies. Exact differences of the integers go in. */
double statistics_correlation(const int64_t *x, const int64_t *y, size_t n);

/* Sum of products of distances from the mean, of values that lie `lag` apart; for lag 0 the sum of
 * squares. */
double statistics_covariation(const double *values, size_t n, double mean, size_t lag);
/* Of n > 0 values. */
double statistics_mean(const double *values, size_t n);
