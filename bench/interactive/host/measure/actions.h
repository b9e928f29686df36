/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Actions: what a person did at once. A click is one action of two events (down and up), a capital
 * letter one of four. The bench's series `action` and `class` (bench/interactive/names.h) report
 * which events belong together; in runs without them a press and the next release of the same key
 * or button are one action, with the shift, ctrl or alt that was pressed for it, and its class
 * follows from the key.
 *
 * An action begins when its first event was to come, or came, and ends when the last of its events
 * whose effect is known has had it. The time between the end of one event and the arrival of the
 * next (a finger that holds a button) belongs to no event, and to the action neither in `service`
 * nor in `idle` nor in `response`: latency is the sum over its events. Where one event's end is
 * behind the arrival of the next, they overlap, and that time counts once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/interactive/host/measure/interactive.h"
#include "bench/interactive/host/measure/thresholds.h"

#define ACTION_NONE SIZE_MAX

struct action {
    size_t first;   /* index of its first event in interactive.events */
    size_t events;  /* how many came; between them may be those of other actions */
    unsigned class; /* an index for actions.classes */
    const struct interactive_phase *phase; /* NULL: of none */
    bool cold;                             /* caches were emptied before its first event */
    uint64_t begin;                        /* TSC; of the first event's intention, or arrival */
    bool known[MEASURES];
    int64_t latency[MEASURES]; /* ticks */
    bool has_disk;
    uint64_t disk;          /* ticks of its response in which requests of a disk were outstanding */
    uint64_t disk_requests; /* that were issued in that time */
};

struct actions {
    struct action *actions; /* by begin */
    size_t count;
    const char **classes; /* names */
    size_t class_count;
    size_t *of; /* by event: index of its action; ACTION_NONE: it never came */
};

/* False where the traces' bytes could not be read, or no memory is left. actions_free() in any
 * case. `interactive` must outlive it. */
bool actions_read(struct actions *actions, const struct interactive *interactive,
                  const struct run_bench *bench);
void actions_free(struct actions *actions);
