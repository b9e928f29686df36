/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lib/statistics.h"

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
}
