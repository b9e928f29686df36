/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calibrated idle loop (Endo et al., OSDI '96, section 2.3): fixed work over and over, a time
 * stamp after each. A sample that takes longer than the others contains work that was not ours.
 *
 *     for each sample: N times { decrement, branch }; stamp
 *
 * Samples are contiguous: a stamp ends one and begins the next, so there is no dead time.
 *
 * Where events are counted, a row of counters (kernel/pmu/reader.h) takes the place of the stamp.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/scale.h"

/* Runs `count` samples of `inner` iterations (both at least 1). Row 0 is read at the start, row i
 * at the end of sample i, so `rows` holds count + 1 of them, of reader_row_words() each; the first
 * word of each is the TSC, and where nothing is counted the only one. */
void idle_loop_run(int64_t *rows, size_t count, uint64_t inner);

/* The same inner loop alone: work of known length. `iterations` at least 1. */
void idle_loop_spin(uint64_t iterations);

struct idle_calibration {
    uint64_t inner;               /* iterations a sample */
    uint64_t sample_ticks;        /* shortest of several samples of that many, in TSC ticks */
    uint64_t iteration_microtick; /* millionths of a tick one iteration takes, to the nearest: on
                                     silicon it is about a tick, and thousandths would be coarse */
};

#define IDLE_LOOP_MICRO 1000000

/* How many iterations take so long, and how long so many take, in ticks; rounded down. */
static inline uint64_t idle_loop_iterations(const struct idle_calibration *calibration,
                                            uint64_t ticks)
{
    return scale_u64(ticks, IDLE_LOOP_MICRO, calibration->iteration_microtick);
}
static inline uint64_t idle_loop_ticks(const struct idle_calibration *calibration,
                                       uint64_t iterations)
{
    return scale_u64(iterations, calibration->iteration_microtick, IDLE_LOOP_MICRO);
}

/* Finds how many iterations make a sample of `target_ticks`: from what n iterations take beyond
 * n/2, by the sampling loop itself, the shortest of several samples each; then runs samples of the
 * length found and compares. Call with interrupts off. False where they miss the target by more
 * than 5 % time and again: something steals time all the time, or the clock does not keep step with
 * the loop. */
bool idle_loop_calibrate(uint64_t target_ticks, struct idle_calibration *calibration);
