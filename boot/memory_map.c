/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/memory_map.h"

#include <string.h>

#define PAGE_SIZE  4096ull
#define KIND_COUNT (MEMORY_OTHER + 1)
/* EFI_MEMORY_SP: specific-purpose memory (UEFI 2.8 section 7.2.3). */
#define SPECIFIC_PURPOSE 0x40000ull

/* The same as EFI_MEMORY_DESCRIPTOR. */
struct descriptor {
    uint32_t type;
    uint32_t reserved;
    uint64_t start;
    uint64_t virtual_start;
    uint64_t pages;
    uint64_t attribute;
};

/* What a descriptor is converted to. The list of extents overwrites the map; as an extent is
 * smaller than a descriptor, it never overwrites one that has not been read yet. */
struct extent {
    uint64_t start;
    uint64_t end;
    enum memory_kind kind;
};

struct extents {
    struct extent *at;
    size_t count;
};

/* Returns the kind for an EFI_MEMORY_TYPE (table 7.10). Unaccepted memory (15) and types that OEMs
 * define are not used. */
static enum memory_kind kind_of(uint32_t type)
{
    static const uint8_t kinds[] = {
        MEMORY_OTHER,        MEMORY_FIRMWARE,     MEMORY_FIRMWARE, MEMORY_FIRMWARE, MEMORY_FIRMWARE,
        MEMORY_RUNTIME_CODE, MEMORY_RUNTIME_DATA, MEMORY_FREE,     MEMORY_OTHER,    MEMORY_ACPI,
        MEMORY_ACPI,         MEMORY_DEVICE,       MEMORY_DEVICE,
    };

    return type < sizeof(kinds) ? (enum memory_kind)kinds[type] : MEMORY_OTHER;
}

/* Converts a descriptor. Free memory shrinks to whole pages, other memory grows to them. Returns
 * false if the descriptor makes no sense or nothing is left of it. */
static bool read_extent(const struct descriptor *descriptor, uint64_t limit, struct extent *extent)
{
    const bool special = (descriptor->attribute & SPECIFIC_PURPOSE) != 0;
    const enum memory_kind by_type = kind_of(descriptor->type);
    const enum memory_kind kind = by_type == MEMORY_FREE && special ? MEMORY_SPECIAL : by_type;
    const uint64_t up = PAGE_SIZE - 1;

    if (descriptor->pages == 0 || descriptor->start >= limit) {
        return false;
    }
    const bool beyond = descriptor->pages > (limit - descriptor->start) / PAGE_SIZE;
    const uint64_t end = beyond ? limit : descriptor->start + descriptor->pages * PAGE_SIZE;

    if (kind == MEMORY_FREE) {
        *extent = (struct extent){(descriptor->start + up) & ~up, end & ~up, kind};
        return !beyond && extent->start < extent->end;
    }
    *extent = (struct extent){descriptor->start & ~up, (end + up) & ~up, kind};
    return true;
}

/* Converts all descriptors. Each is copied first, because the stride need not be a multiple of the
 * alignment. */
static struct extents read_extents(uint8_t *bytes, size_t count, uint64_t stride, uint64_t limit)
{
    struct extents extents = {(struct extent *)(void *)bytes, 0};

    for (size_t i = 0; i < count; i++) {
        struct descriptor descriptor;

        memcpy(&descriptor, bytes + i * stride, sizeof(descriptor));
        extents.count += read_extent(&descriptor, limit, &extents.at[extents.count]) ? 1 : 0;
    }
    return extents;
}

/* Uses insertion sort, because nearly all maps are in order already. */
static void sort(const struct extents *extents)
{
    for (size_t i = 1; i < extents->count; i++) {
        const struct extent moved = extents->at[i];
        size_t at = i;

        for (; at > 0 && extents->at[at - 1].start > moved.start; at--) {
            extents->at[at] = extents->at[at - 1];
        }
        extents->at[at] = moved;
    }
}

/* ---- ranges ---- */

/* Returns the value of a range, to drop the least valuable ones if there are too many. Runtime
 * code, which ends the run, runtime data and ACPI tables must be kept; unusable memory need not
 * be. */
