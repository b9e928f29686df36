/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Stop on threshold (noise.stop_us of the plan). The first gap longer than the threshold, on any
 * processor, ends the watch on all processors, and the flight recorder of each holds its readings
 * before that.
 *
 * The recorder is a ring of one processor's last readings, each as ticks since the previous one. A
 * negative value is time in which nothing was watched: a gap was being written down, or it was
 * between two rounds. Recording takes instructions in each pass and therefore has a separate loop
 * (gap_watch.c). Without noise.stop_us nothing is recorded.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bench_run;

#define FLIGHT_READINGS 65536u /* a power of two; about 1 ms at 15 ns a reading */

/* Shared by all processors of a watch; each reads it once a pass. */
struct flight_stop {
    volatile uint64_t stopped; /* 1: the watch must end */
    /* team index of the processor that stopped the watch; never changes once set */
    size_t index;
    uint64_t at; /* when the gap began, by that processor's TSC */
    uint64_t length;
};

struct flight {
    int64_t *ring; /* the last FLIGHT_READINGS readings of a processor; NULL: nothing is recorded */
    uint64_t count;
};

/* Takes memory for the ring. Returns false if there is not enough. */
bool flight_take_memory(struct flight *flight);

static inline __attribute__((always_inline)) void flight_add(struct flight *flight, int64_t ticks)
{
    flight->ring[flight->count++ % FLIGHT_READINGS] = ticks;
}

/* Reports a gap beyond the threshold and stops the watch. May be called on any processor at any
 * time; only the first call counts. */
void flight_stop(struct flight_stop *stop, size_t index, uint64_t at, uint64_t length);

/* Publishes which processor stopped the watch, when (ticks after `origin` by that processor's TSC),
 * and the gap's length. `number` is the number of that processor. Returns these ticks. */
uint64_t flight_publish_stop(const struct bench_run *run, const struct flight_stop *stop,
                             size_t number, uint64_t origin);

/* Sorts the ring into the order of time and returns the number of readings, which then begin at the
 * ring's start. Call only once. */
size_t flight_sort(struct flight *flight);
