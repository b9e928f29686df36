/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/trace/idle_bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/idle/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"

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

bool idle_bench_load(const struct run_bench *bench, double ticks_per_instruction,
                     struct idle_bench *idle, struct idle_recovery *recovery, const char **why)
{
    const struct run_fact *iteration = run_find_fact(bench, FACT_ITERATION_MILLITICK);
    const struct run_fact *sample = run_find_fact(bench, FACT_SAMPLE_TICKS);
    const int64_t limit = INT64_C(1) << 62;

    if (!find_series(idle, bench, SERIES_LOAD_SAMPLES, SERIES_LOAD_ENTRY, SERIES_LOAD_WORK, why)) {
        return false;
    }
    if (iteration == NULL || iteration->value < 0 || iteration->value > limit) {
        *why = "fact iteration_millitick is not in the log";
        return false;
    }
    const int64_t otherwise =
        sample != NULL && sample->value >= 0 && sample->value < limit ? sample->value : 0;

    idle->floor = idle_floor_between(idle->samples->samples, idle->samples->n,
                                     idle->entries->samples, idle->entries->n, otherwise);
    match(idle);
    const struct idle_tolerance tolerance =
        ticks_per_instruction > 0
            ? idle_tolerance_exact(iteration->value, ticks_per_instruction)
            : idle_tolerance_measured(iteration->value, idle->samples->samples, idle->samples->n,
                                      idle->events, idle->event_count);

    idle_recover(idle->samples->samples, idle->samples->n, idle->floor, &tolerance, idle->events,
                 idle->event_count, recovery);
    return true;
}

const char *idle_tolerance_text(const struct idle_tolerance *tolerance,
                                char text[IDLE_TOLERANCE_TEXT_MAX])
{
    int used = snprintf(text, IDLE_TOLERANCE_TEXT_MAX,
                        "%" PRId64 " ticks: an iteration of the loop, %" PRId64
                        ", and entry and exit of an interrupt, %" PRId64,
                        tolerance->ticks, tolerance->iteration, tolerance->outside);

    if (tolerance->spread > 0) {
        snprintf(text + used, IDLE_TOLERANCE_TEXT_MAX - (size_t)used,
                 " (the median event's), and %d deviations of that and of the other samples, "
                 "%" PRId64,
                 IDLE_SPREADS, tolerance->spread);
    }
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
