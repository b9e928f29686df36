/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/mem/memory.h"

#define FIRST_ADDRESS 0x100000ull

struct free_range {
    uint64_t next; /* first byte not handed out */
    uint64_t end;
};

static struct free_range ranges[HANDOFF_RANGES_MAX];
static size_t range_count;
static uint64_t total;

void memory_init(const struct handoff *handoff)
{
    range_count = 0;
    total = 0;
    for (uint32_t i = 0; i < handoff->range_count; i++) {
        const struct memory_range *range = &handoff->ranges[i];
        const uint64_t end = range->address + range->pages * PAGE_SIZE;
        const uint64_t start = range->address < FIRST_ADDRESS ? FIRST_ADDRESS : range->address;

        if (range->kind == MEMORY_FREE && start < end) {
            ranges[range_count++] = (struct free_range){start, end};
            total += end - start;
        }
    }
}

/* The library's memset uses non-temporal stores, which would leave the memory out of the caches. */
static void *clear(void *memory, size_t bytes)
{
    void *at = memory;

    __asm__ volatile("rep stosb" : "+D"(at), "+c"(bytes) : "a"(0) : "memory");
    return memory;
}

static uint64_t align_up(uint64_t address, uint64_t alignment)
{
    return (address + alignment - 1) & ~(alignment - 1);
}

void *memory_allocate(size_t bytes, size_t alignment)
{
    struct free_range *best = NULL;

    for (size_t i = 0; i < range_count; i++) {
        struct free_range *range = &ranges[i];
        const uint64_t start = align_up(range->next, alignment);

        if (start >= range->next && start <= range->end && bytes <= range->end - start &&
            (best == NULL || range->end - range->next < best->end - best->next)) {
            best = range;
        }
    }
    if (best == NULL) {
        return NULL;
    }
    const uint64_t start = align_up(best->next, alignment);

    best->next = start + bytes;
    return clear((void *)(uintptr_t)start, bytes);
}

uint64_t memory_total(void)
{
    return total;
}
