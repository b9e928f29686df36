/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processes: each has an address space and threads in ring 3, which use SYSCALL and SYSRET
 * (syscall.h; user.h has the calls).
 *
 * user.h says which code may run in ring 3, and which memory it has there.
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
#define PROCESSES_MAX       16 /* per session */
#define PROCESS_THREADS_MAX 30 /* per process */

struct process;

/* Returns whether there can be processes. If not, sets *why to the reason. */
bool process_supported(const char **why);

/* Creates a process; call within a session. It may touch 64 pages; see process_reserve(). `name`
 * must stay valid until the trace has been sent. Its system calls are traced if the recorder runs
 * during this call. Returns NULL if memory ran out, there are too many processes, or processes are
 * not supported. */
struct process *process_create(const char *name);

/* Gives the address spaces of this session's processes tags (address_space.h), until the session
 * ends. Call before the first process is created. Returns NULL on success, otherwise the reason. */
const char *process_use_tags(void);

/* Provides memory for `pages` more pages that this session's processes may touch or copy, including
 * stacks, process_share() and process_copy(). Page faults take their pages from this memory; a
 * fault that finds none left is a crash. Returns false if memory ran out. */
bool process_reserve(size_t pages);

/* Creates a thread in ring 3. `entry` is PROCESS_CODE and gets `argument`; returning from it is
 * SYSCALL_EXIT. Returns NULL if there are too many threads or memory ran out. */
struct thread *process_thread(struct process *process, const char *name, unsigned priority,
                              thread_entry *entry, uint64_t argument);

/* Maps `bytes` of `from`'s memory, at `offset` from PROCESS_BASE, at the same place in `to`, all in
 * whole pages. A process that writes to such a page gets its own copy of it ("copy on write").
 * Returns false if `from` has not touched a page, or a page lies outside its memory. */
bool process_share(struct process *to, struct process *from, uint64_t offset, uint64_t bytes);

/* Does the same, but gives `to` a copy of each page at once, which is not shared. */
bool process_copy(struct process *to, const struct process *from, uint64_t offset, uint64_t bytes);

/* Make `bytes` of a process's own memory, at `offset` from PROCESS_BASE, read only (protect) or
 * absent (hide), in whole pages. The next write to such a page, or access to a hidden one, raises a
 * fault that restores the page ("protection", "minor"). Return false in the same cases as
 * process_share(), and if a page is shared. */
bool process_protect(struct process *process, uint64_t offset, uint64_t bytes);
bool process_hide(struct process *process, uint64_t offset, uint64_t bytes);

/* Copies `bytes` of a process's memory, at `offset` from PROCESS_BASE, to `to`. Returns false if a
 * page has not been touched or lies outside the memory. Call before the session ends. */
bool process_read(const struct process *process, uint64_t offset, void *to, size_t bytes);

/* Returns how many page faults of a kind, below FAULT_FILE, were resolved for a process. */
uint64_t process_fault_count(const struct process *process, enum fault_kind kind);

/* The times of one page fault, in order: TSC values (lfence; rdtsc; lfence). */
struct process_fault_stamps {
    uint64_t address; /* address that was touched */
    uint64_t entered; /* the handler of page faults has begun: registers are saved on its stack */
    uint64_t found;   /* the page's owner and its state, and so the cure, are known */
    /* the page has been cleared, copied or left as it was, and is in the page tables */
    uint64_t shown;
};

/* Keeps the stamps of the first `capacity` faults from now on, until the session ends; 0 stops it.
 * A stamped fault costs three readings of the TSC; other faults take another path and cost no extra
 * test. Call within a session that has a process. */
void process_stamp_faults(struct process_fault_stamps *stamps, size_t capacity);
/* Returns how many faults have been stamped. */
size_t process_faults_stamped(void);

/* Resolves a page fault of a session's process, and returns whether it could. For a handler that is
 * called first (exception.h), such as that of mapped files. */
bool process_resolve_fault(struct interrupt_frame *frame);

struct pipe;
/* Makes a pipe known to processes, for SYSCALL_PIPE_WRITE and SYSCALL_PIPE_READ: the first pipe
 * offered in a session has number 0. Returns false if there are too many (16). */
bool process_offer_pipe(struct pipe *pipe);

/* ---- for the session ---- */

/* Returns to the kernel's address space and drops all processes. */
void process_reset(void);

/* ---- for reports of exceptions ---- */

/* Sets *stack to the touched part of a ring 3 thread's stack, so that a report can walk it in the
 * address space of its process. Returns false if the thread has no such stack. */
struct stack;
bool process_stack(const struct thread *thread, struct stack *stack);

/* Returns whether `address` is in the guard page below a stack of ring 3. */
bool process_is_guard(uint64_t address);

/*
 * Sections: memory that several processes and the kernel may write to. It is allocated when the
 * section is created and never freed: a section serves one session after the other.
 *
 * Processes map a section above the memory that user.h gives them. It is not part of that memory:
 * process_share(), process_copy(), process_protect(), process_hide() and process_read() return
 * false there, and no fault is resolved. The kernel accesses it at another address.
 */

struct section {
    void *memory; /* address in the kernel; NULL if the section has not been created */
    uint64_t bytes;
};

/* Creates a section of zeroes, in whole pages. Returns false if memory ran out. */
bool section_create(struct section *section, uint64_t bytes);

/* Maps the section in a process at `address`, a multiple of the page size from SECTIONS_BASE on,
 * where nothing else is mapped. Returns false if the address is outside, or if memory ran out. */
bool section_show(const struct section *section, struct process *process, uint64_t address);
