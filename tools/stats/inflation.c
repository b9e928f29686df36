/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/stats/inflation.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/stats/statistics.h"

#define LAGS_MAX        64
#define CORRELATION_MAX 0.9999
#define NEGLIGIBLE      1e-12

/* Ranks from 1; of equal values each has their mean. */
static double *ranks_of(const double *values, size_t n)
{
    struct sort_placed *order = alloc_zeroed(n * sizeof(*order));
    double *ranks = alloc_zeroed(n * sizeof(*ranks));

    for (size_t i = 0; i < n; i++) {
        order[i] = (struct sort_placed){values[i], i};
    }
    sort_placed(order, n);
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;

        while (end < n && order[end].value == order[i].value) {
            end++;
        }
        for (size_t k = i; k < end; k++) {
            ranks[order[k].index] = (double)(i + 1 + end) / 2;
        }
        i = end;
    }
    free(order);
    return ranks;
}

static double variance_of(const double *values, size_t n)
{
    return statistics_covariation(values, n, statistics_mean(values, n), 0) / (double)n;
}

/* ---- by all autocorrelations ---- */

/* Sum of the autocorrelations up to the first that is not above 0; false where it is beyond
 * LAGS_MAX. (Those of all lags add to -1/2: one of n - 1 is not above 0.) */
static bool sum_autocorrelations(const double *values, size_t n, double *sum)
{
    const double mean = statistics_mean(values, n);
    const double squares = statistics_covariation(values, n, mean, 0);

    *sum = 0;
    for (size_t lag = 1; lag <= LAGS_MAX; lag++) {
        const double r = lag < n ? statistics_covariation(values, n, mean, lag) / squares : 0;

        if (!(r > 0)) {
            return true;
        }
        *sum += r;
    }
    return false;
}

/* Means of two each; returns how many. */
static size_t halve(double *values, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        values[i] = (values[2 * i] + values[2 * i + 1]) / 2;
    }
    return n / 2;
}

/* Correlation over more than LAGS_MAX values is evaluated in blocks of 2, 4, 8, ...: the mean of
 * all is the mean of the blocks' means (Flyvbjerg and Petersen 1989). The mean is taken from the
 * values themselves, which hides a part of the sum. Overwrites the values. */
static double factor_by_sum(double *values, size_t count)
{
    const double variance = variance_of(values, count);
    size_t n = count;
    double block = 1;
    double sum;

    while (!sum_autocorrelations(values, n, &sum)) {
        n = halve(values, n);
        block *= 2;
    }
    const double factor = block * variance_of(values, n) / variance * (1 + 2 * sum);
    const double hidden = factor / (double)count;

    return hidden < 0.5 ? factor / (1 - hidden) : (double)count;
}

/* ---- as an autoregression ---- */

/* Of the mean of n values, each of which has this correlation with the one before it. */
static double factor_of(double correlation, size_t n)
{
    double power = correlation;
    double sum = 0;

    for (size_t k = 1; k < n && power > NEGLIGIBLE; k++) {
        sum += (1 - (double)k / (double)n) * power;
        power *= correlation;
    }
    return 1 + 2 * sum;
}

static double correlation_of(const double *ranks, size_t n)
{
    const double count = (double)n;
    const double mean = statistics_mean(ranks, n);
    const double seen =
        statistics_covariation(ranks, n, mean, 1) / statistics_covariation(ranks, n, mean, 0);
    const double unbiased = fmin((count * seen + 1) / (count - 4), CORRELATION_MAX);
    const double deviation = sqrt(fmax(0, 1 - unbiased * unbiased) / count);

    return fmin(fmax(0, unbiased + INFLATION_MARGIN * deviation), CORRELATION_MAX);
}

static bool are_equal(const double *values, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (values[i] != values[0]) {
            return false;
        }
    }
    return true;
}

struct inflation inflation_of(const double *values, size_t n)
{
    if (are_equal(values, n)) {
        return (struct inflation){1, 0};
    }
    if (n < INFLATION_MIN) {
        return (struct inflation){INFINITY, 1};
    }
    double *ranks = ranks_of(values, n);
    const double correlation = correlation_of(ranks, n);
    const double factor = factor_of(correlation, n);
    const double by_sum = factor_by_sum(ranks, n);

    free(ranks);
    return (struct inflation){fmax(factor, by_sum), correlation};
}

double inflation_one_side(size_t n, double correlation)
{
    const double same = 0.5 + asin(correlation) / M_PI; /* two that follow each other */

    return n > 0 ? pow(same, (double)(n - 1)) : 1;
}
