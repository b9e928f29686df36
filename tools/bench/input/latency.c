/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/bench/input/latency.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"

#define SPAN_OF_LINEAR  10   /* largest over smallest, up to which bins are equally wide */
#define LINEAR_BINS     25   /* at most, and one for an edge */
#define NARROWEST       100  /* bins of equal width, from 0 to the largest */
#define SMALLEST_DECADE (-9) /* of bounds of the series */

static double positive(int64_t latency)
{
    return latency > 0 ? (double)latency : 0;
}

/* ---- histogram ---- */

/* Bound `index` of the series 1, 2, 5, 10, ..., from the smallest on. */
static double bound_of(size_t index)
{
    static const double steps[] = {1, 2, 5};
    const int decade = (int)(index / 3) + SMALLEST_DECADE;
    const double step = steps[index % 3];

    return decade >= 0 ? step * pow(10, decade) : step / pow(10, -decade);
}

/* The last bound that is not above `value`; else the first, and of what is larger the last. */
static size_t bound_below(double value)
{
    size_t index = 0;

    while (index + 1 < LATENCY_BINS_MAX && bound_of(index + 1) <= value) {
        index++;
    }
    return index;
}

/* No bin is narrower than some hundredth of `most`: what is alike shares one. */
static size_t fill_equal(const int64_t *latencies, size_t n, double unit, double least, double most,
                         struct latency_bin *bins)
{
    size_t step = 0;

    while (bound_of(step + 1) <= most / NARROWEST ||
           most / bound_of(step) - floor(least / bound_of(step)) >= LINEAR_BINS) {
        step++;
    }
    const double width = bound_of(step);
    const double first = floor(least / width);
    const size_t count = (size_t)(floor(most / width) - first) + 1;

    for (size_t i = 0; i < count; i++) {
        bins[i] =
            (struct latency_bin){(first + (double)i) * width, (first + (double)i + 1) * width, 0};
    }
    for (size_t i = 0; i < n; i++) {
        bins[(size_t)(floor(positive(latencies[i]) * unit / width) - first)].n++;
    }
    return count;
}

static size_t fill_series(const int64_t *latencies, size_t n, double unit, double least,
                          double most, struct latency_bin *bins)
{
    const size_t first = bound_below(least);
    const size_t count = bound_below(most) - first + 1;

    for (size_t i = 0; i < count; i++) {
        bins[i] = (struct latency_bin){first + i == 0 ? 0 : bound_of(first + i),
                                       bound_of(first + i + 1), 0};
    }
    for (size_t i = 0; i < n; i++) {
        bins[bound_below(positive(latencies[i]) * unit) - first].n++;
    }
    return count;
}

size_t latency_histogram(const int64_t *latencies, size_t n, double unit,
                         struct latency_bin bins[LATENCY_BINS_MAX])
{
    int64_t min = INT64_MAX;
    int64_t max = INT64_MIN;

    for (size_t i = 0; i < n; i++) {
        min = latencies[i] < min ? latencies[i] : min;
        max = latencies[i] > max ? latencies[i] : max;
    }
    const double least = positive(min) * unit;
    const double most = positive(max) * unit;

    if (n == 0) {
        return 0;
    }
    return most < SPAN_OF_LINEAR * least ? fill_equal(latencies, n, unit, least, most, bins)
                                         : fill_series(latencies, n, unit, least, most, bins);
}

/* ---- cumulative latency ---- */

void latency_curve_init(struct latency_curve *curve, const int64_t *latencies, size_t n)
{
    long double sum = 0;

    curve->n = n;
    curve->sorted = alloc_zeroed(n * sizeof(*curve->sorted));
    curve->sums = alloc_zeroed(n * sizeof(*curve->sums));
    for (size_t i = 0; i < n; i++) {
        curve->sorted[i] = latencies[i];
    }
    sort_integers(curve->sorted, n);
    for (size_t i = 0; i < n; i++) {
        sum += (long double)positive(curve->sorted[i]);
        curve->sums[i] = (double)sum;
    }
}

