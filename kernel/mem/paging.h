/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Our own page tables (SDM volume 3 chapter 4): the identity, with exceptions. Nothing but
 * the image's code and the firmware's runtime code is executable; the image's constants and these
 * tables are read only; page 0 and the guard pages under stacks and behind free memory (memory.h)
 * are absent. So a bench that writes over the end of its memory is ended there, and not the machine
 * by a fault without a handler. Ring 3 sees of all this the code marked for it (section .user
 * of linker.ld) and nothing else.
 *
 * Memory types are left to the MTRRs that firmware set: every entry is write-back, except the
 * framebuffer's where paging_combine_writes() could.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"
#include "kernel/plan/handoff.h"

/* Builds the tables and switches to them. False where memory for tables ran out (the firmware's
 * tables then stay in force). Four or five levels, as firmware left CR4.LA57. */
bool paging_init(const struct handoff *handoff, const struct cpu_identity *identity);

/* For other address spaces, which share all that these tables show (address_space.h). The highest
 * table's address; 0 where these tables are not in force. */
uint64_t paging_root(void);
unsigned paging_levels(void);
/* What forbids execution in an entry; 0 where the processor cannot. */
uint64_t paging_no_execute(void);

/* Makes a device's registers reachable, and never cached, where they lie above 4 GiB and in no
 * range of the memory map. False where memory for tables ran out. Before paging_init() it does
 * nothing. */
bool paging_map_device(uint64_t address, uint64_t bytes);

/* Do the page tables in force, of firmware or of the kernel, show all of these addresses (they end
 * below 2^64)? What is there is not checked. */
bool paging_reaches(uint64_t address, uint64_t bytes);

/* Lets the processor gather writes to these whole pages, whose order does not matter (SDM volume
 * 3 section 12.3.1, write combining), by the page attribute table (section 12.12): WC in a page's
 * entry makes its memory WC, whatever the MTRRs (table 12-7). Interrupts off; faults must be
 * caught by then. NULL, or why it cannot be done: nothing has changed then. */
const char *paging_combine_writes(const struct cpu_identity *identity, uint64_t address,
                                  uint64_t bytes);

/* Whole pages of the identity, which are data, become code as well, or data alone again. False
 * where memory for tables ran out or other tables are in force. */
bool paging_allow_execution(uint64_t address, uint64_t bytes, bool allowed);

enum paging_type {
    PAGING_WRITE_BACK, /* by the MTRRs, like all else */
    PAGING_WRITE_COMBINING,
    PAGING_UNCACHED,
};

/* Memory that is shown elsewhere than the identity shows it. */
struct paging_view {
    uint64_t address; /* both are multiples of the page's size, and of 2 MiB */
    uint64_t memory;
    uint64_t bytes; /* whole pages, and a multiple of 2 MiB */
    unsigned level; /* of the pages: 1 4 KiB, 2 2 MiB, 3 1 GiB, if the processor has them; the
                     * same in every view of this address */
    enum paging_type type;
};

/* Shows the memory in pages of that size and type, writable, and takes it out of the identity, so
 * that nothing can reach it as another type meanwhile. The memory must be free, and not in use.
 * Another processor that is to use the view loads CR3 again first. NULL, or why it cannot be done:
 * nothing has changed then. */
const char *paging_view_open(const struct cpu_identity *identity, const struct paging_view *view);
/* As it was before; where it was of another type no line of it is cached. */
void paging_view_close(const struct paging_view *view);

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
