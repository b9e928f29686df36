/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures each event: busy time, elongation of idle samples, counts, phases. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/interactive_reading.h"
#include "kernel/run/names.h"
#include "kernel/trace/names.h"
#include "tools/base/alloc.h"
#include "tools/stats/statistics.h"
#include "tools/trace/reconcile.h"

#define PHASES   256
#define FACT_MAX 64 /* a longer name is no fact of ours */

/* ---- where samples lie ---- */

/* Samples up to the first that is missing: behind it none has a place in time. */
static void place_samples(struct interactive_reading *reading)
{
    const struct run_fact *origin = run_find_fact(reading->bench, FACT_IDLE_ORIGIN);
    struct idle_samples *idle = &reading->idle;
    struct reconcile reconcile;
    uint64_t at;

    reconcile_init(&reconcile, reading->bench);
    reading->interactive->iteration_millitick = reconcile.iteration_millitick;
    if (!reconcile.present || !interactive_place(reading->interactive, origin->value, &at)) {
        return;
    }
    const size_t n = reconcile.series->ranges[0].count;

    idle->bounds = alloc_zeroed((n + 1) * sizeof(*idle->bounds));
    idle->bounds[0] = at;
    idle->series = reconcile.series;
    idle->shortest = reconcile.shortest;
    for (idle->n = 0; idle->n < n; idle->n++) {
        const uint64_t end = idle->bounds[idle->n] + (uint64_t)reconcile.series->samples[idle->n];

        if (end < idle->bounds[idle->n]) {
            return; /* beyond 64 bits */
        }
        idle->bounds[idle->n + 1] = end;
    }
}

/* The sample that holds `at`; false where none does. */
static bool sample_at(const struct idle_samples *idle, uint64_t at, size_t *sample)
{
    size_t low = 0;
    size_t high = idle->n;

    if (idle->n == 0 || at < idle->bounds[0] || at >= idle->bounds[idle->n]) {
        return false;
    }
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;

        if (idle->bounds[middle] <= at) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *sample = low;
    return true;
}

/* ---- the idle loop's figure ---- */

static uint64_t later(uint64_t left, uint64_t right)
{
    return left > right ? left : right;
}

/* The last that is known of it. */
static uint64_t end_of(const struct interactive_event *event)
{
    uint64_t end = event->arrival;

    if (event->has_done) {
        end = event->done;
    } else if (event->has_taken) {
        end = event->taken;
    } else if (event->has_posted) {
        end = event->posted;
    }
    return event->has_stamps ? later(end, event->stamp_to) : end;
}

static void set_samples(const struct interactive_reading *reading, struct interactive_event *event)
{
    const struct idle_samples *idle = &reading->idle;
    uint64_t from = event->arrival;
    uint64_t to = later(end_of(event), from);
    uint64_t other;
    size_t first;
    size_t last;

    busy_episode(&reading->busy, from, &from, &other);
    if (busy_episode(&reading->busy, to, &other, &to)) {
        to--; /* its last tick */
    }
    if (!event->has_arrival || !sample_at(idle, from, &first) || !sample_at(idle, to, &last) ||
        last < first ||
        !busy_between(&reading->busy, idle->bounds[first], idle->bounds[last + 1],
                      &event->elongation_busy)) {
        return;
    }
    event->has_elongation = true;
    event->sample = first;
    event->samples = last - first + 1;
    event->elongation = (int64_t)(idle->bounds[last + 1] - idle->bounds[first]) -
                        (int64_t)event->samples * idle->shortest;
}

/* Events come by arrival, so that their first samples rise: one shares samples with the next, or
 * with one before it that reaches so far. */
static void set_shared(struct interactive *interactive)
{
    struct interactive_event *longest = NULL;

    for (size_t i = 0; i < interactive->count; i++) {
        struct interactive_event *event = &interactive->events[i];

        if (!event->has_elongation) {
            continue;
        }
        if (longest != NULL && longest->sample + longest->samples > event->sample) {
            longest->shared = true;
            event->shared = true;
        }
        if (longest == NULL ||
            event->sample + event->samples > longest->sample + longest->samples) {
            longest = event;
        }
    }
}

/* ---- counts ---- */

/* The median of what the event counted during samples in which nothing but the idle loop ran, by
 * the trace. False where there is none. */
static bool quiet_count(const struct interactive_reading *reading, const struct run_series *counts,
                        int64_t *median)
{
    const struct idle_samples *idle = &reading->idle;
    struct run_walk walk = {.series = counts};
    int64_t *quiet = alloc_zeroed(idle->n * sizeof(*quiet));
    size_t n = 0;

    for (size_t i = 0; i < idle->n; i++) {
        uint64_t ticks;

        if (busy_between(&reading->busy, idle->bounds[i], idle->bounds[i + 1], &ticks) &&
            ticks == 0 && run_walk_to(&walk, (uint32_t)i, &quiet[n])) {
            n++;
        }
    }
    *median = statistics_median(quiet, n);
    free(quiet);
    return n > 0;
}

static struct interactive_count count_of(const struct interactive_event *event,
                                         const struct run_series *counts, int64_t quiet)
{
    struct run_walk walk = {.series = counts};
    struct interactive_count count = {.known = event->has_elongation};

    for (size_t i = 0; i < event->samples && count.known; i++) {
        int64_t value;

        count.known = run_walk_to(&walk, (uint32_t)(event->sample + i), &value) &&
                      !__builtin_sub_overflow(value, quiet, &value) &&
                      !__builtin_add_overflow(count.value, value, &count.value);
    }
    return count;
}

