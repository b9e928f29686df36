/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Models the translation buffers of a Pentium (Intel, "Pentium Processor Family Developer's
 * Manual", 1995, volume 1, 3.7): 64 entries for data and 32 for code, in sets of 4 ways. A set
 * replaces the page used least recently. A load of CR3 empties both buffers.
 *
 * The model treats every page as one of 4 KiB, whatever the page tables say, treats no page as
 * global, and ignores INVLPG.
 *
 * Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define TLB_WAYS         4
#define TLB_DATA_ENTRIES 64
#define TLB_CODE_ENTRIES 32
#define TLB_SETS_MAX     (TLB_DATA_ENTRIES / TLB_WAYS)
#define TLB_PAGE_BITS    12

struct tlb {
    unsigned sets;                         /* a power of two */
    uint64_t page[TLB_SETS_MAX][TLB_WAYS]; /* page number + 1, most recently used first; 0: empty */
};

static inline void tlb_empty(struct tlb *tlb)
{
    memset(tlb->page, 0, sizeof(tlb->page));
}

static inline void tlb_init(struct tlb *tlb, unsigned entries)
{
    tlb->sets = entries / TLB_WAYS;
    tlb_empty(tlb);
}

/* Moves a page that is not the first of its set to the front. Returns whether it was missing. */
static inline bool tlb_reorder(uint64_t set[TLB_WAYS], uint64_t page)
{
    unsigned way = 0;

    while (way < TLB_WAYS - 1 && set[way] != page + 1) {
        way++;
    }
    const bool missing = set[way] != page + 1;

    memmove(&set[1], &set[0], way * sizeof(set[0]));
    set[0] = page + 1;
    return missing;
}

/* Uses the page of number `page`. Returns whether it was missing. */
static inline bool tlb_misses(struct tlb *tlb, uint64_t page)
{
    uint64_t *set = tlb->page[page & (tlb->sets - 1)];

    return set[0] != page + 1 && tlb_reorder(set, page);
}
