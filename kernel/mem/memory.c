/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/mem/memory.h"

#define FIRST_ADDRESS 0x100000ull
#define LOW_END       0xa0000ull /* from here on the screen of old */
#define LARGE_PAGE    0x200000ull

struct free_range {
    uint64_t next; /* first byte not handed out */
    uint64_t end;
    uint64_t guard; /* 0: none */
};

static struct free_range ranges[HANDOFF_RANGES_MAX];
static size_t range_count;
static uint64_t total;
static const struct handoff *map; /* what is below FIRST_ADDRESS is in it alone */

static struct free_range *largest_range(void)
{
    struct free_range *largest = &ranges[0];

    for (size_t i = 1; i < range_count; i++) {
        if (ranges[i].end - ranges[i].next > largest->end - largest->next) {
            largest = &ranges[i];
        }
    }
    return largest;
}

static void set_guards(void)
{
    const struct free_range *largest = largest_range();

    for (size_t i = 0; i < range_count; i++) {
        struct free_range *range = &ranges[i];
        const bool costly = range == largest && range->end % LARGE_PAGE == 0;

        if (!costly && range->end - range->next >= MEMORY_GUARDED_BYTES) {
            range->end -= PAGE_SIZE;
            range->guard = range->end;
        }
    }
}

void memory_init(const struct handoff *handoff)
{
    range_count = 0;
    total = 0;
    map = handoff;
    for (uint32_t i = 0; i < handoff->range_count; i++) {
        const struct memory_range *range = &handoff->ranges[i];
        const uint64_t end = range->address + range->pages * PAGE_SIZE;
        const uint64_t start = range->address < FIRST_ADDRESS ? FIRST_ADDRESS : range->address;

        if (range->kind == MEMORY_FREE && start < end) {
            ranges[range_count++] = (struct free_range){start, end, 0};
            total += end - start;
        }
    }
    set_guards();
}

size_t memory_ranges(void)
{
    return range_count;
}

uint64_t memory_guard(size_t range)
{
    return ranges[range].guard;
}

bool memory_is_guard(uint64_t address)
{
    for (size_t i = 0; i < range_count; i++) {
        if (ranges[i].guard != 0 && address - ranges[i].guard < PAGE_SIZE) {
            return true;
        }
    }
    return false;
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

static size_t allocations_left = MEMORY_UNLIMITED;

void memory_limit_allocations(size_t count)
{
    allocations_left = count;
}

/* Is this one too many? */
static bool refused(void)
{
    if (allocations_left != MEMORY_UNLIMITED && allocations_left > 0) {
        allocations_left--;
        return false;
    }
    return allocations_left == 0;
}

void *memory_allocate(size_t bytes, size_t alignment)
{
    struct free_range *best = NULL;

    if (refused()) {
        return NULL;
    }

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

uint64_t memory_low_pages(size_t pages)
{
    const uint64_t bytes = pages * PAGE_SIZE;
    uint64_t highest = 0;

    for (uint32_t i = 0; i < map->range_count; i++) {
        const struct memory_range *range = &map->ranges[i];
        /* Never page 0, which is absent. */
        const uint64_t start = range->address < PAGE_SIZE ? PAGE_SIZE : range->address;
        const uint64_t whole_end = range->address + range->pages * PAGE_SIZE;
        const uint64_t end = whole_end < LOW_END ? whole_end : LOW_END;

        if (range->kind == MEMORY_FREE && end >= start + bytes && end - bytes > highest) {
            highest = end - bytes;
        }
    }
    return highest;
}

/* ---- the reserve ---- */

/* It grows downwards, so that a larger part holds the smaller ones. */
static struct {
    struct free_range *range; /* NULL: not chosen yet */
    uint64_t floor;
    uint64_t low; /* first byte that was handed out */
    uint64_t top;
} reserve;

static void choose_reserve(void)
{
    struct free_range *largest = largest_range();

    reserve.range = largest;
    reserve.floor = largest->next + (largest->end - largest->next) / 2;
    reserve.low = largest->end;
    reserve.top = largest->end;
}

/* Where memory_allocate() may not have been before. */
static uint64_t reserve_floor(void)
{
    if (reserve.range == NULL) {
        choose_reserve();
    }
    return reserve.range->next > reserve.floor ? reserve.range->next : reserve.floor;
}

/* By a write: what was only read may be one page of zeroes of the hypervisor's, many times. */
static void touch(uint64_t address, uint64_t end)
{
    for (; address < end; address += PAGE_SIZE) {
        *(volatile uint64_t *)(uintptr_t)address = 0;
    }
}

uint64_t memory_reserve_max(uint64_t alignment)
{
    const uint64_t begin = align_up(reserve_floor(), alignment);
    const uint64_t end = reserve.top & ~(alignment - 1);

    return begin < end ? end - begin : 0;
}

uint64_t memory_reserve(uint64_t bytes, uint64_t alignment)
{
    if (bytes > memory_reserve_max(alignment) || refused()) {
        return 0;
    }
    const uint64_t address = (reserve.top & ~(alignment - 1)) - bytes;

    if (address < reserve.low) {
        touch(address, reserve.low);
        reserve.low = address;
        reserve.range->end = address;
    }
    return address;
}

uint64_t memory_total(void)
{
    return total;
}
