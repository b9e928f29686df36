/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/stats/statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

static int compare(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left;
    const int64_t b = *(const int64_t *)right;

    return a < b ? -1 : a > b;
}

int64_t statistics_quantile(const int64_t *sorted, size_t n, uint32_t numerator,
                            uint32_t denominator)
{
    const size_t rank = (n * numerator + denominator - 1) / denominator;

    return sorted[rank > 0 ? rank - 1 : 0];
}

/* Samples that are read in order, and in stretches. */
struct look {
    const int64_t *samples;
    size_t n;
    void (*done)(void *context, size_t first, size_t count);
    void *context;
};

/* The stretch from `first` on has been read. Returns where the next begins. */
static size_t end_stretch(const struct look *look, size_t first, size_t count)
{
    if (look->done != NULL) {
        look->done(look->context, first, count);
    }
    return first + count;
}

static size_t stretch_at(const struct look *look, size_t first)
{
    return look->n - first < STATISTICS_STRETCH ? look->n - first : STATISTICS_STRETCH;
}

static void look_for_ends(const struct look *look, struct statistics *statistics)
{
    __int128 total = 0;
    int64_t min = INT64_MAX;
    int64_t max = INT64_MIN;

    for (size_t first = 0, count; first < look->n; first = end_stretch(look, first, count)) {
        count = stretch_at(look, first);
        for (size_t i = first; i < first + count; i++) {
            const int64_t sample = look->samples[i];

            min = sample < min ? sample : min;
            max = sample > max ? sample : max;
            total += sample;
        }
    }
    statistics->min = min;
    statistics->max = max;
    statistics->has_total = total >= INT64_MIN && total <= INT64_MAX;
    statistics->total = statistics->has_total ? (int64_t)total : 0;
}

#define BIN_BITS 12
#define BINS     (1 << BIN_BITS)

/* A search for a sample: that of rank `rank` (from 0) among those whose distance from the minimum
 * is low + [0, BINS << shift). */
struct target {
    size_t rank;
    uint64_t low;
    unsigned shift;
    size_t bins[BINS];
};

static void count_into_bins(const struct look *look, int64_t min, struct target *target)
{
    memset(target->bins, 0, sizeof(target->bins));
    for (size_t first = 0, count; first < look->n; first = end_stretch(look, first, count)) {
        count = stretch_at(look, first);
        for (size_t i = first; i < first + count; i++) {
            const uint64_t distance = (uint64_t)look->samples[i] - (uint64_t)min - target->low;
            const uint64_t bin = distance >> target->shift;

            if (bin < BINS) {
                target->bins[bin]++;
            }
        }
    }
}

/* Continues in the bin that holds the rank. False: that bin holds only one value. */
static bool narrow(struct target *target)
{
    uint64_t bin = 0;

    while (target->rank >= target->bins[bin]) {
        target->rank -= target->bins[bin++];
    }
    target->low += bin << target->shift;
    if (target->shift == 0) {
        return false;
    }
    target->shift = target->shift > BIN_BITS ? target->shift - BIN_BITS : 0;
    return true;
}

/* The shift with which the bins hold any distance up to `width`. */
static unsigned shift_for(uint64_t width)
{
    unsigned shift = 0;

    while (width >> shift >= BINS) {
        shift++;
    }
    return shift;
}

/* The samples of ranks from 1, in passes over the samples, without a copy. `statistics` has min and
 * max. */
static int64_t select_rank(const struct look *look, const struct statistics *statistics,
                           uint32_t numerator, uint32_t denominator)
{
    struct target target = {
        .rank = (look->n * numerator + denominator - 1) / denominator - 1,
        .shift = shift_for((uint64_t)statistics->max - (uint64_t)statistics->min),
    };

    do {
        count_into_bins(look, statistics->min, &target);
    } while (narrow(&target));
    return (int64_t)((uint64_t)statistics->min + target.low);
}

static int64_t *sorted_copy(const int64_t *samples, size_t n)
{
    int64_t *sorted = alloc_zeroed(n * sizeof(*sorted));

    memcpy(sorted, samples, n * sizeof(*sorted));
    qsort(sorted, n, sizeof(*sorted), compare);
    return sorted;
}

/* Sorting is faster below this. */
#define SORTED_MAX 256

static int64_t quantile_of(const struct look *look, const int64_t *sorted,
                           const struct statistics *statistics, uint32_t numerator,
                           uint32_t denominator)
{
    return sorted != NULL ? statistics_quantile(sorted, look->n, numerator, denominator)
                          : select_rank(look, statistics, numerator, denominator);
}

int64_t statistics_median(const int64_t *samples, size_t n)
{
    const struct look look = {.samples = samples, .n = n};
    int64_t *sorted = n <= SORTED_MAX ? sorted_copy(samples, n) : NULL;
    struct statistics ends = {0};

    look_for_ends(&look, &ends);
    const int64_t median = quantile_of(&look, sorted, &ends, 1, 2);

    free(sorted);
    return median;
}

void statistics_of_stretches(const int64_t *samples, size_t n,
                             void (*done)(void *context, size_t first, size_t count), void *context,
                             struct statistics *statistics)
{
    const struct look look = {samples, n, done, context};

    memset(statistics, 0, sizeof(*statistics));
    statistics->n = n;
    if (n == 0) {
        return;
    }
    int64_t *sorted = n <= SORTED_MAX ? sorted_copy(samples, n) : NULL;

    look_for_ends(&look, statistics);
    statistics->median = quantile_of(&look, sorted, statistics, 1, 2);
    statistics->has_p99 = n >= (size_t)STATISTICS_ABOVE_MIN * 100;
    statistics->has_p999 = n >= (size_t)STATISTICS_ABOVE_MIN * 1000;
    if (statistics->has_p99) {
        statistics->p99 = quantile_of(&look, sorted, statistics, 99, 100);
    }
    if (statistics->has_p999) {
        statistics->p999 = quantile_of(&look, sorted, statistics, 999, 1000);
    }
    free(sorted);
}

void statistics_of(const int64_t *samples, size_t n, struct statistics *statistics)
{
    statistics_of_stretches(samples, n, NULL, NULL, statistics);
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

static double sum_of(const double *values, size_t n)
{
    double sum = 0;
    double lost = 0; /* Kahan */

    for (size_t i = 0; i < n; i++) {
        const double next = values[i] - lost;
        const double total = sum + next;

        lost = (total - sum) - next;
        sum = total;
    }
    return sum;
}

double statistics_mean(const double *values, size_t n)
{
    return sum_of(values, n) / (double)n;
}

double statistics_covariation(const double *values, size_t n, double mean, size_t lag)
{
    double sum = 0;

    for (size_t i = 0; i + lag < n; i++) {
        sum += (values[i] - mean) * (values[i + lag] - mean);
    }
    return sum;
}
