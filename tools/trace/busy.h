/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Busy times of a bench's processors, from its traces. All of them are kept, so that any interval
 * of time can be looked up, whereas reconcile.h goes from one sample of the idle loop to the next.
 *
 * A busy episode is a maximal interval without idle time. Time without known events (gaps, between
 * two parts, before the first, after the last) is neither busy nor idle.
 *
 * With several processors, it is idle if all of them are, and unknown if one of them is. Where only
 * some have a trace, at the start and the end of a part, these count.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/trace/accounting.h"

/* A busy episode, or an interval of unknown time. */
struct busy_stretch {
    uint64_t from, to; /* TSC */
    bool unknown;
    uint64_t busy_before; /* busy ticks, and below unknown ticks, in all intervals before it */
    uint64_t unknown_before;
};

struct busy_time {
    struct busy_stretch *stretches; /* in order, not overlapping */
    size_t count, capacity;
    bool begun;
    uint64_t begin, end; /* range of TSC values that has been read from the traces */
    uint64_t floor;      /* `end` when the part began */
};

/* Returns the observer to pass to accounting_read(). `busy` must be zeroed. Needs memory for each
 * episode. */
struct account_observer busy_observer(struct busy_time *busy);
void busy_free(struct busy_time *busy);

/* Stores the busy ticks from `from` to `to`. Returns false if some of that time is unknown. */
bool busy_between(const struct busy_time *busy, uint64_t from, uint64_t to, uint64_t *ticks);

/* Finds the busy episode that contains `at`. Returns false if the processor is idle or unknown
 * then. */
bool busy_episode(const struct busy_time *busy, uint64_t at, uint64_t *from, uint64_t *to);
