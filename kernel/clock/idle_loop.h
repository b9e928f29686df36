/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The calibrated idle loop (Endo et al., OSDI '96, section 2.3): the same work over and over, with
 * a timestamp after each sample. A sample that takes longer than the others contains other work.
 *
 *     for each sample: N times { decrement, branch }; timestamp
 *
 * Samples are contiguous: a timestamp ends one sample and begins the next, so there is no dead
 * time.
 *
 * If events are counted, a row of counters (kernel/pmu/reader.h) is read instead of the timestamp.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/scale.h"

/* Runs `count` samples of `inner` iterations (both at least 1). Row 0 is read at the start, and row
 * i at the end of sample i, so `rows` must hold count + 1 rows of reader_row_words() each. The
 * first word of each row is the TSC; if nothing is counted, it is the only one. */
void idle_loop_run(int64_t *rows, size_t count, uint64_t inner);

/* Runs only the inner loop: work of known length. `iterations` must be at least 1. */
void idle_loop_spin(uint64_t iterations);

struct idle_calibration {
    uint64_t inner; /* iterations in a sample */
    /* The shortest of several samples with that many iterations, in TSC ticks. */
    uint64_t sample_ticks;
    /* Ticks of an iteration in millionths, rounded to nearest: on silicon an iteration takes about
     * a tick, so thousandths would be too coarse. */
    uint64_t iteration_microtick;
};

#define IDLE_LOOP_MICRO 1000000

/* These convert between ticks and iterations, rounding down. */
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

/* Finds how many iterations make a sample of `target_ticks`. The cost of an iteration is what n
 * iterations take more than n/2, in the sampling loop itself, using the shortest of several samples
 * of each. Then runs samples of the length found and compares. Call with interrupts off. Returns
 * false if they repeatedly miss the target by more than 5 %: something takes time permanently, or
 * the clock does not keep pace with the loop. */
bool idle_loop_calibrate(uint64_t target_ticks, struct idle_calibration *calibration);
