/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inputs under way: those that have arrived (arrival.h), and whose message is in no queue yet. That
 * is the time of the interrupt's handler and of the driver, in which the user waits already.
 *
 * An input is under way from its arrival to the post of its message; where no post of it follows,
 * to the event `input` that reports it. Those without a number, whose message no queue could name,
 * are left out, and so are those of a damaged log whose bytes were read outside the trace or after
 * that event.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/interactive/host/measure/arrival.h"

#define UNDERWAY_OPEN 256 /* a power of 2: inputs whose post is looked for, the latest */

struct underway_input {
    uint64_t from, to; /* TSC */
    uint32_t number;
    bool posted;
};

/* All zeroes at first. */
struct underway {
    struct arrival_finder finder;
    uint64_t begin; /* TSC, of the trace's first part */
    bool begun;
    struct underway_input *inputs;
    size_t count, capacity;
    /* Once they are all known: when one begins to be under way, and when one no longer is, by
     * time; and how many of each have passed. */
    uint64_t *from, *to;
    size_t passed_from, passed_to;
};

/* As an observer of a bench's traces, once. */
void underway_part(struct underway *underway, const struct run_trace *trace);
void underway_unknown(struct underway *underway);
void underway_event(struct underway *underway, const struct trace_event *event);

/* Behind the traces' end: all are known. */
void underway_end(struct underway *underway);
/* Then: is any under way at `tsc`? From one call to the next no earlier. */
bool underway_at(struct underway *underway, uint64_t tsc);
/* When the next one after that begins or ends; UINT64_MAX: none. */
uint64_t underway_next(const struct underway *underway);

/* One that is all zeroes is let pass. */
void underway_free(struct underway *underway);
