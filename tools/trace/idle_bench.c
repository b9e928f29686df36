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

#define TOLERANCE_MAX (INT64_C(1) << 30) /* ticks; a run has at most 2^32 interrupts */

static bool find_series(struct idle_bench *idle, const struct run_bench *bench, const char *samples,
                        const char *entries, const char *handlers, const char **why)
{
    memset(idle, 0, sizeof(*idle));
    idle->samples = run_find_series(bench, samples);
    idle->entries = run_find_series(bench, entries);
    idle->handlers = run_find_series(bench, handlers);
    if (idle->samples == NULL || idle->entries == NULL || idle->handlers == NULL) {
        *why = "a series it is made from is not in the log";
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
        *why = "its series contradict each other";
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

/* Bounded, so that no sum of a hostile file overflows. */
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
        *why = "the image stated no tolerance";
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
             "%" PRId64 " ticks a sample and %" PRId64
             " an interrupt, stated before the run; entry and exit of an interrupt, %" PRId64
             ", are no error",
             tolerance->sample, tolerance->each, tolerance->outside);
    return text;
}

int64_t idle_event_value(const struct idle_event *event, enum idle_column column)
{
    switch (column) {
    case IDLE_HANDLER:
        return event->handler;
    case IDLE_ELONGATION:
        return event->elongation;
    case IDLE_OVERHEAD:
        return event->elongation - event->handler;
    }
    return 0;
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
