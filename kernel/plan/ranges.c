/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/plan/ranges.h"

#define PAGE_SIZE   4096ull
#define TABLES_AREA 0xe0000ull
#define TABLES_END  0x100000ull
#define SHOWN_BITS  46     /* paging.c uses higher addresses for other mappings */
#define PIXELS_MAX  32768u /* limit for pixels per line and for lines, above any existing screen */

static uint64_t end_of(const struct memory_range *range)
{
    return range->address + range->pages * PAGE_SIZE;
}

/* Follows adjoining ranges: where one ends, the next one must begin. */
bool ranges_are_memory(const struct handoff *handoff, uint64_t address, uint64_t length)
{
    const uint64_t end = address + length;
    uint64_t at = address;

    if (end < address || address < PAGE_SIZE) {
        return false;
    }
    if (address >= TABLES_AREA && end <= TABLES_END) {
        return true;
    }
    for (uint32_t i = 0; i < handoff->range_count && at < end; i++) {
        const struct memory_range *range = &handoff->ranges[i];

        if (range->kind != MEMORY_DEVICE && at >= range->address && at < end_of(range)) {
            at = end_of(range);
        }
    }
    return at >= end;
}

uint64_t ranges_limit(unsigned physical_bits)
{
    return 1ull << (physical_bits < SHOWN_BITS ? physical_bits : SHOWN_BITS);
}

bool ranges_may_be_device(const struct handoff *handoff, uint64_t address, uint64_t length,
                          unsigned physical_bits)
{
    const uint64_t limit = ranges_limit(physical_bits);

    if (address < PAGE_SIZE || address >= limit || length > limit - address) {
        return false;
    }
    for (uint32_t i = 0; i < handoff->range_count; i++) {
        const struct memory_range *range = &handoff->ranges[i];
        const bool is_ram = range->kind != MEMORY_DEVICE && range->kind != MEMORY_OTHER;

        if (is_ram && address < end_of(range) && range->address < address + length) {
            return false;
        }
    }
    return true;
}

void ranges_check_screen(struct handoff *handoff, unsigned physical_bits)
{
    struct framebuffer *screen = &handoff->framebuffer;
    const uint64_t bytes = (uint64_t)screen->stride * screen->height * sizeof(uint32_t);
    const bool good = screen->width > 0 && screen->width <= screen->stride &&
                      screen->stride <= PIXELS_MAX && screen->height <= PIXELS_MAX && bytes > 0 &&
                      bytes <= screen->size && screen->address % sizeof(uint32_t) == 0 &&
                      ranges_may_be_device(handoff, screen->address, bytes, physical_bits);

    screen->size = bytes;
    screen->address = good ? screen->address : 0;
}
