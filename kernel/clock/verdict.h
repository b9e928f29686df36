/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decides which estimate of the TSC's rate to trust, and whether clocks keep their rate during a
 * run.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Largest difference of two estimates that count as agreeing. 0.1 % is far above the difference of
 * any two working clocks (crystals: 0.01 %) and far below any wrong ratio or table entry. */
#define VERDICT_TOLERANCE_PPM 1000

struct rate_estimate {
    const char *reference;
    uint64_t hz;
    /* Largest error from reading uncertainty; 0: the rate is stated, not measured. */
    uint64_t error_ppb;
};

struct rate_verdict {
    bool ok;
    bool alone;    /* fewer than two estimates are measured: if !ok, none contradicts another */
    uint64_t hz;   /* rate of the chosen estimate; if !ok, that of the first one, or 0 */
    size_t chosen; /* index of the chosen estimate; valid if ok */
    /* index of the estimate that supports the chosen one; `chosen` if none is needed */
    size_t second;
    /* largest error of hz in ppb if ok rests on a single clock in real time; otherwise 0 */
    uint64_t bound_ppb;
    const char *reason;
};

/* Largest error of the crystal of a PM timer, whose rate the ACPI specification fixes: crystals of
 * 14.31818 MHz are sold with 100 ppm, and temperature and age add as much again. */
#define VERDICT_PM_TIMER_PPM 200

/* Returns the difference of two rates in parts per million of the smaller, rounded up, or
 * UINT64_MAX if the smaller is 0 or the result does not fit. */
uint64_t rate_difference_ppm(uint64_t a, uint64_t b);

/* Judges estimates, which must be in order of preference. Chooses the first one that another
 * supports; at least one of the two must be measured. A statement can support a measured estimate,
 * but never contradicts it. A PM timer that is the only measured estimate needs no other, because
 * its rate is fixed; `bound_ppb` then states how far it may be off. */
struct rate_verdict rate_judge(const struct rate_estimate *estimates, size_t count);
/* As rate_judge(), if the TSC counts instructions: their ticks are already verified, so one
 * measured clock needs no other. */
struct rate_verdict rate_judge_exact(const struct rate_estimate *estimates, size_t count);

/*
 * What must not change during a run: the time base, the ticks of an instruction, and the rate of
 * the TSC by each clock, which includes the agreement of the clocks.
 *
 * A reading of a clock lies between two readings of the TSC. Two such readings bound the rate of
 * the TSC by this clock from both sides, whatever interrupted the processor meanwhile: a
 * disturbance widens the bounds and never makes them wrong. In exact time the rate is constant, so
 * the bounds of all readings must have a value in common; they become narrower during the run. In
 * real time they must overlap the rate of the boot within INVARIANT_PPM.
 *
 * This part does not access hardware; clock.c reads the clocks.
 */

/* Largest accepted deviation from the rate measured at boot, in real time. It equals the tolerance
 * between two clocks. */
#define INVARIANT_PPM 1000

/* A clock's count, and the TSC immediately before and after reading it. */
struct clock_reading {
    uint64_t before;
    uint64_t after;
    uint64_t count;
};

/* The known bounds of the TSC's rate by one clock. */
struct rate_bounds {
    uint64_t low_hz;
    uint64_t high_hz;
};

/* A clock: its rate, its largest count, and by how many counts it may advance at once. */
struct counted_clock {
    uint64_t hz;
    uint64_t mask;
    uint64_t step; /* number of counts by which the clock may advance at once, at least 1 */
};

enum invariant_answer {
    INVARIANT_HOLDS,
    INVARIANT_CHANGED,
    INVARIANT_UNKNOWN, /* the span is so long that it is not known how often the clock wrapped */
    INVARIANT_STANDS,  /* the clock did not count */
    INVARIANT_BACK,    /* the TSC went back */
};

/* Returns the rate of an estimate with INVARIANT_PPM on both sides. */
struct rate_bounds invariant_around(uint64_t hz);

/* Judges whether the clock keeps the known rate from one reading to the next. Sets *seen, if it
 * does or if it has changed, to the bounds from this span alone; if the clock wraps, to those
 * nearest to the known rate. */
enum invariant_answer invariant_judge(const struct counted_clock *clock,
                                      const struct clock_reading *from,
                                      const struct clock_reading *to,
                                      const struct rate_bounds *known, struct rate_bounds *seen);

/* Returns the values that both bounds permit; they must overlap. */
struct rate_bounds invariant_narrow(const struct rate_bounds *a, const struct rate_bounds *b);
