/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Availability of a processor: how busy it was in each interval of a given length. All time that
 * is neither idle nor unknown counts as busy. (The averages over 1 ms and 10 ms of Endo et al.,
 * OSDI '96, figure 4.)
 */
#pragma once

#include "tools/trace/accounting.h"

#define AVAILABILITY_MAX (1u << 22) /* largest number of intervals */

struct availability_interval {
    uint64_t ticks; /* length of the interval; the last one of a part may be shorter */
    uint64_t busy;
    uint64_t unknown;
};

struct availability {
    uint64_t length; /* length of an interval in ticks */
    size_t cpu;      /* index of the processor; the caller may set it */
    /* intervals of all parts, one after the other; each part begins a new interval */
    struct availability_interval *intervals;
    size_t count;
    size_t capacity;
    bool too_many; /* there were more; only the first AVAILABILITY_MAX are here */
    uint64_t left; /* ticks left in the last interval */
};

/* Prepares intervals of `length` ticks, at least 1. */
void availability_init(struct availability *availability, uint64_t length);
void availability_free(struct availability *availability);

/* Returns the observer to pass to accounting_read(). */
struct account_observer availability_observer(struct availability *availability);

/* Returns the busy fraction of the known part of the interval, 0 to 1, or NaN if nothing is known.
 */
double availability_busy(const struct availability_interval *interval);
