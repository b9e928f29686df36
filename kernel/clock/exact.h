/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tells whether the TSC counts instructions instead of time, and whether only this program's.
 *
 * With QEMU's -icount shift=N the TSC advances by exactly 2^N for each instruction; with Bochs by
 * 1. Loops of known instruction counts, with and without no-operations, show it: all durations fit
 * the same power of two. On silicon they cannot, because no-operations cost almost nothing.
 *
 * Below a hypervisor or an operating system in such an emulator, the TSC counts their instructions,
 * too. They interrupt some tries, so each loop is short, is tried several times, and has its least
 * duration in most tries. Whether others execute instructions is known by a longer try, or by CPUID
 * taking more than one instruction: a hypervisor must intercept it on Intel processors (SDM volume
 * 3, Instructions That Cause VM Exits Unconditionally), and all do on AMD's.
 *
 * Uses no hardware but RDTSC and CPUID: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct exact_time {
    uint32_t ticks; /* ticks of an instruction, a power of two; 0: the TSC counts time */
    bool shared;    /* the TSC counts instructions of others, too; false if `ticks` is 0 */
};

/* Returns the ticks that N iterations of a loop take (known_loop.h). */
typedef uint64_t exact_loop(uint64_t iterations);

/* Judges a machine by its loops: known_loop_short(), known_loop_long(), known_loop_cpuid(). */
struct exact_time exact_time_of(exact_loop *brief, exact_loop *extended, exact_loop *cpuid);
/* Judges the machine that executes this. An interrupt by an operating system makes it shared. */
struct exact_time exact_time(void);

#define EXACT_CHANGED_MAX 96

/* Returns whether the time base is still what it was. If not, writes what changed, "NAME: OLD ->
 * NEW"; otherwise "". A shared one stays shared even if no try is interrupted. */
bool exact_time_holds(struct exact_time was, struct exact_time is, char changed[EXACT_CHANGED_MAX]);

/* Returns the name of the time base, TIME_EXACT or TIME_EXACT_SHARED, or NULL if it is neither. */
const char *exact_time_name(struct exact_time time);
