/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The worst of many events, in bounded memory. For any number of events in order of time, each with
 * a length, it keeps:
 *
 *     - their number, the sum of their lengths, and the largest length with its time; these are
 *       exact, except that a sum that does not fit becomes INT64_MAX;
 *     - the first `first` events;
 *     - the `largest` longest of all later events, so that the `largest` longest of all events are
 *       among those kept. If two have the same length, the earlier is preferred;
 *     - number and sum of all events that were not kept; these are exact.
 *
 * The caller keeps everything else about an event in arrays of first + largest slots; worst_take()
 * returns the slot. Pure. An event costs at most log2(largest) steps.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Returned instead of a slot if the event is not kept. */
#define WORST_NONE SIZE_MAX

struct worst_event {
    int64_t length;
    int64_t time;
    size_t slot;
};

struct worst {
    size_t first; /* slots 0 to first - 1, in order of time */
    /* Number of slots after these, for the longest of the later events. */
    size_t largest;
    struct worst_event *events; /* array of `largest` elements */
    size_t first_count;
    size_t largest_count; /* number of used elements of `events` */
    uint64_t count;       /* number of all events */
    int64_t sum;
    /* Longest event and its time, 0 if count is 0; of equal ones the earliest. */
    int64_t max, max_time;
    uint64_t rest; /* number of events not kept: count - first_count - largest_count */
    int64_t rest_sum;
};

/* Empties *worst. `events` must have `largest` elements; `first` and `largest` may be 0. */
void worst_init(struct worst *worst, size_t first, struct worst_event *events, size_t largest);

/* Takes an event of length 0 or more that is not earlier than those before it. Returns its slot, or
 * WORST_NONE. If the slot belonged to an earlier event, that one is no longer kept. */
size_t worst_take(struct worst *worst, int64_t length, int64_t time);

/* Sorts events[0..largest_count) by time. No event may be taken afterwards. */
void worst_sort(struct worst *worst);

/*
 * Min, median and max of samples, without memory for a copy. Pure.
 */

struct spread {
    int64_t min;
    int64_t median; /* lower of the two middle ones if the number of samples is even */
    int64_t max;
};

/* Computes the spread of `count` > 0 samples in any order. Reads all of them once, and for the
 * median once more for each bit of the difference between max and min. */
void spread_of(const int64_t *samples, size_t count, struct spread *spread);
