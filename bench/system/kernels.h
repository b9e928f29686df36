/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What benches of the processor time: kernels.S. The same code runs in the image and, built into
 * the host program, on Linux.
 *
 * Each repeats its work `count` times (1 … REPETITIONS_MAX), reads the TSC before and behind
 * (LFENCE; RDTSC; LFENCE), and returns the ticks between. One with twice the count, less one, is
 * the cost of `count`.
 */
#pragma once

#include <stdint.h>

/* Loops that count with 32 bits, as the report's, run twice as many. */
#define REPETITIONS_MAX 1000000000

typedef uint64_t repeated(uint64_t count);

/* DEC, JNZ. All others but loop_memory have the same two around their work. */
repeated loop_register;
/* A loop as a compiler makes it that does not optimise: variable and bound in memory, eight
 * instructions, one of them a jump to the next (the report's own, section 2.4). */
repeated loop_memory;

/* The loop of loop_register and in it a call with so many 32-bit arguments as the ABI passes them:
 * six in registers, the seventh on the stack. Each is loaded from a variable in memory: one
 * instruction, on the stack a second. The function, each loop's own, sets up a frame and returns,
 * as the report's did: PUSH, MOV, POP, RET. A call without arguments is these and CALL. */
#define CALL_ARGUMENTS_MAX 7
extern repeated *const call_register[CALL_ARGUMENTS_MAX + 1] __attribute__((visibility("hidden")));
/* The same with all arguments on the stack. */
extern repeated *const call_stack[CALL_ARGUMENTS_MAX + 1] __attribute__((visibility("hidden")));

/* Clocks, each as it is: no fence but the one named. The one with CPUID asks for leaf 0. */
repeated clock_rdtsc;
repeated clock_rdtscp;
repeated clock_lfence_rdtsc;
repeated clock_mfence_rdtsc;
repeated clock_lfence_rdtsc_lfence;
repeated clock_cpuid_rdtsc;
/* RDPMC of counter `index`, which must not fault. */
uint64_t clock_rdpmc(uint64_t count, uint32_t index);

/* Two reads back to back, one MOV between them that keeps the first: *samples becomes the
 * difference modulo 2^32, `count` (at least 1) times. */
typedef void clock_pairs(int64_t *samples, uint64_t count);

clock_pairs clock_pairs_rdtsc;
clock_pairs clock_pairs_rdtscp;
clock_pairs clock_pairs_lfence_rdtsc_lfence;
void clock_pairs_rdpmc(int64_t *samples, uint64_t count, uint32_t index);
