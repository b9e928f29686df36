/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sandbox: any machine code, in ring 3 and an address space that shows it nothing but the code
 * and its own memory. Whatever the code does, sandbox_run() returns.
 *
 *     sandbox_open(); sandbox_build(0, ...); sandbox_run(0, ...); sandbox_close();
 *
 * - The code is to be executed and read, its memory to be read and written.
 * - RSP, RBP, RDI, RSI and R14 point to the middle of SANDBOX_AREA_BYTES each, with nothing beside
 *   them; all other registers are 0. So are x87, MXCSR and flags as after reset, and DF.
 * - RDTSC and RDPMC work. SYSCALL, SYSENTER and INT do not, nor do ports.
 * - Every exception but NMI, double fault and machine check ends the code, and the LAPIC timer does
 *   after a limit. RFLAGS, segments and their bases, x87 and MXCSR are the kernel's again then.
 *
 * Between open and close the sandbox's address space is in force, and shows all of the kernel's to
 * the kernel: nothing that a run has warmed is lost before the next. Interrupts are off.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/sandbox/fault_text.h"
#include "kernel/sandbox/program.h"

#define SANDBOX_PROGRAMS      2 /* that are there at once */
#define SANDBOX_PROGRAM_BYTES (512u << 10)
#define SANDBOX_AREA_BYTES    (64u << 10)

/* NULL, or why there is no sandbox: nothing has changed then. */
const char *sandbox_open(void);
void sandbox_close(void);
/* Of a bench that ended without sandbox_close(); else nothing. */
void sandbox_abandon(void);

/* What vector registers the code may use: "none", "sse", "avx2" or "avx512". */
const char *sandbox_vectors(void);

/* The memory of the code is zeroes again. */
void sandbox_clear(void);

/* Places a program. False: it does not fit SANDBOX_PROGRAM_BYTES. */
bool sandbox_build(unsigned number, const struct program_source *source);

enum sandbox_end {
    SANDBOX_DONE,
    SANDBOX_FAULT, /* sandbox_fault() has it */
    SANDBOX_LIMIT, /* the same, of where it was */
    SANDBOX_TORN,  /* it came to the end, but not past both readings, or wrote over them */
};

/* Runs it, and copies `words` words of its readings, at most PROGRAM_ROW_WORDS. `limit_ticks` of
 * the TSC end it. */
enum sandbox_end sandbox_run(unsigned number, uint64_t limit_ticks, size_t words, int64_t *begin,
                             int64_t *end);
const struct sandbox_fault *sandbox_fault(void);

/* R15 as the last program left it: PROGRAM_R15, or the code cannot be looped. */
uint64_t sandbox_r15(void);
