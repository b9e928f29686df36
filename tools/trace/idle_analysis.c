/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/idle_analysis.h"

#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/stats/statistics.h"

bool idle_check(const int64_t *samples, size_t n)
{
    const int64_t limit = INT64_C(1) << 62;
    int64_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        if (samples[i] < 0 || samples[i] > limit - sum) {
            return false;
        }
        sum += samples[i];
    }
    return true;
}

void idle_ends(const int64_t *samples, size_t n, int64_t *ends)
{
    int64_t end = 0;

    for (size_t i = 0; i < n; i++) {
        end += samples[i];
        ends[i] = end;
    }
}

/* Spreads `stolen` ticks evenly over [begin, end) of a time that is cut into columns of `width`. */
static void spread(double *fractions, size_t columns, double width, double begin, double end,
                   double stolen)
{
    size_t column = (size_t)(begin / width);

    for (; column < columns && (double)column * width < end; column++) {
        const double left = (double)column * width;
        const double from = begin > left ? begin : left;
        const double to = end < left + width ? end : left + width;

        if (to > from) {
            fractions[column] += stolen * (to - from) / (end - begin) / width;
        }
    }
}

void idle_profile(const int64_t *samples, size_t n, int64_t floor, double *fractions,
                  size_t columns)
{
    double total = 0;
    double begin = 0;

    memset(fractions, 0, columns * sizeof(*fractions));
    for (size_t i = 0; i < n; i++) {
        total += (double)samples[i];
    }
    if (total <= 0) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const double end = begin + (double)samples[i];

        if (samples[i] > floor) {
            spread(fractions, columns, total / (double)columns, begin, end,
                   (double)(samples[i] - floor));
        }
        begin = end;
    }
}

size_t idle_sample_at(const int64_t *ends, size_t n, int64_t time)
{
    size_t low = 0;
    size_t high = n;

    if (time < 0) {
        return n;
    }
    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (ends[middle] <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

size_t idle_match(const int64_t *samples, size_t n, int64_t floor, const int64_t *entries,
                  const int64_t *handlers, size_t count, struct idle_event *events)
{
    int64_t *ends = alloc_zeroed(n * sizeof(*ends));
    size_t used = 0;

    idle_ends(samples, n, ends);
    for (size_t i = 0; i < count; i++) {
        const size_t sample = idle_sample_at(ends, n, entries[i]);
        struct idle_event *last = used > 0 ? &events[used - 1] : NULL;

        if (last != NULL && last->found && sample == last->sample) {
            last->count++;
            last->handler += handlers[i];
            continue;
        }
        events[used++] = (struct idle_event){
            .index = i,
            .count = 1,
            .found = sample < n,
            .sample = sample,
            .entry = entries[i],
            .handler = handlers[i],
            .elongation = sample < n ? samples[sample] - floor : 0,
        };
    }
    free(ends);
    return used;
}

/* Which samples hold an interrupt? To be freed. */
static bool *disturbed_samples(const int64_t *samples, size_t n, const int64_t *entries,
                               size_t count)
{
    int64_t *ends = alloc_zeroed(n * sizeof(*ends));
    bool *disturbed = alloc_zeroed(n * sizeof(*disturbed));

    idle_ends(samples, n, ends);
    for (size_t i = 0; i < count; i++) {
        const size_t sample = idle_sample_at(ends, n, entries[i]);

        if (sample < n) {
            disturbed[sample] = true;
        }
    }
    free(ends);
    return disturbed;
}

int64_t idle_floor_between(const int64_t *samples, size_t n, const int64_t *entries, size_t count,
                           int64_t otherwise)
{
    bool *disturbed = disturbed_samples(samples, n, entries, count);
    int64_t *quiet = alloc_zeroed(n * sizeof(*quiet));
    size_t quiet_count = 0;

    for (size_t i = 0; i < n; i++) {
        if (!disturbed[i]) {
            quiet[quiet_count++] = samples[i];
        }
    }
    const int64_t floor = quiet_count > 0 ? statistics_median(quiet, quiet_count) : otherwise;

    free(disturbed);
    free(quiet);
    return floor;
}

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

int64_t idle_tolerance_ticks(const struct idle_tolerance *tolerance, size_t count)
{
    return tolerance->sample + (int64_t)count * tolerance->each;
}

int64_t idle_event_error(const struct idle_event *event, const struct idle_tolerance *tolerance)
{
    return event->elongation - event->handler - (int64_t)event->count * tolerance->outside;
}

static void recover_event(const struct idle_event *event, struct idle_recovery *recovery)
{
    const int64_t error = idle_event_error(event, &recovery->tolerance);
    const bool recovered = event->elongation > 0 && event->elongation >= event->handler / 2;
    const bool within =
        magnitude(error) <= idle_tolerance_ticks(&recovery->tolerance, event->count);

    recovery->groups++;
    recovery->groups_recovered += recovered ? 1 : 0;
    recovery->groups_within += within ? 1 : 0;
    recovery->recovered += recovered ? event->count : 0;
    recovery->within_tolerance += within ? event->count : 0;
    recovery->recovered_total += event->handler + error;
    if (!recovery->has_error || magnitude(error) > magnitude(recovery->max_error)) {
        recovery->max_error = error;
    }
    recovery->has_error = true;
}

void idle_recover(const int64_t *samples, size_t n, int64_t floor,
                  const struct idle_tolerance *tolerance, const struct idle_event *events,
                  size_t event_count, struct idle_recovery *recovery)
{
    bool *held = alloc_zeroed(n * sizeof(*held));

    memset(recovery, 0, sizeof(*recovery));
    recovery->floor = floor;
    recovery->tolerance = *tolerance;
    for (size_t i = 0; i < event_count; i++) {
        const struct idle_event *event = &events[i];

        recovery->injected += event->count;
        recovery->injected_total += event->handler;
        if (event->found) {
            held[event->sample] = true;
            recover_event(event, recovery);
        }
    }
    for (size_t i = 0; i < n; i++) {
        recovery->spurious += !held[i] && samples[i] - floor > tolerance->sample;
    }
    free(held);
}

struct keyed {
    int64_t key;
    size_t index;
};

static int by_key(const void *left, const void *right)
{
    const struct keyed *a = left;
    const struct keyed *b = right;

    if (a->key != b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

size_t idle_group(const int64_t *keys, size_t n, size_t *order, size_t *starts)
{
    struct keyed *sorted = alloc_zeroed(n * sizeof(*sorted));
    size_t groups = 0;

    for (size_t i = 0; i < n; i++) {
        sorted[i] = (struct keyed){keys[i], i};
    }
    sort_stable(sorted, n, sizeof(*sorted), by_key);
    for (size_t i = 0; i < n; i++) {
        order[i] = sorted[i].index;
        if (i == 0 || sorted[i].key != sorted[i - 1].key) {
            starts[groups++] = i;
        }
    }
    free(sorted);
    return groups;
}
