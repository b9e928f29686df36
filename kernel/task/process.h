/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes: an address space each, ring 3, SYSCALL and SYSRET (syscall.h; user.h has the calls).
 *
 * What may run in ring 3, and what memory it has there, is in user.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/interrupt_frame.h"
#include "kernel/task/thread.h"
#include "kernel/task/user.h"
#include "kernel/trace/trace.h"

#define PROCESS_STACK_BYTES (64ull << 10)
#define PROCESSES_MAX       16 /* in one session */
#define PROCESS_THREADS_MAX 30 /* in one process */

struct process;

/* Can there be processes? If not, *why names what is missing. */
bool process_supported(const char **why);

/* NULL where memory ran out, there are too many, or none are supported. Within a session. The new
 * process may touch 64 pages; see process_reserve(). `name` lives until the trace has been sent.
 * Whether its system calls are traced is settled by whether the recorder runs now. */
struct process *process_create(const char *name);

/* Processes of this session, of which there are none yet, have address spaces with tags
 * (address_space.h). NULL, or why not. All is as it was when the session ends. */
const char *process_use_tags(void);

/* Memory for as many pages more, which this session's processes may touch or copy: page faults take
 * them from there, and a fault that finds none left is a crash. Stacks and process_share() and
 * process_copy() count. False where memory ran out. */
bool process_reserve(size_t pages);

/* A thread in ring 3. `entry` is PROCESS_CODE and gets `argument`; returning from it is
 * SYSCALL_EXIT. NULL where there are too many threads, or memory ran out. */
struct thread *process_thread(struct process *process, const char *name, unsigned priority,
                              thread_entry *entry, uint64_t argument);

/* Shows `bytes` of `from`'s memory, at `offset` from PROCESS_BASE, to `to` at the same place, all
 * in whole pages. Who writes first to a page, and each who writes later, gets its own copy
 * ("copy on write"). False where a page has not been touched by `from`, or lies outside. */
bool process_share(struct process *to, struct process *from, uint64_t offset, uint64_t bytes);

/* The same, but `to` gets a copy of each page at once, which is not shared. */
bool process_copy(struct process *to, const struct process *from, uint64_t offset, uint64_t bytes);

/* Takes the right to write from `bytes` of a process's own memory, at `offset` from PROCESS_BASE,
 * or hides it; whole pages. The one that writes to a page then, or reads it, raises a fault that
 * gives the same page back ("protection", "minor"). False as in process_share(), or where a page is
 * shared. */
bool process_protect(struct process *process, uint64_t offset, uint64_t bytes);
bool process_hide(struct process *process, uint64_t offset, uint64_t bytes);

/* Copies `bytes` of a process's memory, at `offset` from PROCESS_BASE, to `to`. False where a page
 * has not been touched, or lies outside. Before the session ends. */
bool process_read(const struct process *process, uint64_t offset, void *to, size_t bytes);

/* Page faults of a process that were seen to; of the kinds below FAULT_FILE. */
uint64_t process_fault_count(const struct process *process, enum fault_kind kind);

/* Where a page fault's time goes: TSC, in order (lfence; rdtsc; lfence). */
struct process_fault_stamps {
    uint64_t address; /* that was touched */
    uint64_t entered; /* the handler of page faults has begun: registers are saved, on its stack */
    uint64_t found;   /* whose page it is, what it shows and so what cures it is known */
    uint64_t shown;   /* the page is cleared, copied or as it was, and in the page tables */
};

/* Keeps the stamps of the first `capacity` faults from now on, until the session ends; 0: no more
 * of them. They cost three readings of the TSC a fault; faults that are not stamped take another
 * way and cost no test. Within a session that has a process. */
void process_stamp_faults(struct process_fault_stamps *stamps, size_t capacity);
/* How many have been kept. */
size_t process_faults_stamped(void);

/* Who sees to the faults of a session's processes, for one that looks first (exception.h): mapped
 * files. */
bool process_resolve_fault(struct interrupt_frame *frame);

struct pipe;
/* Makes a pipe known to processes: for SYSCALL_PIPE_WRITE and SYSCALL_PIPE_READ the first that is
 * offered in a session is number 0. False where there are too many (16). */
bool process_offer_pipe(struct pipe *pipe);

/* ---- for the session ---- */

/* Back to the kernel's address space; all processes are gone. */
void process_reset(void);

/* ---- for reports of exceptions ---- */

/* What has been touched of a ring 3 thread's own stack, so that it can be walked in the address
 * space of its process; false: it has none. */
struct stack;
bool process_stack(const struct thread *thread, struct stack *stack);

/* Is `address` in the guard page below a stack of ring 3? */
bool process_is_guard(uint64_t address);

/*
 * Sections: memory that several processes and the kernel may write to. It is taken when the section
 * is created, and never given back: a section serves one session after the other.
 *
 * Processes show a section above the memory that user.h gives them. It is no part of that:
 * process_share(), process_copy(), process_protect(), process_hide() and process_read() return
 * false there, and no fault is cured. The kernel has another address for it.
 */

struct section {
    void *memory; /* the kernel's address; NULL: it has not been created */
    uint64_t bytes;
};

/* Zeroes, in whole pages. False where memory ran out. */
bool section_create(struct section *section, uint64_t bytes);

/* Shows it to a process at `address`, the border of a page from SECTIONS_BASE on, where it shows
 * nothing else. False outside, or where memory ran out. */
bool section_show(const struct section *section, struct process *process, uint64_t address);
