/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures how far the TSC of another processor is from the caller's: the other TSC is read between
 * two readings of the caller's, and compared with their middle. The error is at most half of the
 * time between these two.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Waiting for another processor by polling memory. The wait ends after a number of looks rather
 * than a time, because the clock may be what is in doubt.
 */

/* A limit for polling: the number of PAUSEs, and of looks before each. */
struct patience {
    uint64_t looks;
    uint64_t pauses;
};

/* Waits until *word is `value`. Returns false if that takes too long. */
bool patience_wait(const volatile uint64_t *word, uint64_t value, struct patience patience);

struct skew_question {
    volatile uint64_t ask;
    volatile uint64_t answer;
    volatile uint64_t stamp;
    uint64_t count; /* number of questions */
    struct patience patience;
};

/* Asks the processor `count` times. In ticks, skew[i] is correct to within bound[i]. Call with
 * interrupts off. Returns false if the processor does not work, has other work, or does not answer;
 * if its work does not end within `limit` ticks, it is lost. */
bool skew_ask(size_t number, struct skew_question *question, int64_t *skew, int64_t *bound,
              uint64_t limit);

struct skew {
    int64_t ticks;
    int64_t bound;
};

/* Return the most accurate skew of 32 questions. skew_measure_by() uses a patience and a limit
 * other than the usual ones: in exact time, each look that finds nothing widens the bound. */
bool skew_measure(size_t number, struct skew *skew);
bool skew_measure_by(size_t number, struct patience patience, uint64_t limit, struct skew *skew);

/* Returns whether the skew is certainly more than `ticks`. */
bool skew_exceeds(const struct skew *skew, uint64_t ticks);