static uint64_t worth(const struct memory_range *range)
{
    switch (range->kind) {
    case MEMORY_FREE:
        return 1 + range->pages;
    case MEMORY_FIRMWARE:
        return 1;
    case MEMORY_SPECIAL:
    case MEMORY_DEVICE:
    case MEMORY_OTHER:
        return 0;
    default:
        return UINT64_MAX;
    }
}

/* Removes the least important range. Returns false if none is less important than `range`. */
static bool make_room(struct handoff *handoff, const struct memory_range *range)
{
    uint32_t lowest = 0;

    for (uint32_t i = 1; i < handoff->range_count; i++) {
        if (worth(&handoff->ranges[i]) < worth(&handoff->ranges[lowest])) {
            lowest = i;
        }
    }
    if (worth(&handoff->ranges[lowest]) >= worth(range)) {
        return false;
    }
    handoff->range_count--;
    for (uint32_t i = lowest; i < handoff->range_count; i++) {
        handoff->ranges[i] = handoff->ranges[i + 1];
    }
    return true;
}

/* Adds a range that is complete: no later memory can extend it. */
static void add_range(struct handoff *handoff, const struct memory_range *range)
{
    if (range->pages == 0) {
        return;
    }
    if (handoff->range_count == HANDOFF_RANGES_MAX) {
        handoff->ranges_truncated = true;
        if (!make_room(handoff, range)) {
            return;
        }
    }
    handoff->ranges[handoff->range_count++] = *range;
}

/* State of a sweep over all addresses. reach[kind] is the highest end of the extents of that kind
 * that begin at or before `at`; the kind covers `at` if that end is beyond it. */
struct sweep {
    uint64_t at;
    uint64_t reach[KIND_COUNT];
};

/* Returns the latest kind that covers `at`, or KIND_COUNT if none does. Lowers *end to the lowest
 * end of the kinds that cover it. Sets *overlap if there are several. */
static unsigned covering_kind(const struct sweep *sweep, uint64_t *end, bool *overlap)
{
    unsigned found = KIND_COUNT;

    for (unsigned kind = 0; kind < KIND_COUNT; kind++) {
        if (sweep->reach[kind] > sweep->at) {
            *overlap = *overlap || found != KIND_COUNT;
            found = kind;
            *end = sweep->reach[kind] < *end ? sweep->reach[kind] : *end;
        }
    }
    return found;
}

/* Moves from each address where an extent begins or ends to the next one. */
static void cover(const struct extents *extents, uint64_t limit, struct handoff *handoff)
{
    const struct extent *next = extents->at;
    const struct extent *behind = extents->at + extents->count;
    struct memory_range last = {0};
    struct sweep sweep = {0};

    while (sweep.at < limit) {
        for (; next < behind && next->start <= sweep.at; next++) {
            if (next->end > sweep.reach[next->kind]) {
                sweep.reach[next->kind] = next->end;
            }
        }
        uint64_t end = next < behind ? next->start : limit;
        const unsigned kind = covering_kind(&sweep, &end, &handoff->ranges_overlap);
        const uint64_t pages = (end - sweep.at) / PAGE_SIZE;

        if (kind == last.kind && last.address + last.pages * PAGE_SIZE == sweep.at) {
            last.pages += pages;
        } else if (kind != KIND_COUNT) {
            add_range(handoff, &last);
            last = (struct memory_range){sweep.at, pages, (enum memory_kind)kind};
        }
        sweep.at = end;
    }
    add_range(handoff, &last);
}

void memory_map_reduce(void *descriptors, uint64_t size, uint64_t stride, uint64_t limit,
                       struct handoff *handoff)
{
    const size_t count = stride >= sizeof(struct descriptor) ? (size_t)(size / stride) : 0;
    const struct extents extents = read_extents(descriptors, count, stride, limit);

    handoff->descriptor_size = (uint32_t)stride;
    handoff->descriptors_refused = (uint32_t)(count - extents.count);
    handoff->range_count = 0;
    handoff->ranges_truncated = handoff->ranges_overlap = false;
    sort(&extents);
    cover(&extents, limit, handoff);
}
