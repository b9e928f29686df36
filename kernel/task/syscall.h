/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * System calls from ring 3 to ring 0 by SYSCALL and SYSRET (SDM volume 2; STAR, LSTAR, FMASK).
 *
 * A system call arrives on the thread's kernel stack with interrupts off, and runs like that. A
 * call that waits does so in the scheduler, with all its state on that stack. Nothing is swapped
 * and no vector register is touched. The null call takes 21 instructions, including SYSCALL and
 * SYSRET; if traced, it takes 39 instructions and two records.
 *
 * The older instructions are supported for comparison: INT through a gate that ring 3 may use, and
 * SYSENTER with SYSEXIT. They lead to the same calls but are not traced.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct pipe;

/* Enables these instructions, and RDTSC in ring 3. Returns false if the processor lacks them or
 * does not keep what is written; *why then has the reason. */
bool syscall_enable(const char **why);

/* If a trace is running, names the calls in it and traces them from now on; otherwise they are not
 * traced. Forgets all pipes. */
void syscall_begin(void);

bool syscall_offer_pipe(struct pipe *pipe);

/* Allows INT SYSCALL_VECTOR (user.h) in ring 3. */
void syscall_open_interrupt(void);
/* Allows SYSENTER, by user_sysenter() of user.h. Returns false, with the reason in *why, if the
 * processor is not known to have it in long mode. Intel has had it since the Pentium Pro (CPUID 1
 * EDX[11]). On AMD it raises #UD in long mode whatever CPUID reports (APM volume 3, SYSENTER).
 * For other vendors this is unknown, and it is not tried because that would have to happen in
 * ring 3. */
bool syscall_open_sysenter(const char **why);
/* Disallows both, and the calls of windows. */
void syscall_close(void);

/* The functions that handle the file calls; kernel/block, above this folder, provides them. Each
 * runs in the calling thread and its address space, with interrupts off, and may wait. `name` ends
 * in a zero; all other arguments come from the caller unchecked. They return what user.h says, or
 * SYSCALL_REFUSED. */
struct syscall_files {
    uint64_t (*open)(const char *name);
    uint64_t (*read)(uint64_t file, uint64_t address, uint64_t bytes);
    uint64_t (*seek)(uint64_t file, uint64_t offset);
    uint64_t (*map)(uint64_t file, uint64_t address, uint64_t bytes);
};
/* Enables the file calls, and names them in a running trace; NULL disables them. */
void syscall_set_files(const struct syscall_files *files);

/* The functions that handle the window calls; bench/interactive/window, above this folder,
 * provides them. They are called in the same way, and each must check that the calling process has
 * windows. */
struct syscall_windows {
    uint64_t (*get)(void);
    uint64_t (*peek)(uint64_t remove);
    uint64_t (*done)(uint64_t number);
    uint64_t (*timer)(uint64_t microseconds);
    uint64_t (*draw)(void);
    uint64_t (*invalidate)(uint64_t area);
    uint64_t (*paint)(void);
};
/* Enables the window calls, and names them in a running trace, until syscall_close(). */
void syscall_set_windows(const struct syscall_windows *windows);

#define SYSCALL_COPY_WORDS 8
/* Returns what the last SYSCALL_COPY64 copied. */
const uint64_t *syscall_copied(void);

/* Continues in ring 3 with interrupts on, at entry(argument), with this stack. */
_Noreturn void syscall_launch(uint64_t argument, uint64_t entry, uint64_t stack_top);
