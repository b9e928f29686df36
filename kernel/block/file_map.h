/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files mapped into processes. A page is shown when it is first touched: where it is in the page
 * cache that is a "soft" fault, else one of the "file", for which the thread waits (WAIT_DISK)
 * while others run. A page that is shown is pinned in the cache until the session's files end.
 *
 * An exception arrives on a stack of all exceptions (kernel/cpu/descriptors.h), where none can
 * wait. So a fault of the file goes on from there to the stack that its thread has in the kernel,
 * with what it interrupted, waits on that, and returns to ring 3 by itself.
 *
 * A thread whose page cannot be read ends; files_failure() has the reason.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/block/file.h"
#include "kernel/trace/trace.h"

#define FILE_MAPS_MAX 32

struct process;

/* Shows `pages` of a file from its page `first` on, at PROCESS_BASE + `offset` of a process's
 * memory, read only. Nothing may have been touched there. A touch that writes is a crash. NULL, or
 * why not. Within a session; it sees to all page faults of the session from now on. */
const char *file_map(struct file *file, struct process *process, uint64_t offset, uint64_t first,
                     uint64_t pages);

/* Faults of mapped files that were seen to since files_begin(); FAULT_FILE and FAULT_SOFT. */
uint64_t file_fault_count(enum fault_kind kind);

/* Where the time of such a fault goes: TSC, in order. */
struct file_fault_stamps {
    uint64_t address;   /* that was touched */
    uint64_t kind;      /* FAULT_FILE or FAULT_SOFT */
    uint64_t entered;   /* the handler of page faults has begun */
    uint64_t found;     /* whose page it is, and where in the cache, if it is there, is known */
    uint64_t submitted; /* FAULT_FILE: the device has the request; */
    uint64_t completed; /* the interrupt handler has seen it done; */
    uint64_t woken;     /* the thread runs again */
    uint64_t shown;     /* the page is in the page tables */
};

/* Keeps the stamps of the first `capacity` faults of mapped files from now on; 0: no more of them.
 * They cost two readings of the TSC a fault of either kind, and three more of the file. */
void file_stamp_faults(struct file_fault_stamps *stamps, size_t capacity);
/* How many have been kept. */
size_t file_faults_stamped(void);
