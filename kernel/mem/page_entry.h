/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bits of a page-table entry (SDM volume 3 section 4.5). They are the same at every level except
 * ENTRY_LARGE.
 */
#pragma once

#include <stdint.h>

#define ENTRY_PRESENT  (1ull << 0)
#define ENTRY_WRITABLE (1ull << 1)
#define ENTRY_USER     (1ull << 2) /* ring 3 may access it, if the bit is set at every level */
/* PWT without PCD and PAT selects entry 1 of the PAT; without any of them, entry 0 */
#define ENTRY_PAT_1      (1ull << 3)
#define ENTRY_PAT_3      (3ull << 3) /* PWT and PCD without PAT select entry 3 */
#define ENTRY_LARGE      (1ull << 7)
#define ENTRY_OWN        (1ull << 9) /* free for software: the processor ignores bits 9 to 11 */
#define ENTRY_NO_EXECUTE (1ull << 63)
#define ENTRY_ADDRESS    0x000ffffffffff000ull

#define ENTRIES 512

/* Returns the entry for `address` in a table of this level; level 1 is the lowest. */
static inline uint64_t *page_entry_of(uint64_t *table, uint64_t address, unsigned level)
{
    return &table[address >> (12 + 9 * (level - 1)) & (ENTRIES - 1)];
}
