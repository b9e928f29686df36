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

#include <stddef.h>
#include <stdint.h>

#include "kernel/sandbox/outcome.h"

/* Opens the sandbox. Returns NULL on success, otherwise the reason; nothing has changed then. */
const char *sandbox_open(void);
void sandbox_close(void);
/* Closes the sandbox if a bench ended without sandbox_close(); otherwise does nothing. */
void sandbox_abandon(void);

/* Returns which vector registers the code may use: "none", "sse", "avx2" or "avx512". */
const char *sandbox_vectors(void);

/* Runs a program, and copies the first `words` words (at most PROGRAM_ROW_WORDS) of both readings
 * to `begin` and `end`. The program is ended after `limit_ticks` of the TSC. */
enum sandbox_end sandbox_run(unsigned number, uint64_t limit_ticks, size_t words, int64_t *begin,
                             int64_t *end);
