/* SPDX-License-Identifier: BSD-2-Clause */
/* Distances between the measured and the predicted distribution, with their intervals. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/sim/against/against_parts.h"
#include "tools/sim/model/random.h"
#include "tools/stats/summary.h"

#define BOTH_SIDES 0.95

/* How many of the ascending values are below `value`, or, with `equal`, not above it. */
static size_t count_below(const double *sorted, size_t count, double value, bool equal)
{
    size_t low = 0;
    size_t high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (sorted[middle] < value || (equal && sorted[middle] == value)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Both cumulative distributions rise only, and the sample's is level between its values: the
 * greatest distance is at one of them, or just below it. */
double against_distance_of(const double *sample, size_t n, const double *other, size_t count,
                           double resolution)
{
    double distance = 0;

    for (size_t i = 0; i < n;) {
        size_t end = i + 1;

        while (end < n && sample[end] == sample[i]) {
            end++;
        }
        const size_t below = count_below(other, count, sample[i] - resolution, false);
        const size_t upto = count_below(other, count, sample[i] + resolution, true);

        distance = fmax(distance, (double)below / (double)count - (double)i / (double)n);
        distance = fmax(distance, (double)end / (double)n - (double)upto / (double)count);
        i = end;
    }
    return distance;
}

/* The distance of a resampled sample to the sample: only how often each value was drawn matters. */
static double resampled_distance(const double *sample, size_t n, struct sim_random *random,
                                 size_t *drawn)
{
    double distance = 0;
    size_t sum = 0;

    memset(drawn, 0, n * sizeof(*drawn));
    for (size_t i = 0; i < n; i++) {
        drawn[(size_t)((double)n * sim_random_uniform(random)) % n]++;
    }
    for (size_t i = 0; i < n; i++) {
        sum += drawn[i];
        if (i + 1 == n || sample[i + 1] != sample[i]) {
            distance = fmax(distance, fabs((double)sum - (double)(i + 1)) / (double)n);
        }
    }
    return distance;
}

/* 95 % of resampled samples are no further from the sample. */
static double sample_error(const double *sample, size_t n, uint64_t seed)
{
    double *distances = alloc_zeroed(AGAINST_ROUNDS * sizeof(*distances));
    size_t *drawn = alloc_zeroed(n * sizeof(*drawn));
    struct sim_random random;

    sim_random_seed(&random, seed, UINT64_MAX, 0);
    for (size_t i = 0; i < AGAINST_ROUNDS; i++) {
        distances[i] = resampled_distance(sample, n, &random, drawn);
    }
    summary_sort(distances, AGAINST_ROUNDS);
    const double error = summary_quantile_of(distances, AGAINST_ROUNDS, BOTH_SIDES);

    free(drawn);
    free(distances);
    return error;
}

void against_measure_distance(struct against_distance *distance,
                              const struct against_series *measured,
                              const struct against_prediction *prediction, const double *own,
                              double resolution, uint64_t seed)
{
    const size_t count = prediction->replications;
    const double error = sample_error(measured->values, measured->n, seed);
    const double found = against_distance_of(measured->values, measured->n, prediction->pool,
                                             prediction->pool_count, resolution);
    const size_t nearer = count_below(own, count, found, false);

    *distance = (struct against_distance){
        .distance = found,
        .low = fmax(0, found - error),
        .high = fmin(1, found + error),
        .usual = summary_quantile_of(own, count, BOTH_SIDES),
        .chance = (double)(count - nearer) / (double)count,
    };
}
