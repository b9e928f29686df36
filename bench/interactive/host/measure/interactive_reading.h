/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What only the parts of the analysis of input events share:
 *
 *     interactive_read.c      reads the lives of events from the trace, which of them were planned,
 *                             and the application's stamps; goes through the steps
 *     interactive_measure.c   busy time, the idle loop's figure and its parts beside the stamps,
 *                             counts, phases
 */
#pragma once

#include "bench/interactive/host/measure/arrival.h"
#include "bench/interactive/host/measure/interactive.h"
#include "tools/trace/busy.h"

/* Where the idle loop's samples lie, as far as their places are known. */
struct idle_samples {
    const struct run_series *series; /* NULL: there are none */
    uint64_t *bounds;                /* TSC: sample i is from bounds[i] to bounds[i + 1] */
    size_t n;
    int64_t shortest;
};

struct numbered_event {
    int64_t number;
    size_t index; /* in interactive.events */
};

/* A thread that takes messages. */
struct taker {
    uint32_t thread;
    bool emits_done; /* there is an input_done by it */
    struct taken_event {
        size_t index;
        uint16_t queue;
        bool called; /* since, for another message */
        uint64_t call;
    } * open; /* that it took and that have not come to their end */
    size_t open_count, open_capacity;
};

struct interactive_reading {
    struct interactive *interactive;
    const struct run_bench *bench;
    size_t capacity; /* of interactive->events */

    /* While the trace is read. */
    struct arrival_finder arrivals;
    struct numbered_event *numbers; /* the last event of each number, by number */
    size_t number_count, number_capacity;
    struct taker *takers;
    size_t taker_count, taker_capacity;

    struct busy_time busy;
    struct idle_samples idle;
};

/* interactive_read.c */

/* TSC of a time of the bench's; false where that is before 0 or too large. */
bool interactive_place(const struct interactive *interactive, int64_t value, uint64_t *tsc);

/* interactive_measure.c: with the events by arrival */

void interactive_measure(struct interactive_reading *reading);

/* Reads the traces once more. False where their bytes could not be read. */
bool interactive_explain(struct interactive_reading *reading);
