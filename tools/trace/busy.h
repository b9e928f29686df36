/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * When the processor of a bench's traces was busy: all of them at once, to be asked for any stretch
 * of time, where reconcile.h goes from one sample of the idle loop to the next.
 *
 * A busy episode is the longest stretch without idle time. Time without known events
 * (gaps, between two parts, before the first, behind the last) is neither busy nor idle.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/trace/accounting.h"

/* An episode, or an unknown stretch. */
struct busy_stretch {
    uint64_t from, to; /* TSC */
    bool unknown;
    uint64_t busy_before; /* ticks, of all stretches before it */
    uint64_t unknown_before;
};

struct busy_time {
    struct busy_stretch *stretches; /* in order, none overlapping */
    size_t count, capacity;
    bool begun;
    uint64_t begin, end; /* TSC: what has been read of the traces */
};

/* Begins as zeroes; memory for each episode. For accounting_read(). */
struct account_observer busy_observer(struct busy_time *busy);
void busy_free(struct busy_time *busy);

/* Busy ticks from `from` to `to`; false where some of the time is unknown. */
bool busy_between(const struct busy_time *busy, uint64_t from, uint64_t to, uint64_t *ticks);

/* The busy episode that holds `at`; false where it is idle or unknown then. */
bool busy_episode(const struct busy_time *busy, uint64_t at, uint64_t *from, uint64_t *to);