void latency_curve_free(struct latency_curve *curve)
{
    free(curve->sorted);
    free(curve->sums);
}

double latency_share_of(const struct latency_curve *curve, size_t count)
{
    const double all = curve->n > 0 ? curve->sums[curve->n - 1] : 0;
    const size_t first = count < curve->n ? count : curve->n;

    if (!(all > 0)) {
        return NAN;
    }
    return first > 0 ? curve->sums[first - 1] / all : 0;
}

double latency_share_upto(const struct latency_curve *curve, int64_t latency)
{
    size_t low = 0;
    size_t high = curve->n; /* all before low are at most `latency`, none from high on */

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (curve->sorted[middle] <= latency) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return latency_share_of(curve, low);
}

int64_t latency_at_share(const struct latency_curve *curve, double share)
{
    size_t count = 0;

    while (count + 1 < curve->n && curve->sums[count] < share * curve->sums[curve->n - 1]) {
        count++;
    }
    return curve->sorted[count];
}

/* ---- interarrival ---- */

/* Mean, and deviation of a sample. Squares are of differences from the mean, so that large values
 * with small differences lose nothing. */
static void moments(const int64_t *values, size_t n, double *mean, double *deviation)
{
    long double sum = 0;
    long double squares = 0;

    for (size_t i = 0; i < n; i++) {
        sum += (long double)values[i];
    }
    const long double middle = n > 0 ? sum / (long double)n : NAN;

    for (size_t i = 0; i < n; i++) {
        const long double difference = (long double)values[i] - middle;

        squares += difference * difference;
    }
    *mean = (double)middle;
    *deviation = n >= 2 ? (double)sqrtl(squares / (long double)(n - 1)) : NAN;
}

void latency_interarrivals(const struct latency_event *events, size_t n, int64_t threshold,
                           struct latency_interarrival *interarrival)
{
    int64_t *intervals = alloc_zeroed(n * sizeof(*intervals));
    size_t count = 0;
    int64_t last = 0;

    for (size_t i = 0; i < n; i++) {
        if (events[i].latency > threshold) {
            /* Of the first: since nothing. */
            intervals[count++] = (int64_t)((uint64_t)events[i].begin - (uint64_t)last);
            last = events[i].begin;
        }
    }
    const size_t between = count > 0 ? count - 1 : 0;

    interarrival->events = count;
    moments(intervals + (count > 0), between, &interarrival->mean, &interarrival->deviation);
    free(intervals);
}

/* ---- responsiveness ---- */

void latency_respond(const struct latency_event *events, size_t n, const int64_t *thresholds,
                     size_t kinds, struct latency_responsiveness *responsiveness)
{
    long double excess = 0;

    responsiveness->events = 0;
    for (size_t i = 0; i < n; i++) {
        if (events[i].kind < kinds && events[i].latency > thresholds[events[i].kind]) {
            responsiveness->events++;
            excess += (long double)events[i].latency - (long double)thresholds[events[i].kind];
        }
    }
    responsiveness->excess = (double)excess;
}

/* ---- utilisation ---- */

double latency_utilisation(int64_t sample, int64_t nominal)
{
    return sample > nominal && sample > 0 ? (double)(sample - nominal) / (double)sample : 0;
}

size_t latency_windows(const int64_t *samples, size_t n, int64_t nominal, int64_t window,
                       double *windows, size_t capacity)
{
    size_t count = 0;
    int64_t filled = 0; /* of the last window */
    double busy = 0;    /* ticks of it */

    for (size_t i = 0; i < n; i++) {
        const double utilisation = latency_utilisation(samples[i], nominal);

        for (int64_t left = samples[i]; left > 0;) {
            const int64_t room = window - filled;
            const int64_t ticks = left < room ? left : room;

            if (filled == 0 && count++ == capacity) {
                return capacity;
            }
            busy += utilisation * (double)ticks;
            filled += ticks;
            windows[count - 1] = busy / (double)filled;
            left -= ticks;
            if (filled == window) {
                filled = 0;
                busy = 0;
            }
        }
    }
    return count;
}
