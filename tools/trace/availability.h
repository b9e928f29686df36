/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How busy the processor was, interval by interval of any length: all that is neither idle nor
 * unknown. (The averages over 1 ms and 10 ms of Endo et al., OSDI '96, figure 4.)
 */
#pragma once

#include "tools/trace/accounting.h"

#define AVAILABILITY_MAX (1u << 22) /* intervals */

struct availability_interval {
    uint64_t ticks; /* its length: the last of a part may be shorter */
    uint64_t busy;
    uint64_t unknown;
};

struct availability {
    uint64_t length;                         /* ticks */
    struct availability_interval *intervals; /* of each part one behind the other, from its begin */
    size_t count;
    size_t capacity;
    bool too_many; /* those that are there are the first AVAILABILITY_MAX */
    uint64_t left; /* of the last interval */
};

/* Intervals of `length` ticks, at least 1. */
void availability_init(struct availability *availability, uint64_t length);
void availability_free(struct availability *availability);

/* For accounting_read(). */
struct account_observer availability_observer(struct availability *availability);

/* Busy part of what is known of it, 0 to 1; NaN where nothing is. */
double availability_busy(const struct availability_interval *interval);
