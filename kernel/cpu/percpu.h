/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Variables of which each processor has its own copy, in the image whose threads run on several
 * processors (TARE_SMP). In the other image they are plain variables, and all macros are free.
 *
 * Processor 0 uses the variables themselves; another processor uses a copy of section .percpu. GS
 * holds the distance of the copy, so that one instruction reads a variable (gcc, Named Address
 * Spaces). A processor that runs no session has distance 0: it sees the copy of processor 0.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERCPU_MAX 16 /* number of processors that threads can run on */

#if !TARE_SMP

#define PER_CPU
#define PER_CPU_SECTION
/* A pointer to this processor's copy of a variable, which has this type. */
#define PER_CPU_HERE(type, variable) (&(variable))
/* The same of processor `number`. */
#define PER_CPU_OF(number, type, variable) (&(variable))

#else

#define PER_CPU                      __seg_gs
#define PER_CPU_SECTION              __attribute__((section(".percpu")))
#define PER_CPU_HERE(type, variable) ((type *)((uintptr_t) & (variable) + percpu_distance))
#define PER_CPU_OF(number, type, variable) \
    ((type *)((uintptr_t) & (variable) + percpu_distances[number]))

/* The distance of each processor's copy, and of the one that GS selects now. */
extern uint64_t percpu_distances[PERCPU_MAX] __attribute__((visibility("hidden")));
extern PER_CPU uint64_t percpu_distance __attribute__((visibility("hidden")));
extern PER_CPU uint32_t percpu_number __attribute__((visibility("hidden")));

/* Ticks to deduct from the TSC so that it is this processor's local time; 0 outside of a session on
 * several processors (kernel/smp/baton.h). */
extern PER_CPU uint64_t percpu_given __attribute__((visibility("hidden")));

/* Returns the size of a copy. */
size_t percpu_size(void);
/* Makes zeroed memory at `copy` the copy of processor `number` from now on. */
void percpu_create(size_t number, void *copy);
/* Returns whether processor `number` has a copy. */
bool percpu_exists(size_t number);
/* Selects the copy of a processor for the code that runs on this one. Call with interrupts off. */
void percpu_select(size_t number);

#endif
