/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The kernel's page tables (SDM volume 3 chapter 4): the identity mapping, with exceptions. Only
 * the image's code and the firmware's runtime code are executable. The image's constants and these
 * tables are read only. Page 0 and the guard pages, below stacks and after free memory (memory.h),
 * are absent. So a bench that writes past the end of its memory is ended there; without the guards,
 * such a write could end the machine by a fault without a handler. Ring 3 can access only the code
 * marked for it (section .user of linker.ld).
 *
 * Memory types are left to the MTRRs that firmware set. Every entry is write-back, except those of
 * the framebuffer if paging_combine_writes() succeeded, of devices above 4 GiB, and of views of
 * another type.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"
#include "kernel/plan/handoff.h"

/* Builds the tables and activates them. Returns false if memory for tables ran out; the firmware's
 * tables then stay active. Uses four or five levels, as firmware set CR4.LA57. */
bool paging_init(const struct handoff *handoff, const struct cpu_identity *identity);

/* For other address spaces, which share all that these tables map (address_space.h). paging_root()
 * returns the address of the highest table, or 0 if these tables are not active. */
uint64_t paging_root(void);
unsigned paging_levels(void);
/* Returns the bit that forbids execution in an entry; 0 if the processor has none. */
uint64_t paging_no_execute(void);

/* Maps a device's registers uncached if they lie above 4 GiB, where the identity mapping contains
 * only the ranges of the memory map. Returns false if memory for tables ran out. Does nothing
 * before paging_init(). */
bool paging_map_device(uint64_t address, uint64_t bytes);

/* Returns whether the active page tables, firmware's or the kernel's, map all of these addresses
 * (which end below 2^64). Does not check what is there. */
bool paging_reaches(uint64_t address, uint64_t bytes);
/* Returns the memory at an address, or NULL. The page tables that firmware left may not map all
 * memory that its map reports. */
const void *paging_memory_at(const void *handoff, uint64_t address, uint64_t length);

/* Lets the processor combine writes to these whole pages (SDM volume 3 section 12.3.1, write
 * combining) by the page attribute table (section 12.12): WC in a page's entry makes its memory WC,
 * whatever the MTRRs say (table 12-7). Use it only if the order of the writes does not matter. Call
 * with interrupts off and faults caught. Returns NULL on success, otherwise the reason; nothing has
 * changed then. */
const char *paging_combine_writes(const struct cpu_identity *identity, uint64_t address,
                                  uint64_t bytes);

/* Makes whole data pages of the identity mapping executable, or makes them data only again. Returns
 * false if memory for tables ran out or other tables are active. */
bool paging_allow_execution(uint64_t address, uint64_t bytes, bool allowed);

enum paging_type {
    PAGING_WRITE_BACK, /* as the MTRRs say, like all other memory */
    PAGING_WRITE_COMBINING,
    PAGING_UNCACHED,
};

/* Memory that is mapped at an address other than its own. `address`, `memory` and `bytes` are
 * multiples of the page size and of 2 MiB. */
struct paging_view {
    uint64_t address; /* where the memory appears */
    uint64_t memory;
    uint64_t bytes;
    /* size of the pages: 1 for 4 KiB, 2 for 2 MiB, 3 for 1 GiB (if the processor has them); every
     * view of this address must use the same */
    unsigned level;
    enum paging_type type;
};

/* Maps the memory in pages of that size and type, writable, and removes it from the identity
 * mapping, so that nothing can access it with another type meanwhile. The memory must be free and
 * not in use. Another processor must reload CR3 before it uses the view. Returns NULL on success,
 * otherwise the reason; nothing has changed then. */
const char *paging_view_open(const struct cpu_identity *identity, const struct paging_view *view);
/* Restores the identity mapping. If the view was not write-back, no line of the memory is cached
 * afterwards. */
void paging_view_close(const struct paging_view *view);

/* Returns the address of `pages` consecutive pages of 4 KiB that all map the same zeroed page of
 * memory. This makes many translations, no two of which can be held as one, with hardly any memory.
 * The pages are above all that the identity maps, and at the same address in every call. Returns 0
 * if memory ran out or other tables are active. */
uint64_t paging_alias_pages(uint64_t pages);

/* A stack of a multiple of 4 KiB above an absent guard page. */
struct stack {
    uint64_t low; /* first byte; the page below it is the guard */
    uint64_t top; /* one past the last byte; 16-byte aligned */
};

/* Creates a stack. Returns false if memory ran out. */
bool paging_stack_create(size_t bytes, struct stack *stack);

/* Returns whether `address` is inside the guard page of a stack made by paging_stack_create(). */
bool paging_is_guard(uint64_t address);
