/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks memory in firmware's map as in use. Memory that is missed here is overwritten when the
 * kernel uses it, whereas memory that is marked without need costs only a few pages. So doubtful
 * memory is always marked. */
#include "boot/in_use.h"

#include <stdbool.h>

#include "boot/boot.h"

#define PAGE_BYTES 4096ull

static uint64_t end_of(const EFI_MEMORY_DESCRIPTOR *part)
{
    return part->PhysicalStart + part->NumberOfPages * PAGE_BYTES;
}

static EFI_MEMORY_DESCRIPTOR *part_at(const struct map_in_use *map, uint64_t at)
{
    return map->stride >= sizeof(EFI_MEMORY_DESCRIPTOR) && map->size >= map->stride &&
                   at <= map->size - map->stride
               ? (EFI_MEMORY_DESCRIPTOR *)((uint8_t *)map->descriptors + at)
               : NULL;
}

/* Returns the first free part that overlaps [start, end), or NULL if there is none. */
static EFI_MEMORY_DESCRIPTOR *free_part(const struct map_in_use *map, uint64_t start, uint64_t end)
{
    EFI_MEMORY_DESCRIPTOR *part;

    for (uint64_t at = 0; (part = part_at(map, at)) != NULL; at += map->stride) {
        if (part->Type == EfiConventionalMemory && part->PhysicalStart < end &&
            end_of(part) > start) {
            return part;
        }
    }
    return NULL;
}

/* Returns the boot-services part that ends at `start`, so that it can grow instead of a new
 * descriptor being added; NULL if there is none. */
static EFI_MEMORY_DESCRIPTOR *kept_before(const struct map_in_use *map, uint64_t start)
{
    EFI_MEMORY_DESCRIPTOR *part;

    for (uint64_t at = 0; (part = part_at(map, at)) != NULL; at += map->stride) {
        if (part->Type == EfiBootServicesData && end_of(part) == start) {
            return part;
        }
    }
    return NULL;
}

/* Adds a descriptor for [start, end) unless that is empty. Returns false if there is no room. */
static bool add_part(struct map_in_use *map, const EFI_MEMORY_DESCRIPTOR *like, UINT32 type,
                     uint64_t start, uint64_t end)
{
    if (start == end) {
        return true;
    }
    if (map->size + map->stride > map->capacity) {
        return false;
    }
    map->size += map->stride;
    EFI_MEMORY_DESCRIPTOR *part = part_at(map, map->size - map->stride);

    *part = *like;
    part->Type = type;
    part->PhysicalStart = start;
    part->NumberOfPages = (end - start) / PAGE_BYTES;
    return true;
}

static void set(EFI_MEMORY_DESCRIPTOR *part, uint64_t start, uint64_t end)
{
    part->PhysicalStart = start;
    part->NumberOfPages = (end - start) / PAGE_BYTES;
}

/* Marks [start, end), which lies inside the free part. The memory on both sides stays free as far
 * as there is room for descriptors, the larger side first. */
static void cut(struct map_in_use *map, EFI_MEMORY_DESCRIPTOR *part, uint64_t start, uint64_t end)
{
    const EFI_MEMORY_DESCRIPTOR whole = *part;
    const uint64_t first = whole.PhysicalStart;
    const uint64_t behind = end_of(&whole);
    EFI_MEMORY_DESCRIPTOR *before = first == start && end < behind ? kept_before(map, start) : NULL;

    if (before != NULL) {
        set(before, before->PhysicalStart, end);
        set(part, end, behind);
        return;
    }
    bool upper =
        behind - end > start - first && add_part(map, &whole, EfiConventionalMemory, end, behind);
    const bool lower = add_part(map, &whole, EfiConventionalMemory, first, start);

    upper = upper || add_part(map, &whole, EfiConventionalMemory, end, behind);
    part->Type = EfiBootServicesData;
    set(part, lower ? start : first, upper ? end : behind);
}

void in_use_keep(struct map_in_use *map, uint64_t start, uint64_t bytes)
{
    const uint64_t first = start & ~(PAGE_BYTES - 1);
    const uint64_t end = (start + bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
    EFI_MEMORY_DESCRIPTOR *part;

    while (first < end && (part = free_part(map, first, end)) != NULL) {
        const uint64_t from = part->PhysicalStart > first ? part->PhysicalStart : first;
        const uint64_t to = end_of(part) < end ? end_of(part) : end;

        cut(map, part, from, to);
    }
}
