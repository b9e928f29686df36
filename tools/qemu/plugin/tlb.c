/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/plugin/tlb.h"

#include <string.h>

void tlb_init(struct tlb *tlb, unsigned entries)
{
    tlb->sets = entries / TLB_WAYS;
    tlb_empty(tlb);
}

void tlb_empty(struct tlb *tlb)
{
    memset(tlb->page, 0, sizeof(tlb->page));
}

bool tlb_reorder(uint64_t set[TLB_WAYS], uint64_t page)
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
