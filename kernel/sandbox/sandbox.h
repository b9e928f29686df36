/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The sandbox: runs any machine code in ring 3, in an address space that contains nothing but the
 * code and its memory. Whatever the code does, sandbox_run() returns.
 *
 *     sandbox_open(); sandbox_build(0, ...); sandbox_run(0, ...); sandbox_close();
 *
 * - The code can be executed and read, its memory can be read and written. - RSP, RBP, RDI, RSI and
 * R14 each point to the middle of a separate area of SANDBOX_AREA_BYTES, with nothing mapped next
 * to it; all other registers are 0. x87, MXCSR and the flags, including DF, are as after reset. -
 * RDTSC and RDPMC work. SYSCALL, SYSENTER, INT and ports do not. - The code is ended by every
 * exception except NMI, double fault and machine check, and by the LAPIC timer after a limit.
 * RFLAGS, segments and their bases, x87 and MXCSR are then the kernel's again.
 *
 * Between open and close, the sandbox's address space stays active. It also maps the whole kernel
 * for ring 0, so that what a run has warmed up is not lost before the next run. Interrupts are off.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/sandbox/fault_text.h"
#include "kernel/sandbox/program.h"

#define SANDBOX_PROGRAMS      2 /* number of programs that can exist at once */
#define SANDBOX_PROGRAM_BYTES (512u << 10)
#define SANDBOX_AREA_BYTES    (64u << 10)

/* Opens the sandbox. Returns NULL on success, otherwise the reason; nothing has changed then. */
const char *sandbox_open(void);
void sandbox_close(void);
/* Closes the sandbox if a bench ended without sandbox_close(); otherwise does nothing. */
void sandbox_abandon(void);

/* Returns which vector registers the code may use: "none", "sse", "avx2" or "avx512". */
const char *sandbox_vectors(void);

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

/* Runs a program, and copies the first `words` words (at most PROGRAM_ROW_WORDS) of both readings
 * to `begin` and `end`. The program is ended after `limit_ticks` of the TSC. */
enum sandbox_end sandbox_run(unsigned number, uint64_t limit_ticks, size_t words, int64_t *begin,
                             int64_t *end);
const struct sandbox_fault *sandbox_fault(void);

/* Writes what the last program, which must have kept it (program_source.keeps), left: the general
 * registers in the order of struct interrupt_frame, R15 to RAX, then RSP and RFLAGS without RF. */
#define SANDBOX_REGISTERS 17
void sandbox_registers(int64_t registers[SANDBOX_REGISTERS]);

/* Writes what the last program left in the areas, which sandbox_clear() had cleared: a digest of
 * all words that are not 0, their number, then address and value of the first ones; 0 after the
 * last. */
#define SANDBOX_WORDS_SHOWN 4
#define SANDBOX_MEMORY      (2 + 2 * SANDBOX_WORDS_SHOWN)
void sandbox_memory(int64_t left[SANDBOX_MEMORY]);

/* Returns R15 as the last program left it. If that is not PROGRAM_R15, the code uses R15 and cannot
 * be looped. */
uint64_t sandbox_r15(void);
