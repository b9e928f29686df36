/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What both implementations of sandbox.h share: the image's (sandbox.c), and that of Linux
 * (tools/linux/host_sandbox.c). Both map the same memory at the same addresses and start programs
 * with the same registers, so that a program leaves the same values.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/interrupt_frame.h"
#include "kernel/sandbox/sandbox.h"

/* Addresses as the code sees them: the kernel maps nothing in this half terabyte
 * (kernel/task/user.h), nor does Linux. */
#define SANDBOX_BASE          (3ull << 45)
#define SANDBOX_RESULTS       (SANDBOX_BASE + SANDBOX_RESULTS_OFFSET)
#define SANDBOX_AREAS         5
#define SANDBOX_AREA_DISTANCE (2ull << 20)
#define SANDBOX_AREA(index)   (SANDBOX_BASE + ((index) + 1) * SANDBOX_AREA_DISTANCE)

/* Offsets in the sandbox's memory, one after the other: programs, a page of results, areas. */
#define SANDBOX_RESULTS_BYTES  4096u
#define SANDBOX_RESULTS_OFFSET (SANDBOX_PROGRAMS * SANDBOX_PROGRAM_BYTES)
#define SANDBOX_AREAS_OFFSET   (SANDBOX_RESULTS_OFFSET + SANDBOX_RESULTS_BYTES)
#define SANDBOX_MEMORY_BYTES   (SANDBOX_AREAS_OFFSET + SANDBOX_AREAS * SANDBOX_AREA_BYTES)

#define SANDBOX_FLAGS        0x202 /* interrupts on, all other flags off */
#define SANDBOX_LIMIT_VECTOR 0x40  /* `vector` of a program that exceeded its limit */

struct sandbox {
    uint8_t *memory; /* SANDBOX_MEMORY_BYTES; NULL if not allocated yet */
    struct program program[SANDBOX_PROGRAMS];
    struct sandbox_fault fault;
};
extern struct sandbox sandbox;

/* Registers and CR2 when the last program ended; a run stores them. */
extern struct interrupt_frame sandbox_left __attribute__((visibility("hidden")));
extern uint64_t sandbox_cr2 __attribute__((visibility("hidden")));

/* Clears the results, and returns the registers with which a program starts; its selectors are
 * 0. */
struct interrupt_frame sandbox_start(unsigned number);

/* Returns how the program ended that left these registers, and copies its readings, as
 * sandbox_run() does. */
enum sandbox_end sandbox_judge(unsigned number, size_t words, int64_t *begin, int64_t *end);
