/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Maps files into processes. A page is mapped when it is first touched. If the page is in the page
 * cache, the fault is counted as "soft"; otherwise as "file", and the thread waits (WAIT_DISK)
 * while others run. A mapped page stays pinned in the cache until the session's files end.
 *
 * An exception arrives on a stack that all exceptions share (kernel/cpu/descriptors.h), on which no
 * thread can wait. So the handler of a "file" fault copies the interrupted state to the kernel
 * stack of its thread and continues there. It waits on that stack and returns to ring 3 by itself.
 *
 * If a page cannot be read, its thread ends; files_failure() returns the reason.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/block/file.h"
#include "kernel/trace/trace.h"

#define FILE_MAPS_MAX 32

struct process;

/* Maps `pages` pages of a file from its page `first` on, read-only, at PROCESS_BASE + `offset` in
 * the memory of a process. No page may have been touched there. A write to a mapped page is a
 * crash. Call within a session; from then on this module handles all page faults of the session.
 * Returns NULL on success, otherwise the reason. */
const char *file_map(struct file *file, struct process *process, uint64_t offset, uint64_t first,
                     uint64_t pages);

/* Returns how many faults of mapped files were handled since files_begin(); `kind` is FAULT_FILE or
 * FAULT_SOFT. */
uint64_t file_fault_count(enum fault_kind kind);

/* TSC stamps of the steps of one fault, in the order in which they happen. */
struct file_fault_stamps {
    uint64_t address;   /* the touched address */
    uint64_t kind;      /* FAULT_FILE or FAULT_SOFT */
    uint64_t entered;   /* the page fault handler began */
    uint64_t found;     /* the mapping and, for FAULT_SOFT, the page in the cache were found */
    uint64_t submitted; /* FAULT_FILE: the device got the request */
    uint64_t completed; /* FAULT_FILE: the interrupt handler saw that it was done */
    uint64_t woken;     /* FAULT_FILE: the thread runs again */
    uint64_t shown;     /* the page is in the page tables */
};

/* Keeps the stamps of the next `capacity` faults of mapped files; 0 stops it. A soft fault reads
 * the TSC twice for it, a file fault three more times. */
void file_stamp_faults(struct file_fault_stamps *stamps, size_t capacity);
/* Returns how many stamps have been kept. */
size_t file_faults_stamped(void);
