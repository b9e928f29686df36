/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the processor benches time (kernels.S). The same code runs in the image and, built into the
 * host program, on Linux.
 *
 * Each function repeats its work `count` times (1 … REPETITIONS_MAX), reads the TSC before and
 * after (LFENCE; RDTSC; LFENCE), and returns the ticks between. The ticks for twice the count, less
 * the ticks for `count`, are the cost of `count` repetitions.
 */
#pragma once

#include <stdint.h>

/* limit that allows loops with 32-bit counters, like the report's, to run twice as many */
#define REPETITIONS_MAX 1000000000

typedef uint64_t repeated(uint64_t count);

/* DEC, JNZ. All others except loop_memory have these two around their work. */
repeated loop_register;
/* A loop as a compiler makes it without optimisation: variable and bound in memory, eight
 * instructions, one of them a jump to the next (the report's own loop, section 2.4). */
repeated loop_memory;

/* The loop of loop_register with a call inside that passes that many 32-bit arguments as the ABI
 * says: six in registers, the seventh on the stack. Each argument is loaded from a variable in
 * memory by one instruction; an argument on the stack takes a second. The function, a separate one
 * for each loop, sets up a frame and returns, as the report's did: PUSH, MOV, POP, RET. A call
 * without arguments is these and CALL. */
#define CALL_ARGUMENTS_MAX 7
extern repeated *const call_register[CALL_ARGUMENTS_MAX + 1] __attribute__((visibility("hidden")));
/* the same with all arguments on the stack */
extern repeated *const call_stack[CALL_ARGUMENTS_MAX + 1] __attribute__((visibility("hidden")));

/* Reads of clocks, with no fence except the one named. CPUID asks for leaf 0. */
repeated clock_rdtsc;
repeated clock_rdtscp;
repeated clock_lfence_rdtsc;
repeated clock_mfence_rdtsc;
repeated clock_lfence_rdtsc_lfence;
repeated clock_cpuid_rdtsc;
/* RDPMC of counter `index`, which must not fault */
uint64_t clock_rdpmc(uint64_t count, uint32_t index);

/* Reads the clock twice in a row with one MOV between that keeps the first reading, and stores the
 * difference modulo 2^32 in *samples, `count` times (at least 1). */
typedef void clock_pairs(int64_t *samples, uint64_t count);

clock_pairs clock_pairs_rdtsc;
clock_pairs clock_pairs_rdtscp;
clock_pairs clock_pairs_lfence_rdtsc_lfence;
void clock_pairs_rdpmc(int64_t *samples, uint64_t count, uint32_t index);
