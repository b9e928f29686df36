/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Physical memory: hands out what firmware reported as free, and takes none back.
 *
 * All memory is allocated before or between measurements. Samples stay until the run is over, so
 * that any frame can be sent again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"
#include "kernel/plan/handoff.h"

#define PAGE_SIZE            4096ull
#define MEMORY_GUARDED_BYTES 0x8000ull

/* Reads the free ranges from the handoff. Memory below 1 MiB is left for the start-up code of other
 * processors. The last page of a range is a guard and never handed out, so that a write past the
 * end of memory stops there, before it reaches firmware's memory or a device. There is no guard in
 * ranges of less than MEMORY_GUARDED_BYTES, nor in the largest range if its end is a multiple of 2
 * MiB, because the guard would cost a page of 2 MiB or more there. */
void memory_init(const struct handoff *handoff);
/* The guards of the ranges 0 to memory_ranges() - 1: memory_guard() returns the address of the
 * guard page, or 0 if that range has none. */
size_t memory_ranges(void);
uint64_t memory_guard(size_t range);
bool memory_is_guard(uint64_t address);

/* Allocates `bytes` of zeroed memory, which is therefore touched already, at a multiple of
 * `alignment` (a power of two), from the smallest range that fits. Returns NULL if no range
 * fits. */
void *memory_allocate(size_t bytes, size_t alignment);

#define MEMORY_SETS_BYTES (16 * PAGE_SIZE)

/* Places what is allocated by its size alone within MEMORY_SETS_BYTES, the pages of a TLB's sets,
 * so that misses do not depend on what was allocated before. Each allocation then takes up to twice
 * MEMORY_SETS_BYTES more. */
extern bool memory_places_by_size;

/* Lets `count` more allocations succeed and fails all after them; memory_reserve() counts as well.
 * MEMORY_UNLIMITED removes the limit. For tests. */
#define MEMORY_UNLIMITED SIZE_MAX
void memory_limit_allocations(size_t count);

/* Returns the address of the highest `pages` free pages in a row below 640 KiB, with their contents
 * as firmware left them. It is the same in each call; 0 if there are none. */
uint64_t memory_low_pages(size_t pages);

/* Chooses the node of the reserve, if SRAT lists several nodes: the node of the processor with
 * this APIC id. If that node has no free memory, or SRAT does not list the processor, chooses the
 * node of the largest free part. Does nothing if there is only one node. Call before
 * memory_reserve(). */
void memory_reserve_near(const struct acpi_facts *acpi, uint32_t apic_id);

/* Makes the reserve use the largest range of special memory (MEMORY_SPECIAL) and all of it, even if
 * its node has no other memory. Call after memory_reserve_near() and before memory_reserve().
 * Returns false, and changes nothing, if firmware reports no special memory. */
bool memory_reserve_special(const struct acpi_facts *acpi);
/* Returns whether the reserve is special memory. */
bool memory_reserve_is_special(void);

#define MEMORY_NODE_UNKNOWN (-1)

struct memory_nodes {
    /* nodes that have free memory or a processor; if less than 2, the other fields have no
     * meaning */
    size_t count;
    int64_t processor; /* node of the processor, or MEMORY_NODE_UNKNOWN */
    int64_t reserve;   /* node of the reserve, or MEMORY_NODE_UNKNOWN */
};
const struct memory_nodes *memory_nodes(void);
/* One page of each node that has at least 2 MiB of free memory, if there are two nodes or more: at
 * most MEMORY_NODE_PAGES_MAX nodes, in the order of SRAT. memory_reserve_near() allocates the
 * pages. */
#define MEMORY_NODE_PAGES_MAX 8
struct memory_node_page {
    uint32_t node;
    void *page; /* zeroed */
};
size_t memory_node_pages(const struct memory_node_page **pages);
/* Returns the address of the first byte after the reserve. */
uint64_t memory_reserve_end(void);

/* Returns memory of the reserve, which is for a single user: every call returns the end of the same
 * memory. The reserve is the upper half of what is left of the largest free range when this is
 * first called, or of the largest part of the node that memory_reserve_near() chose. Returns the
 * highest address with `bytes` (a multiple of `alignment`, a power of two of at least 4 KiB) at a
 * multiple of `alignment`, or 0 if there is not as much. Every page has been written to, but its
 * contents are undefined. */
uint64_t memory_reserve(uint64_t bytes, uint64_t alignment);
/* Returns the largest size that memory_reserve() could return. */
uint64_t memory_reserve_max(uint64_t alignment);

/* Returns the address of `bytes` in the middle of what is left of the largest free range, at a
 * multiple of 2 MiB. This memory is not allocated, and the image has never touched it. The caller
 * may write there until more is allocated. Returns 0 if not as much is left. */
uint64_t memory_untouched(uint64_t bytes);

/* Returns the number of bytes in all free ranges at the start. */
uint64_t memory_total(void);
