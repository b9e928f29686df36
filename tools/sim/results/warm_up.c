/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/results/warm_up.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/alloc.h"

#define BATCHES_MIN 10 /* fewer show no start */

void warm_up_init(struct warm_up_series *series)
{
    *series = (struct warm_up_series){
        .sum = alloc_zeroed(WARM_UP_BATCHES * sizeof(*series->sum)),
        .time = alloc_zeroed(WARM_UP_BATCHES * sizeof(*series->time)),
        .length = WARM_UP_BATCH,
    };
}

void warm_up_free(struct warm_up_series *series)
{
    free(series->sum);
    free(series->time);
    *series = (struct warm_up_series){0};
}

/* Two and two batches become one; one that is left over is open again. */
static void halve(struct warm_up_series *series)
{
    if (series->count % 2 != 0) {
        series->count--;
        series->open += series->sum[series->count];
        series->open_count += series->length;
    }
    series->count /= 2;
    series->length *= 2;
    for (size_t i = 0; i < series->count; i++) {
        series->sum[i] = series->sum[2 * i] + series->sum[2 * i + 1];
        series->time[i] = series->time[2 * i + 1];
    }
}

void warm_up_add(struct warm_up_series *series, double time, double value)
{
    if (series->count == WARM_UP_BATCHES) {
        halve(series);
    }
    series->open += value;
    series->open_count++;
    if (series->open_count == series->length) {
        series->sum[series->count] = series->open;
        series->time[series->count] = time;
        series->count++;
        series->open = 0;
        series->open_count = 0;
    }
}

/* Brings all series to the longest batches that one of them has; how many batches all have. */
static size_t align(struct warm_up_series *series, size_t count)
{
    uint64_t length = 0;
    size_t batches = WARM_UP_BATCHES;

    for (size_t i = 0; i < count; i++) {
        length = series[i].length > length ? series[i].length : length;
    }
    for (size_t i = 0; i < count; i++) {
        while (series[i].length < length) {
            halve(&series[i]);
        }
        batches = series[i].count < batches ? series[i].count : batches;
    }
    return batches;
}

/* How many of the first values to leave out: backwards, so that mean and squares of the rest grow
 * by one value at a time. */
static size_t best_cut(const double *values, size_t count)
{
    double mean = 0;
    double squares = 0; /* of distances from the mean */
    double least = INFINITY;
    size_t best = 0;

    for (size_t first = count; first-- > 0;) {
        const double rest = (double)(count - first);
        const double distance = values[first] - mean;

        mean += distance / rest;
        squares += distance * (values[first] - mean);
        if (first <= count / 2 && squares / (rest * rest) <= least) {
            least = squares / (rest * rest);
            best = first;
        }
    }
    return best;
}

bool warm_up_find(struct warm_up_series *series, size_t count, double *time)
{
    const size_t batches = align(series, count);

    *time = 0;
    if (batches < BATCHES_MIN) {
        return false;
    }
    double *const sum = alloc_zeroed(batches * sizeof(*sum));

    for (size_t i = 0; i < count; i++) {
        for (size_t batch = 0; batch < batches; batch++) {
            sum[batch] += series[i].sum[batch];
        }
    }
    const size_t cut = best_cut(sum, batches);

    free(sum);
    for (size_t i = 0; cut > 0 && i < count; i++) {
        *time = fmax(*time, series[i].time[cut - 1]);
    }
    return cut < batches / 2;
}
