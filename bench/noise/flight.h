/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stop on threshold (noise.stop_us of the plan): the first gap beyond it, on whatever processor,
 * ends the watch on all of them, and the flight recorder has what each read before.
 *
 * The recorder is a ring of the last readings of one processor, each the ticks from the one before;
 * a negative one is time in which nothing was seen: a gap was written down, or no round was on. It
 * costs instructions in each pass of the loop, and so has a separate loop (gap_watch.c): without
 * noise.stop_us nothing is recorded.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench_run;

#define FLIGHT_READINGS 65536u /* a power of two: a millisecond or more at 15 ns a reading */

/* Of all processors of a watch; each looks at it once in a pass. */
struct flight_stop {
    volatile uint64_t stopped; /* 1: the watch ends */
    size_t index;              /* of the team: whose gap was the first; then it never changes */
    uint64_t at;               /* where the gap began, by that processor's TSC */
    uint64_t length;
};

struct flight {
    int64_t *ring; /* NULL: nothing is recorded */
    uint64_t count;
};

/* False: no memory. */
bool flight_take_memory(struct flight *flight);

static inline __attribute__((always_inline)) void flight_add(struct flight *flight, int64_t ticks)
{
    flight->ring[flight->count++ % FLIGHT_READINGS] = ticks;
}

/* A gap beyond the threshold. On any processor; the first counts. */
void flight_stop(struct flight_stop *stop, size_t index, uint64_t at, uint64_t length);

/* Sends who stopped, where, by ticks behind `origin` of that processor's TSC, and for how long;
 * returns the ticks. `number` is of the processor. */
uint64_t flight_publish_stop(const struct bench_run *run, const struct flight_stop *stop,
                             size_t number, uint64_t origin);

/* Brings the ring into the order of time; how many readings it has, from its start on. Once. */
size_t flight_sort(struct flight *flight);
