/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/run/worst.h"

#include <stdbool.h>

/* Order of a heap: true if `a` must be nearer to the top than `b`. */
typedef bool sooner(const struct worst_event *a, const struct worst_event *b);

/* The shorter event leaves first; of equal ones the later. */
static bool leaves_first(const struct worst_event *a, const struct worst_event *b)
{
    return a->length != b->length ? a->length < b->length : a->time > b->time;
}

static bool is_later(const struct worst_event *a, const struct worst_event *b)
{
    return a->time > b->time;
}

static void swap(struct worst_event *a, struct worst_event *b)
{
    const struct worst_event kept = *a;

    *a = *b;
    *b = kept;
}

static void sift_up(struct worst_event *heap, size_t at, sooner *before)
{
    while (at > 0 && before(&heap[at], &heap[(at - 1) / 2])) {
        swap(&heap[at], &heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static void sift_down(struct worst_event *heap, size_t count, size_t at, sooner *before)
{
    for (;;) {
        size_t top = at;

        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < count; child++) {
            top = before(&heap[child], &heap[top]) ? child : top;
        }
        if (top == at) {
            return;
        }
        swap(&heap[at], &heap[top]);
        at = top;
    }
}

void worst_init(struct worst *worst, size_t first, struct worst_event *events, size_t largest)
{
    *worst = (struct worst){.first = first, .largest = largest, .events = events};
}

static void add(int64_t *sum, int64_t length)
{
    if (__builtin_add_overflow(*sum, length, sum)) {
        *sum = INT64_MAX;
    }
}

static void leave_out(struct worst *worst, int64_t length)
{
    worst->rest++;
    add(&worst->rest_sum, length);
}

/* Takes a later event: keeps it if it is among the longest. Returns its slot, or WORST_NONE. */
static size_t take_later(struct worst *worst, int64_t length, int64_t time)
{
    struct worst_event *heap = worst->events;
    struct worst_event event = {length, time, worst->first + worst->largest_count};

    if (worst->largest_count < worst->largest) {
        heap[worst->largest_count] = event;
        sift_up(heap, worst->largest_count++, leaves_first);
        return event.slot;
    }
    if (worst->largest == 0 || length <= heap[0].length) {
        leave_out(worst, length);
        return WORST_NONE;
    }
    leave_out(worst, heap[0].length);
    event.slot = heap[0].slot;
    heap[0] = event;
    sift_down(heap, worst->largest, 0, leaves_first);
    return event.slot;
}

size_t worst_take(struct worst *worst, int64_t length, int64_t time)
{
    if (worst->count == 0 || length > worst->max) {
        worst->max = length;
        worst->max_time = time;
    }
    worst->count++;
    add(&worst->sum, length);
    return worst->first_count < worst->first ? worst->first_count++
                                             : take_later(worst, length, time);
}

/* Heap sort: with the latest event at the top, moves the top to the end repeatedly. */
void worst_sort(struct worst *worst)
{
    struct worst_event *events = worst->events;

    for (size_t at = worst->largest_count / 2; at-- > 0;) {
        sift_down(events, worst->largest_count, at, is_later);
    }
    for (size_t count = worst->largest_count; count > 1; count--) {
        swap(&events[0], &events[count - 1]);
        sift_down(events, count - 1, 0, is_later);
    }
}

static size_t count_up_to(const int64_t *samples, size_t count, int64_t limit)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++) {
        found += samples[i] <= limit ? 1 : 0;
    }
    return found;
}

void spread_of(const int64_t *samples, size_t count, struct spread *spread)
{
    int64_t min = samples[0];
    int64_t max = samples[0];

    for (size_t i = 1; i < count; i++) {
        min = samples[i] < min ? samples[i] : min;
        max = samples[i] > max ? samples[i] : max;
    }
    spread->min = min;
    spread->max = max;

    /* Find the smallest value that at least half of the samples do not exceed: a sample. */
    while (min < max) {
        const int64_t middle = min + (int64_t)(((uint64_t)max - (uint64_t)min) / 2);

        if (count_up_to(samples, count, middle) >= (count + 1) / 2) {
            max = middle;
        } else {
            min = middle + 1;
        }
    }
    spread->median = min;
}
