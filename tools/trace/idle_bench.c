/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/idle_bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/noise/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/stats/statistics.h"

#define TOLERANCE_MAX (INT64_C(1) << 30) /* in ticks; a run has at most 2^32 interrupts */

/* ---- analysis of samples ---- */

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

/* Spreads `stolen` ticks evenly over [begin, end) of a time that is divided into columns of
 * `width`. */
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
    return time < 0 ? n : SEARCH_COUNT(i, n, ends[i] <= time);
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

int64_t idle_floor_between(const int64_t *samples, size_t n, const int64_t *entries, size_t count,
                           int64_t otherwise)
{
    int64_t *ends = alloc_zeroed(n * sizeof(*ends));
    /* the last element: interrupts that are in no sample */
    bool *disturbed = alloc_zeroed((n + 1) * sizeof(*disturbed));
    size_t quiet = 0;

    idle_ends(samples, n, ends);
    for (size_t i = 0; i < count; i++) {
        disturbed[idle_sample_at(ends, n, entries[i])] = true;
    }
    for (size_t i = 0; i < n; i++) {
        if (!disturbed[i]) {
            ends[quiet++] = samples[i]; /* ends[] is not needed any more */
        }
    }
    const int64_t floor = quiet > 0 ? statistics_median(ends, quiet) : otherwise;

    free(disturbed);
    free(ends);
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

    return SORT_ORDER(a->key, b->key);
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

static bool find_series(struct idle_bench *idle, const struct run_bench *bench, const char *samples,
                        const char *entries, const char *handlers, const char **why)
{
    memset(idle, 0, sizeof(*idle));
    idle->samples = run_find_series(bench, samples);
    idle->entries = run_find_series(bench, entries);
    idle->handlers = run_find_series(bench, handlers);
    if (idle->samples == NULL || idle->entries == NULL || idle->handlers == NULL) {
        *why = "a series that it needs is not in the log";
        return false;
    }
    if (!run_series_whole(idle->samples) || !run_series_whole(idle->entries) ||
        !run_series_whole(idle->handlers)) {
        *why = "samples are missing, so that the time of the others is unknown";
        return false;
    }
    if (idle->samples->n == 0) {
        *why = "there are no samples";
        return false;
    }
    if (idle->entries->n != idle->handlers->n ||
        !idle_check(idle->samples->samples, idle->samples->n) ||
        !idle_check(idle->handlers->samples, idle->handlers->n)) {
        *why = "its series are inconsistent";
        return false;
    }
    return true;
}

static void match(struct idle_bench *idle)
{
    idle->events = alloc_zeroed(idle->entries->n * sizeof(*idle->events));
    idle->event_count =
        idle_match(idle->samples->samples, idle->samples->n, idle->floor, idle->entries->samples,
                   idle->handlers->samples, idle->entries->n, idle->events);
}

bool idle_bench_floor(const struct run_bench *bench, int64_t *floor, const char **why)
{
    const struct run_series *series = run_find_series(bench, SERIES_FLOOR);

    if (series == NULL || series->received == 0 || !idle_check(series->samples, series->received)) {
        *why = "there is no floor to compare with";
        return false;
    }
    *floor = statistics_median(series->samples, series->received);
    return true;
}

bool idle_bench_ticks(const struct run_bench *bench, struct idle_bench *idle, const char **why)
{
    if (!find_series(idle, bench, SERIES_TICKING, SERIES_HANDLER_START, SERIES_HANDLER, why) ||
        !idle_bench_floor(bench, &idle->floor, why)) {
        return false;
    }
    match(idle);
    return true;
}

/* Reads the tolerance. Limits its values, so that no sum overflows with a hostile file. */
static bool read_tolerance(const struct run_bench *bench, struct idle_tolerance *tolerance)
{
    const struct run_fact *outside = run_find_fact(bench, FACT_OUTSIDE);
    const struct run_fact *sample = run_find_fact(bench, FACT_TOLERANCE_SAMPLE);
    const struct run_fact *each = run_find_fact(bench, FACT_TOLERANCE_EACH);

    if (outside == NULL || sample == NULL || each == NULL) {
        return false;
    }
    *tolerance = (struct idle_tolerance){outside->value, sample->value, each->value};
    return outside->value > -TOLERANCE_MAX && outside->value < TOLERANCE_MAX &&
           sample->value >= 0 && sample->value < TOLERANCE_MAX && each->value >= 0 &&
           each->value < TOLERANCE_MAX;
}

bool idle_bench_load(const struct run_bench *bench, struct idle_bench *idle,
                     struct idle_recovery *recovery, const char **why)
{
    const struct run_fact *sample = run_find_fact(bench, FACT_SAMPLE_TICKS);
    const int64_t limit = INT64_C(1) << 62;
    struct idle_tolerance tolerance;

    if (!find_series(idle, bench, SERIES_LOAD_SAMPLES, SERIES_LOAD_ENTRY, SERIES_LOAD_WORK, why)) {
        return false;
    }
    if (!read_tolerance(bench, &tolerance)) {
        *why = "the image stated no tolerance before the run";
        return false;
    }
    const int64_t otherwise =
        sample != NULL && sample->value >= 0 && sample->value < limit ? sample->value : 0;

    idle->floor = idle_floor_between(idle->samples->samples, idle->samples->n,
                                     idle->entries->samples, idle->entries->n, otherwise);
    match(idle);
    idle_recover(idle->samples->samples, idle->samples->n, idle->floor, &tolerance, idle->events,
                 idle->event_count, recovery);
    return true;
}

const char *idle_tolerance_text(const struct idle_tolerance *tolerance,
                                char text[IDLE_TOLERANCE_TEXT_MAX])
{
    snprintf(text, IDLE_TOLERANCE_TEXT_MAX,
             "%" PRId64 " ticks for each sample and %" PRId64
             " for each interrupt, fixed before the measurement; entry and exit of an interrupt"
             " (%" PRId64 " ticks) do not count as an error",
             tolerance->sample, tolerance->each, tolerance->outside);
    return text;
}

int64_t idle_event_value(const struct idle_event *event, enum idle_column column)
{
    return column == IDLE_HANDLER      ? event->handler
           : column == IDLE_ELONGATION ? event->elongation
                                       : event->elongation - event->handler;
}

void idle_bench_statistics(const struct idle_bench *idle, enum idle_column column,
                           struct statistics *statistics)
{
    int64_t *values = alloc_zeroed(idle->event_count * sizeof(*values));
    size_t found = 0;

    for (size_t i = 0; i < idle->event_count; i++) {
        if (idle->events[i].found) {
            values[found++] = idle_event_value(&idle->events[i], column);
        }
    }
    statistics_of(values, found, statistics);
    free(values);
}

double idle_recovery_ppm(const struct idle_recovery *recovery)
{
    if (recovery->injected_total == 0) {
        return NAN;
    }
    return 1e6 * (double)(recovery->recovered_total - recovery->injected_total) /
           (double)recovery->injected_total;
}

void idle_bench_free(struct idle_bench *idle)
{
    free(idle->events);
    idle->events = NULL;
}
