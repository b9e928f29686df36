/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The worst of many events, in bounded memory: of any number of events that come one after the
 * other, each with a length and a time,
 *
 *     - their number, the sum of their lengths, and the greatest length with its time: exact, but
 *       that a sum which does not fit is INT64_MAX;
 *     - the first `first` of them;
 *     - the `largest` longest of all that came behind these. So what is kept holds the `largest`
 *       longest of all. Of equal lengths the earlier is kept;
 *     - number and sum of the rest, which was not kept: exact.
 *
 * What else is known of an event stays with its keeper, in arrays of first + largest slots:
 * worst_take() names the slot. Pure. An event costs log2(largest) steps at most.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* No slot: the event is not kept. */
#define WORST_NONE SIZE_MAX

struct worst_event {
    int64_t length;
    int64_t time;
    size_t slot;
};

struct worst {
    size_t first;               /* slots 0 to first - 1, in the order of time */
    size_t largest;             /* the slots behind these, in any order */
    struct worst_event *events; /* [largest] */
    size_t first_count;
    size_t largest_count; /* of `events` */
    uint64_t count;       /* all */
    int64_t sum;
    int64_t max, max_time; /* 0, 0 where count is 0; of equal ones the earliest */
    uint64_t rest;         /* not kept: count - first_count - largest_count */
    int64_t rest_sum;
};

/* `events` has room for `largest`, which may be 0, as `first` may. */
void worst_init(struct worst *worst, size_t first, struct worst_event *events, size_t largest);

/* Takes an event, no earlier than those before it, of a length of 0 or more. Returns its slot,
 * whose event before it, if there was one, is not kept any more; or WORST_NONE. */
size_t worst_take(struct worst *worst, int64_t length, int64_t time);

/* Sorts events[0..largest_count) by time. Nothing is taken afterwards. */
void worst_sort(struct worst *worst);

/*
 * Min, median and max of samples, without memory for a copy. Pure.
 */

struct spread {
    int64_t min;
    int64_t median; /* of an even number the lower of the two in the middle */
    int64_t max;
};

/* Of `count` > 0 samples in any order. Looks at all of them once, and for the median once more for
 * each bit of the difference between max and min. */
void spread_of(const int64_t *samples, size_t count, struct spread *spread);
