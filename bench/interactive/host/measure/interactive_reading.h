/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Declarations shared only by the parts of the analysis of input events:
 *
 *     interactive_read.c      reads the lives of events from the trace, which of them were planned,
 *                             and the application's stamps; runs all steps of the analysis
 *     interactive_measure.c   busy time, the excess of the idle loop's samples and its parts in
 *                             addition to the stamps, counts, phases
 */
#pragma once

#include "bench/interactive/host/measure/arrival.h"
#include "bench/interactive/host/measure/interactive.h"
#include "tools/trace/busy.h"

#define IDLE_STEP 64 /* samples */

/* The idle loop's samples whose place in time is known. */
struct idle_samples {
    const struct run_series *series; /* NULL: there are none */
    uint64_t *starts;                /* TSC of the start of each IDLE_STEP-th sample */
    uint64_t from, to;               /* TSC of the start of the first one and the end of the last */
    size_t n;
    int64_t shortest;
};

struct numbered_event {
    int64_t number;
    size_t index; /* index in interactive.events */
};

/* A thread that takes messages. */
struct taker {
    uint32_t thread;
    bool emits_done; /* the thread records input_done */
    struct taken_event {
        size_t index;
        uint16_t queue;
        bool called; /* the thread has called for another message since */
    } * open;        /* events that the thread took, up to their end and its next call */
    size_t open_count, open_capacity;
};

struct interactive_reading {
    struct interactive *interactive;
    const struct run_bench *bench;
    size_t capacity; /* capacity of interactive->events */

    /* Used while the trace is read. */
    struct arrival_finder arrivals;
    struct numbered_event *numbers; /* the last event of each number, ordered by number */
    size_t number_count, number_capacity;
    struct taker *takers;
    size_t taker_count, taker_capacity;

    struct busy_time busy;
    struct idle_samples idle;
};

/* Defined in interactive_read.c. Before and after the walk over the traces. The
 * first fills in 3 observers; the second makes `interactive` and frees the reading. Call
 * interactive_free() afterwards. */
size_t interactive_seat(struct interactive_reading *reading, const struct run_bench *bench,
                        struct interactive *interactive, struct account_observer *observers);
void interactive_end(struct interactive_reading *reading, const struct accounting *accounting,
                     bool good);

/* Converts a time published by the bench to a TSC. Returns false if it is below 0 or too large. */
bool interactive_place(const struct interactive *interactive, int64_t value, uint64_t *tsc);

/* Defined in interactive_measure.c. Call when the events are ordered by arrival. */

void interactive_measure(struct interactive_reading *reading);
