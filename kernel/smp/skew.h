/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How far the TSC of another processor is from the caller's: the other's, read between two readings
 * of ours, less the middle of the two. It cannot be off by more than half of what lies between
 * them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Waiting for another processor by looking at memory, which ends after so many looks: the clock may
 * be what is in doubt.
 */

/* So many PAUSEs, and so many looks before each. */
struct patience {
    uint64_t looks;
    uint64_t pauses;
};

/* Waits until *word is `value`; false: it takes too long. */
bool patience_wait(const volatile uint64_t *word, uint64_t value, struct patience patience);

struct skew_question {
    volatile uint64_t ask;
    volatile uint64_t answer;
    volatile uint64_t stamp;
    uint64_t count; /* so many times */
    struct patience patience;
};

/* Interrupts off. In ticks, `count` of each: skew[i] is right to within bound[i]. False: the
 * processor does not work, has other work, or does not answer; the work ends within `limit` ticks,
 * or it is lost. */
bool skew_ask(size_t number, struct skew_question *question, int64_t *skew, int64_t *bound,
              uint64_t limit);

struct skew {
    int64_t ticks;
    int64_t bound;
};

/* The best known of some tens of questions; and that with another patience and limit than usual:
 * where instructions are counted, looks that are waited out in vain widen the bound. */
bool skew_measure(size_t number, struct skew *skew);
bool skew_measure_by(size_t number, struct patience patience, uint64_t limit, struct skew *skew);

/* Is it more than so many ticks, for certain? */
bool skew_exceeds(const struct skew *skew, uint64_t ticks);
