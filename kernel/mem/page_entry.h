/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An entry of a page table (SDM volume 3 section 4.5), the same at every level except
 * ENTRY_LARGE.
 */
#pragma once

#include <stdint.h>

#define ENTRY_PRESENT    (1ull << 0)
#define ENTRY_WRITABLE   (1ull << 1)
#define ENTRY_USER       (1ull << 2) /* ring 3 as well; it needs the bit at every level */
#define ENTRY_PAT_1      (1ull << 3) /* PWT without PCD and PAT: entry 1 of the PAT; else 0 */
#define ENTRY_PAT_3      (3ull << 3) /* PWT and PCD without PAT */
#define ENTRY_LARGE      (1ull << 7)
#define ENTRY_OWN        (1ull << 9) /* ignored by the processor, as bits 11 to 9 are */
#define ENTRY_NO_EXECUTE (1ull << 63)
#define ENTRY_ADDRESS    0x000ffffffffff000ull

#define ENTRIES 512

/* Entry of `address` in a table of this level; level 1 is the lowest. */
static inline uint64_t *page_entry_of(uint64_t *table, uint64_t address, unsigned level)
{
    return &table[address >> (12 + 9 * (level - 1)) & (ENTRIES - 1)];
}
