/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which estimate of the TSC's rate to believe, and whether clocks keep the rate while a run goes
 * on.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two independent estimates must agree within this. 0.1 % is far above what any working pair
 * differs by (crystals: 0.01 %) and far below any mistake of a ratio or a table. */
#define VERDICT_TOLERANCE_PPM 1000

struct rate_estimate {
    const char *reference;
    uint64_t hz;
    uint64_t error_ppb; /* bound by reading uncertainty; 0: stated, not measured */
};

struct rate_verdict {
    bool ok;
    bool alone;    /* there are fewer than two estimates: where !ok, none contradicts another */
    uint64_t hz;   /* of the chosen estimate; where !ok of the first there is, or 0 */
    size_t chosen; /* indices; valid where ok */
    size_t second; /* the same as `chosen` where that needs no other */
    uint64_t
        bound_ppb; /* where ok by one clock alone in real time: how far hz may be off; else 0 */
    const char *reason;
};

/* What the crystal behind a PM timer may be off, whose rate the ACPI specification fixes: parts of
 * 14.31818 MHz are sold within 100 ppm, and temperature and age are as much again. */
#define VERDICT_PM_TIMER_PPM 200

/* Difference of two rates in parts per million of the smaller, rounded up; UINT64_MAX where
 * that is 0 or the result does not fit. */
uint64_t rate_difference_ppm(uint64_t a, uint64_t b);

/* Estimates come best first. The first one that another supports is chosen; of the two one must be
 * measured, where any is. A PM timer that is the only one needs no other: its rate is fixed, and
 * `bound_ppb` states how far it may be off. */
struct rate_verdict rate_judge(const struct rate_estimate *estimates, size_t count);
/* The same where the TSC counts instructions: what it counts is proved by them, and one clock that
 * was measured needs no other. */
struct rate_verdict rate_judge_exact(const struct rate_estimate *estimates, size_t count);

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
 * This half touches no hardware; clock.c reads the clocks.
 */

#define INVARIANT_PPM 1000 /* in real time: of the rate, as clocks must agree */

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