/* Of every event, what one event of the processor counted. */
static void set_counts(struct interactive_reading *reading, const struct run_series *counts,
                       size_t column)
{
    struct interactive *interactive = reading->interactive;
    int64_t quiet;

    if (!quiet_count(reading, counts, &quiet)) {
        return;
    }
    for (size_t i = 0; i < interactive->count; i++) {
        interactive->counts[i * interactive->counted_count + column] =
            count_of(&interactive->events[i], counts, quiet);
    }
}

static bool is_count(const struct run_series *series)
{
    return series->event != NULL && series->of != NULL && strcmp(series->of, SERIES_IDLE) == 0;
}

static void read_counts(struct interactive_reading *reading)
{
    struct interactive *interactive = reading->interactive;
    const struct run_bench *bench = reading->bench;
    size_t capacity = 0;

    for (size_t i = 0; i < bench->series_count; i++) {
        if (is_count(&bench->series[i])) {
            interactive->counted = alloc_append(interactive->counted, &interactive->counted_count,
                                                &capacity, sizeof(*interactive->counted));
            interactive->counted[interactive->counted_count - 1] = bench->series[i].event;
        }
    }
    if (interactive->counted_count == 0 || reading->idle.n == 0) {
        return;
    }
    interactive->counts = alloc_zeroed(interactive->count * interactive->counted_count *
                                       sizeof(*interactive->counts));
    for (size_t i = 0, column = 0; i < bench->series_count; i++) {
        if (is_count(&bench->series[i])) {
            set_counts(reading, &bench->series[i], column++);
        }
    }
    for (size_t i = 0; i < interactive->count; i++) {
        interactive->events[i].counts = &interactive->counts[i * interactive->counted_count];
    }
}

/* ---- phases ---- */

/* What is busy while an event of the phase is at hand: each tick once, however many there are. */
static void add_handling(const struct interactive_reading *reading, struct interactive_phase *phase,
                         uint64_t *handled, const struct interactive_event *event)
{
    uint64_t ticks;

    if (event->done > later(event->arrival, *handled)) {
        phase->known =
            busy_between(&reading->busy, later(event->arrival, *handled), event->done, &ticks) &&
            phase->known;
        phase->handling += ticks;
        *handled = event->done;
    }
}

static void name_phase(const struct run_bench *bench, struct interactive_phase *phase)
{
    char fact[FACT_MAX];

    phase->name = run_object_name(bench, OBJECT_NAME_MARK, phase->phase);
    if (phase->name == NULL) {
        return;
    }
    snprintf(fact, sizeof(fact), "redraws_%s", phase->name);
    const struct run_fact *redraws = run_find_fact(bench, fact);

    phase->has_redraws = redraws != NULL;
    phase->redraws = redraws != NULL ? redraws->value : 0;
}

/* Of the events of `phase`, or of all. False: there are none. */
static bool measure_phase(const struct interactive_reading *reading,
                          struct interactive_phase *phase, bool all)
{
    const struct interactive *interactive = reading->interactive;
    uint64_t handled = 0;
    bool begun = false;
    bool exists = false;

    phase->known = true;
    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];

        if (!all && (!event->has_phase || event->phase != phase->phase)) {
            continue;
        }
        exists = true;
        phase->events += event->came;
        if (event->has_elongation && !event->shared) {
            phase->alone++;
            phase->elongation += event->elongation;
        }
        if (event->has_arrival && event->has_done) {
            phase->from = begun ? phase->from : event->arrival;
            phase->to = later(phase->to, event->done);
            begun = true;
            add_handling(reading, phase, &handled, event);
        }
    }
    phase->known =
        busy_between(&reading->busy, phase->from, phase->to, &phase->busy) && begun && phase->known;
    return exists;
}

static void read_phase(struct interactive_reading *reading, uint8_t number)
{
    struct interactive *interactive = reading->interactive;
    struct interactive_phase phase = {.phase = number};

    if (measure_phase(reading, &phase, false)) {
        name_phase(reading->bench, &phase);
        interactive->phases[interactive->phase_count++] = phase;
    }
}

static void read_phases(struct interactive_reading *reading)
{
    struct interactive *interactive = reading->interactive;
    bool some = false;

    measure_phase(reading, &interactive->all, true);
    for (size_t i = 0; i < interactive->count; i++) {
        some = some || interactive->events[i].has_phase;
    }
    if (!some) {
        return;
    }
    interactive->phases = alloc_zeroed(PHASES * sizeof(*interactive->phases));
    for (unsigned number = 0; number < PHASES; number++) {
        read_phase(reading, (uint8_t)number);
    }
}

/* ---- all ---- */

void interactive_measure(struct interactive_reading *reading)
{
    struct interactive *interactive = reading->interactive;

    place_samples(reading);
    for (size_t i = 0; i < interactive->count; i++) {
        struct interactive_event *event = &interactive->events[i];

        event->has_busy = event->has_arrival && event->has_done &&
                          busy_between(&reading->busy, event->arrival, event->done, &event->busy);
        set_samples(reading, event);
    }
    set_shared(interactive);
    read_counts(reading);
    read_phases(reading);
}
