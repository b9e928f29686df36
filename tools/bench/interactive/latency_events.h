/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The latencies of a bench's input events, for latency.h: the response times, each from the moment
 * when its input was to come (from its arrival, where nothing was planned) to its effect.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "tools/bench/interactive/interactive.h"
#include "tools/bench/interactive/latency.h"

struct latency_events {
    struct latency_event *events; /* by begin */
    int64_t *latencies;           /* of the same, in the same order */
    size_t count;
    size_t endless; /* events that came, and whose effect is not known */
    uint64_t begin; /* TSC, of the traces */
};

void latency_events_of(struct latency_events *events, const struct interactive *interactive);
void latency_events_free(struct latency_events *events);

/* Ticks of a threshold in milliseconds; INT64_MAX where it is longer than that. */
int64_t latency_threshold(double ms, double ns_per_tick);

/* Ticks that a user does not perceive (THRESHOLD_DEFAULT_MS); UINT64_MAX where `ns_per_tick` is 0:
 * not known. */
uint64_t latency_perceptible(double ns_per_tick);

/* The event with the largest latency, the first of equals; NULL where there is none. */
const struct latency_event *latency_longest(const struct latency_events *events);
