/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sections: memory that several processes and the kernel may write to. It is taken when the section
 * is created, and never given back: a section serves one session after the other.
 *
 * Processes show a section above the memory that user.h gives them. It is no part of that:
 * process_share(), process_copy(), process_protect(), process_hide() and process_read() return
 * false there, and no fault is cured. The kernel has another address for it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/task/process.h"

struct section {
    void *memory; /* the kernel's address; NULL: it has not been created */
    uint64_t bytes;
};

/* Zeroes, in whole pages. False where memory ran out. */
bool section_create(struct section *section, uint64_t bytes);

/* Shows it to a process at `address`, the border of a page from SECTIONS_BASE on, where it shows
 * nothing else. False outside, or where memory ran out. */
bool section_show(const struct section *section, struct process *process, uint64_t address);
