/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A thief: an interrupt that takes the processor for a known time and does nothing else, so that
 * what detectors of gaps find can be held against it. Its handler is as short as can be, to steal
 * less than a detector sees, too: a stamp, a counted spin, the acknowledgement.
 *
 * Its whole length is measured from outside, by raising the same vector with INT between two
 * stamps. In exact time that is the number of its instructions, of which delivery is none. On
 * silicon INT takes a little less or more than the delivery of an interrupt.
 *
 * One at a time, on the processor that the kernel runs on; interrupts are off except where it
 * works.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/irq/lapic.h"

/* The timer's. Another processor may send it, too: the handler is the same. */
#define THIEF_VECTOR LAPIC_VECTOR_TIMER

/* From now on each interrupt of THIEF_VECTOR spins `iterations` (at least 1), and the TSC of its
 * fourth instruction goes to `stamps`, of at most `capacity`; those behind are not stamped. */
void thief_begin(uint64_t iterations, uint64_t *stamps, size_t capacity);

/* Ends it. Returns how many were stamped. */
size_t thief_end(void);

/* What an interrupt of so many iterations steals, in ticks, and of it what lies behind its stamp:
 * the least of several. Between thief_end() and thief_begin(). */
struct thief_length {
    uint64_t whole;
    uint64_t behind;
};
struct thief_length thief_measure(uint64_t iterations);
