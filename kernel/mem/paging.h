/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Our own page tables (SDM volume 3 chapter 4): the identity, with three exceptions. Nothing but
 * the image's code and the firmware's runtime code is executable; the image's constants are read
 * only; page 0 and the guard pages under stacks are absent. Ring 3 sees of all this the code marked
 * for it (section .user of linker.ld) and nothing else.
 *
 * Memory types are left to the MTRRs that firmware set: every entry says write-back, but for the
 * framebuffer's where paging_combine_writes() could.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"
#include "kernel/handoff.h"

/* Builds the tables and switches to them. False where memory for tables ran out (the firmware's
 * tables then stay in force). Four or five levels, as firmware left CR4.LA57. */
bool paging_init(const struct handoff *handoff, const struct cpu_identity *identity);

/* For other address spaces, which share all that these tables show (address_space.h). The highest
 * table's address; 0 where these tables are not in force. */
uint64_t paging_root(void);
unsigned paging_levels(void);
/* What forbids execution in an entry; 0 where the processor cannot. */
uint64_t paging_no_execute(void);

/* Makes a device's registers reachable where they lie above 4 GiB and in no range of the memory
 * map. False where memory for tables ran out. Before paging_init() it does nothing. */
bool paging_map_device(uint64_t address, uint64_t bytes);

/* Lets the processor gather writes to these whole pages, which nobody expects in order (SDM volume
 * 3 section 12.3.1, write combining), by the page attribute table (section 12.12): WC in a page's
 * entry makes its memory WC, whatever the MTRRs say (table 12-7). Interrupts off; faults must be
 * caught by then. NULL, or why it cannot be done: nothing has changed then. */
const char *paging_combine_writes(const struct cpu_identity *identity, uint64_t address,
                                  uint64_t bytes);

/* Addresses of `pages` pages of 4 KiB, one behind the other, that all show the same zeroed page of
 * memory: as many translations, of which no two can be held as one, and hardly any memory. They
 * are above all that the identity maps, and the same in every call. 0 where memory ran out or where
 * other tables are in force. */
uint64_t paging_alias_pages(uint64_t pages);

/* A stack of `bytes` (a multiple of 4 KiB) above an absent guard page. */
struct stack {
    uint64_t low; /* first byte; the page below is the guard */
    uint64_t top; /* one past the last byte; 16-byte aligned */
};

/* False where memory ran out. */
bool paging_stack_create(size_t bytes, struct stack *stack);

/* Is `address` inside the guard page of a stack made by paging_stack_create? */
bool paging_is_guard(uint64_t address);
