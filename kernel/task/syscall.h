/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The way between ring 3 and ring 0 by SYSCALL and SYSRET (SDM volume 2; STAR, LSTAR, FMASK).
 *
 * A system call arrives with interrupts off on the thread's kernel stack and runs so; one that
 * waits does it in the scheduler, with all its state on that stack. Nothing is swapped and no
 * vector register touched. From SYSCALL to the instruction behind it the null call takes 21
 * instructions, SYSCALL and SYSRET included; where it is traced, 39 and two records.
 *
 * The older ways, for comparison, lead to the same calls but are not traced: INT through a gate
 * that ring 3 may use, and SYSENTER and SYSEXIT.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pipe;

/* Switches the instructions on, and RDTSC in ring 3. False where the processor has none, or does
 * not keep what is written; *why has the reason. */
bool syscall_enable(const char **why);

/* Names the calls for the trace that runs, if one does, and traces them from now on; else they are
 * not traced. Forgets all pipes. */
void syscall_begin(void);

bool syscall_offer_pipe(struct pipe *pipe);

/* Opens INT SYSCALL_VECTOR (user.h) to ring 3. */
void syscall_open_interrupt(void);
/* Opens SYSENTER, by user_sysenter() of user.h. False where a processor has none in long mode:
 * *why has the reason. Intel has had it since the Pentium Pro (CPUID 1 EDX[11]), on AMD it raises
 * #UD in long mode whatever CPUID reports (APM volume 3, SYSENTER), and of others nothing is known:
 * whether it works is not tried, since it would have to be tried in ring 3. */
bool syscall_open_sysenter(const char **why);
/* Closes both, and the calls of windows. */
void syscall_close(void);

/* Who sees to the calls of files: kernel/block, above this folder. Each is called in the thread
 * that calls, interrupts off, in its address space; it may wait. `name` ends in a zero; all else is
 * the caller's, and nothing is believed of it. They return what user.h has, or SYSCALL_REFUSED. */
struct syscall_files {
    uint64_t (*open)(const char *name);
    uint64_t (*read)(uint64_t file, uint64_t address, uint64_t bytes);
    uint64_t (*seek)(uint64_t file, uint64_t offset);
    uint64_t (*map)(uint64_t file, uint64_t address, uint64_t bytes);
};
/* Opens these calls, and names them for the trace that runs, if one does; NULL: closes them. */
void syscall_set_files(const struct syscall_files *files);

/* Who sees to the calls of windows: bench/interactive/window, above this folder. As above; each has
 * to look whether the process that calls has windows. */
struct syscall_windows {
    uint64_t (*get)(void);
    uint64_t (*peek)(uint64_t remove);
    uint64_t (*done)(uint64_t number);
    uint64_t (*timer)(uint64_t microseconds);
    uint64_t (*draw)(void);
    uint64_t (*invalidate)(uint64_t area);
    uint64_t (*paint)(void);
};
/* The same of these, until syscall_close(). */
void syscall_set_windows(const struct syscall_windows *windows);

#define SYSCALL_COPY_WORDS 8
/* What SYSCALL_COPY64 copied last. */
const uint64_t *syscall_copied(void);

/* Goes on in ring 3, interrupts on, at entry(argument), with this stack. */
_Noreturn void syscall_launch(uint64_t argument, uint64_t entry, uint64_t stack_top);
