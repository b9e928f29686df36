/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which estimate of the TSC's rate to believe.
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
