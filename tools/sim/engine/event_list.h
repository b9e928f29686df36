/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event list of a simulation: a heap with four branches at each node, for events of any kind. Each
 * event has a slot, a number whose meaning the caller defines, by which it can be postponed or
 * advanced. Events at the same time come in the order in which they were set.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "tools/base/alloc.h"

#define EVENT_SLOT_BITS 21 /* slots are below 2^21, so that 2^43 events can be set in all */

struct pending_event {
    double time;
    uint64_t order; /* number of events set before, with the slot in the low bits */
};

struct event_list {
    struct pending_event *heap;
    uint32_t *position; /* position of each slot in the heap */
    size_t count;
    size_t slots; /* number of slots that there is space for */
    uint64_t set; /* number of events set so far */
};

/* Makes space for `slots` slots, keeping those that exist. */
static inline void event_list_grow(struct event_list *list, size_t slots)
{
    size_t heap_slots = list->slots;
    size_t position_slots = list->slots;

    list->heap = alloc_grow(list->heap, &heap_slots, slots, sizeof(*list->heap));
    list->position = alloc_grow(list->position, &position_slots, slots, sizeof(*list->position));
    list->slots = heap_slots;
}

static inline void event_list_free(struct event_list *list)
{
    free(list->heap);
    free(list->position);
    *list = (struct event_list){0};
}

static inline bool event_sooner(const struct pending_event *a, const struct pending_event *b)
{
    return a->time < b->time || (a->time == b->time && a->order < b->order);
}

static inline uint32_t event_slot(const struct pending_event *event)
{
    return (uint32_t)(event->order & ((1U << EVENT_SLOT_BITS) - 1));
}

static inline void event_list_put(struct event_list *list, size_t at, struct pending_event event)
{
    list->heap[at] = event;
    list->position[event_slot(&event)] = (uint32_t)at;
}

/* Returns the soonest of the sibling nodes that begin at `first`. */
static inline size_t event_list_soonest(const struct event_list *list, size_t first)
{
    const size_t end = first + 4 < list->count ? first + 4 : list->count;
    size_t soonest = first;

    for (size_t i = first + 1; i < end; i++) {
        soonest = event_sooner(&list->heap[i], &list->heap[soonest]) ? i : soonest;
    }
    return soonest;
}

static inline void event_list_sink(struct event_list *list, size_t at, struct pending_event event)
{
    for (size_t first = 4 * at + 1; first < list->count; first = 4 * at + 1) {
        const size_t child = event_list_soonest(list, first);

        if (!event_sooner(&list->heap[child], &event)) {
            break;
        }
        event_list_put(list, at, list->heap[child]);
        at = child;
    }
    event_list_put(list, at, event);
}

/* Moves an event from node `at` up or down to the node where the heap is in order again. */
static inline void event_list_settle(struct event_list *list, size_t at, struct pending_event event)
{
    if (at == 0 || !event_sooner(&event, &list->heap[(at - 1) / 4])) {
        event_list_sink(list, at, event);
        return;
    }
    do {
        event_list_put(list, at, list->heap[(at - 1) / 4]);
        at = (at - 1) / 4;
    } while (at != 0 && event_sooner(&event, &list->heap[(at - 1) / 4]));
    event_list_put(list, at, event);
}

static inline struct pending_event event_list_new(struct event_list *list, uint32_t slot,
                                                  double time)
{
    return (struct pending_event){time, list->set++ << EVENT_SLOT_BITS | slot};
}

/* Adds a slot that is not in the list. */
static inline void event_list_add(struct event_list *list, uint32_t slot, double time)
{
    event_list_settle(list, list->count++, event_list_new(list, slot, time));
}

/* Sets a slot that is in the list; INFINITY: no event until it is set again. */
static inline void event_list_set(struct event_list *list, uint32_t slot, double time)
{
    event_list_settle(list, list->position[slot], event_list_new(list, slot, time));
}

/* Removes the next event, which must exist. */
static inline void event_list_drop_first(struct event_list *list)
{
    const struct pending_event last = list->heap[--list->count];

    if (list->count != 0) {
        event_list_sink(list, 0, last);
    }
}
