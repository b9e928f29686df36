/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lib/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/lib/alloc.h"

static int compare(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left;
    const int64_t b = *(const int64_t *)right;

    return a < b ? -1 : a > b;
}

static int64_t *sorted_copy(const int64_t *samples, size_t n)
{
    int64_t *sorted = alloc_zeroed(n * sizeof(*sorted));

    memcpy(sorted, samples, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), compare);
    return sorted;
}

int64_t statistics_quantile(const int64_t *sorted, size_t n, uint32_t numerator,
                            uint32_t denominator)
{
    const size_t rank = (n * numerator + denominator - 1) / denominator;

    return sorted[rank > 0 ? rank - 1 : 0];
}

int64_t statistics_median(const int64_t *samples, size_t n)
{
    int64_t *sorted = sorted_copy(samples, n);
    const int64_t median = statistics_quantile(sorted, n, 1, 2);

    free(sorted);
    return median;
}

static void add_total(const int64_t *samples, size_t n, struct statistics *statistics)
{
    __int128 total = 0;

    for (size_t i = 0; i < n; i++) {
        total += samples[i];
    }
    statistics->has_total = total >= INT64_MIN && total <= INT64_MAX;
    statistics->total = statistics->has_total ? (int64_t)total : 0;
}

void statistics_of(const int64_t *samples, size_t n, struct statistics *statistics)
{
    memset(statistics, 0, sizeof(*statistics));
    statistics->n = n;
    if (n == 0) {
        return;
    }
    int64_t *sorted = sorted_copy(samples, n);

    statistics->min = sorted[0];
    statistics->median = statistics_quantile(sorted, n, 1, 2);
    statistics->max = sorted[n - 1];
    statistics->has_p99 = n >= (size_t)STATISTICS_ABOVE_MIN * 100;
    statistics->has_p999 = n >= (size_t)STATISTICS_ABOVE_MIN * 1000;
    statistics->p99 = statistics->has_p99 ? statistics_quantile(sorted, n, 99, 100) : 0;
    statistics->p999 = statistics->has_p999 ? statistics_quantile(sorted, n, 999, 1000) : 0;
    free(sorted);
    add_total(samples, n, statistics);
}

/* Of two integers, which 65 bits always hold. */
static long double difference(int64_t left, int64_t right)
{
    return (long double)((__int128)left - right);
}

double statistics_correlation(const int64_t *x, const int64_t *y, size_t n)
{
    long double mean_x = 0;
    long double mean_y = 0;
    long double xx = 0;
    long double yy = 0;
    long double xy = 0;

    /* Everything is taken from the first pair, so that what never varies gives exact zeros. */
    for (size_t i = 0; i < n; i++) {
        mean_x += difference(x[i], x[0]) / (long double)n;
        mean_y += difference(y[i], y[0]) / (long double)n;
    }
    for (size_t i = 0; i < n; i++) {
        const long double dx = difference(x[i], x[0]) - mean_x;
        const long double dy = difference(y[i], y[0]) - mean_y;

        xx += dx * dx;
        yy += dy * dy;
        xy += dx * dy;
    }
    if (n < 2 || xx <= 0 || yy <= 0) {
        return NAN;
    }
    const long double r = xy / (sqrtl(xx) * sqrtl(yy));

    return (double)(r > 1 ? 1 : r < -1 ? -1 : r);
}
