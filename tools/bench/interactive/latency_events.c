/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/bench/interactive/latency_events.h"

#include <math.h>
#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/bench/interactive/thresholds.h"

static int by_begin(const void *left, const void *right)
{
    const struct latency_event *a = left;
    const struct latency_event *b = right;

    return a->begin < b->begin ? -1 : a->begin > b->begin;
}

void latency_events_of(struct latency_events *events, const struct interactive *interactive)
{
    *events = (struct latency_events){.begin = interactive->begin};
    events->events = alloc_zeroed(interactive->count * sizeof(*events->events));
    for (size_t i = 0; i < interactive->count; i++) {
        const struct interactive_event *event = &interactive->events[i];
        uint64_t latency;

        if (interactive_response(event, &latency)) {
            events->events[events->count++] = (struct latency_event){
                .begin = (int64_t)(event->done - latency),
                .latency = (int64_t)latency,
                .kind = event->kind,
            };
        } else {
            events->endless += event->came;
        }
    }
    qsort(events->events, events->count, sizeof(*events->events), by_begin);
    events->latencies = alloc_zeroed(events->count * sizeof(*events->latencies));
    for (size_t i = 0; i < events->count; i++) {
        events->latencies[i] = events->events[i].latency;
    }
}

void latency_events_free(struct latency_events *events)
{
    free(events->events);
    free(events->latencies);
}

int64_t latency_threshold(double ms, double ns_per_tick)
{
    const double ticks = ms * 1e6 / ns_per_tick;

    return ticks < 9e18 ? llround(ticks) : INT64_MAX;
}

uint64_t latency_perceptible(double ns_per_tick)
{
    return ns_per_tick > 0 ? (uint64_t)latency_threshold(THRESHOLD_DEFAULT_MS, ns_per_tick)
                           : UINT64_MAX;
}

const struct latency_event *latency_longest(const struct latency_events *events)
{
    const struct latency_event *longest = NULL;

    for (size_t i = 0; i < events->count; i++) {
        if (longest == NULL || events->events[i].latency > longest->latency) {
            longest = &events->events[i];
        }
    }
    return longest;
}
