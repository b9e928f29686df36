/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls timed in ring 3: user_calls.S. Written by hand, so that what surrounds a call is the
 * same for each and no compiler's choice.
 *
 * Each does its call `count` times (at least 1) and puts the ticks of each, between two stamps
 * (LFENCE; RDTSC; LFENCE), into samples[]; returns the sum of what the calls returned. Within the
 * stamps are the call, a MOV for its number, one for each argument, and one that keeps the result,
 * as between those of user_calls_empty.
 */
#pragma once

#include <stdint.h>

typedef uint64_t user_calls(int64_t *samples, uint64_t count, uint64_t address);

user_calls user_calls_empty __attribute__((visibility("hidden")));
user_calls user_calls_null __attribute__((visibility("hidden")));
/* SYSCALL_SUM1 to 6 of 1, 2, 4, 8, 16 and 32. */
user_calls user_calls_arguments1 __attribute__((visibility("hidden")));
user_calls user_calls_arguments2 __attribute__((visibility("hidden")));
user_calls user_calls_arguments3 __attribute__((visibility("hidden")));
user_calls user_calls_arguments4 __attribute__((visibility("hidden")));
user_calls user_calls_arguments5 __attribute__((visibility("hidden")));
user_calls user_calls_arguments6 __attribute__((visibility("hidden")));
/* SYSCALL_COPY64 of `address`. */
user_calls user_calls_copy64 __attribute__((visibility("hidden")));
/* SYSCALL_STAT of the name at `address`, which is answered behind it. */
user_calls user_calls_stat __attribute__((visibility("hidden")));
/* The null call by INT and, called as a function, by SYSENTER. */
user_calls user_calls_interrupt __attribute__((visibility("hidden")));
user_calls user_calls_sysenter __attribute__((visibility("hidden")));
