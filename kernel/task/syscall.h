/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way between ring 3 and ring 0 by SYSCALL and SYSRET (SDM volume 2; STAR, LSTAR, FMASK).
 *
 * A system call arrives with interrupts off on the thread's kernel stack and runs so; one that
 * waits does it in the scheduler, with all its state on that stack. Nothing is swapped and no
 * vector register touched. From SYSCALL to the instruction behind it the null call takes 23
 * instructions, SYSCALL and SYSRET included; where it is traced, 39 and two records.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pipe;

/* Switches the instructions on, and RDTSC in ring 3. False where the processor has none, or does
 * not keep what is written; *why says so. */
bool syscall_enable(const char **why);

/* Names the calls for the trace that runs, if one does, and traces them from now on; else they are
 * not traced. Forgets all pipes. */
void syscall_begin(void);

bool syscall_offer_pipe(struct pipe *pipe);

/* Goes on in ring 3, interrupts on, at entry(argument), with this stack. */
_Noreturn void syscall_launch(uint64_t argument, uint64_t entry, uint64_t stack_top);
