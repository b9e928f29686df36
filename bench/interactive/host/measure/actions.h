/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Actions: what a person did at once. A click is one action of two events (down and up), a capital
 * letter one of four. The bench's series `action` and `class` (bench/interactive/names.h) say which
 * events belong together. In runs without these series, a press and the next release of the same
 * key or button are one action, together with the shift, ctrl or alt that was pressed for it, and
 * the class follows from the key.
 *
 * An action begins when its first event was due, or when it arrived if nothing was planned. It ends
 * when the last of its events whose effect is known has had that effect. The time from the end of
 * one event to the arrival of the next (while a finger holds a button) belongs to no event, and is
 * not part of the action's `service`, `idle` or `response`: its latency is the sum over its events.
 * If an event ends after the next one arrived, they overlap, and that time counts once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/interactive/host/measure/interactive.h"
#include "bench/interactive/host/measure/thresholds.h"
#include "tools/trace/disk_requests.h"

#define ACTION_NONE SIZE_MAX

struct action {
    size_t first;    /* index of its first event in interactive.events */
    uint32_t events; /* number of events that came; events of other actions may lie between them */
    unsigned class;  /* index into actions.classes */
    const struct interactive_phase *phase; /* NULL: none */
    bool cold;                             /* the caches were emptied before its first event */
    bool known[MEASURES];
    bool has_disk;
    /* TSC when the first event was due, or when it arrived if nothing was planned */
    uint64_t begin;
    int64_t latency[MEASURES]; /* ticks */
    uint64_t disk;          /* ticks of its response during which disk requests were outstanding */
    uint64_t disk_requests; /* disk requests issued in that time */
    /* sums over its events, of which time in common counts once; known if those of all events are.
     * interactive.counted_count counts; NULL: none */
    const struct interactive_count *counts;
};

struct actions {
    struct action *actions; /* ordered by `begin` */
    size_t count;
    const char **classes; /* names */
    size_t class_count;
    struct interactive_count *counts; /* counts of all actions */
    size_t *of; /* for each event, the index of its action; ACTION_NONE: the event never came */
};

/* Makes the bench's actions. `interactive` must outlive them. `requests` are those of its traces,
 * by disk_requests_end(). Call actions_free(). */
void actions_of(struct actions *actions, const struct interactive *interactive,
                const struct run_bench *bench, const struct disk_requests *requests);
void actions_free(struct actions *actions);
