/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What must not change while a run goes on: the kind of time, the ticks that an instruction takes,
 * and the rate of the TSC by each clock, in which the agreement of the clocks is included.
 *
 * A reading of a clock lies between two readings of the TSC. Two readings bound the rate of the TSC
 * by this clock from both sides, whatever took the processor away meanwhile: a disturbance widens
 * the bounds and never makes them wrong. In exact time the rate is constant, so that the bounds of
 * all readings must share a value: they narrow as the run goes on. In real time they must touch the
 * rate of the boot within INVARIANT_PPM.
 *
 * This half touches no hardware; kernel/clock/proof.h reads the clocks. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define INVARIANT_PPM 1000 /* in real time: of the rate, as clocks must agree (verdict.h) */

/* A clock's count, and the TSC right before and right behind it. */
struct clock_reading {
    uint64_t before;
    uint64_t after;
    uint64_t count;
};

/* What is known of the TSC's rate by one clock. */
struct rate_bounds {
    uint64_t low_hz;
    uint64_t high_hz;
};

/* A clock: its rate, where its count wraps, and how far it may go at once. */
struct counted_clock {
    uint64_t hz;
    uint64_t mask;
    uint64_t step; /* counts; at least 1 */
};

enum invariant_answer {
    INVARIANT_HOLDS,
    INVARIANT_CHANGED,
    INVARIANT_UNKNOWN, /* the clock may have wrapped either way: the span is too long */
    INVARIANT_STANDS,  /* the clock did not count */
    INVARIANT_BACK,    /* the TSC went back */
};

/* The rate by an estimate, INVARIANT_PPM to both sides. */
struct rate_bounds invariant_around(uint64_t hz);

/* Does the clock keep the known rate from one reading to the next? `seen` are the bounds of this
 * span alone, those nearest to the known rate where the clock wraps; set where it holds or has
 * changed. */
enum invariant_answer invariant_judge(const struct counted_clock *clock,
                                      const struct clock_reading *from,
                                      const struct clock_reading *to,
                                      const struct rate_bounds *known, struct rate_bounds *seen);

/* What both bounds permit; they touch. */
struct rate_bounds invariant_narrow(const struct rate_bounds *a, const struct rate_bounds *b);
