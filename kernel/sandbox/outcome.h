/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What both implementations of sandbox.h share: the image's (sandbox.c), and that of Linux
 * (tools/linux/host_sandbox.c). Both map the same memory at the same addresses and start programs
 * with the same registers, so that a program leaves the same values.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/interrupt_frame.h"
#include "kernel/sandbox/fault_text.h"
#include "kernel/sandbox/program.h"

#define SANDBOX_PROGRAMS      2 /* number of programs that can exist at once */
#define SANDBOX_PROGRAM_BYTES (512u << 10)
#define SANDBOX_AREA_BYTES    (64u << 10)

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

/* Clears the memory of the code to zeroes. */
void sandbox_clear(void);

/* Builds program `number` in the sandbox. Returns false if it does not fit
 * SANDBOX_PROGRAM_BYTES. */
bool sandbox_build(unsigned number, const struct program_source *source);

enum sandbox_end {
    SANDBOX_DONE,
    SANDBOX_FAULT, /* an exception ended it; sandbox_fault() describes it */
    SANDBOX_LIMIT, /* it exceeded the limit; sandbox_fault() describes where it was */
    SANDBOX_TORN,  /* it reached the end without taking both readings, or overwrote them */
};

const struct sandbox_fault *sandbox_fault(void);

/* Writes what the last program, which must have kept it (program_source.keeps), left: the general
 * registers in the order of struct interrupt_frame, R15 to RAX, then RSP and RFLAGS without RF. */
#define SANDBOX_REGISTERS 17
void sandbox_registers(int64_t registers[SANDBOX_REGISTERS]);

/* Writes what the last program left in the areas, which sandbox_clear() had cleared: a digest of
 * all words that are not 0, their number, then address and value of the first ones; 0 after the
 * last. */
#define SANDBOX_WORDS_SHOWN 8
#define SANDBOX_MEMORY      (2 + 2 * SANDBOX_WORDS_SHOWN)
void sandbox_memory(int64_t left[SANDBOX_MEMORY]);

/* Returns R15 as the last program left it. If that is not PROGRAM_R15, the code uses R15 and cannot
 * be looped. */
uint64_t sandbox_r15(void);

/* ---- for sandbox_run() ---- */

struct sandbox {
    uint8_t *memory; /* SANDBOX_MEMORY_BYTES; NULL if not allocated yet */
    struct program program[SANDBOX_PROGRAMS];
    struct sandbox_fault fault;
};
extern struct sandbox sandbox;

/* Registers and CR2 when the last program ended; a run stores them. */
extern struct interrupt_frame sandbox_left;
extern uint64_t sandbox_cr2;

/* Clears the results, and returns the registers with which a program starts; its selectors are
 * 0. */
struct interrupt_frame sandbox_start(unsigned number);

/* Returns how the program ended that left these registers, and copies its readings, as
 * sandbox_run() does. */
enum sandbox_end sandbox_judge(unsigned number, size_t words, int64_t *begin, int64_t *end);
