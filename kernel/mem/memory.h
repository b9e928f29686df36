/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Physical memory: hands out what firmware called free, never takes back.
 *
 * All there is to allocate is allocated before or between measurements, and samples stay until the
 * run is over, so that any frame can be sent again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/dev/acpi.h"
#include "kernel/plan/handoff.h"

#define PAGE_SIZE            4096ull
#define MEMORY_GUARDED_BYTES 0x8000ull

/* Learns the free ranges. What lies below 1 MiB is for the start-up code of other processors. The
 * last page of a range is a guard, never handed out: what runs over the end of its memory is to
 * stop there, before firmware's memory or a device. Ranges of less than MEMORY_GUARDED_BYTES have
 * none, nor the largest where that would cost a page of 2 MiB or more. */
void memory_init(const struct handoff *handoff);
/* The guards, as addresses of pages: index 0 to memory_ranges() - 1; 0: that range has none. */
size_t memory_ranges(void);
uint64_t memory_guard(size_t range);
bool memory_is_guard(uint64_t address);

/* `bytes` of zeroed, so already touched, memory at a multiple of `alignment` (a power of two). The
 * tightest range that fits is used. NULL where no range fits. */
void *memory_allocate(size_t bytes, size_t alignment);

/* From now on so many allocations succeed, and then none; those of memory_reserve() count as well.
 * MEMORY_UNLIMITED: as many as there is memory for. For tests. */
#define MEMORY_UNLIMITED SIZE_MAX
void memory_limit_allocations(size_t count);

/* The highest free pages below 640 KiB, as they were left, the same in each call; 0: none. */
uint64_t memory_low_pages(size_t pages);

/* Where memory is nearer to some processors than to others, by SRAT: the reserve is then of one
 * node, that of the processor with this APIC id; where that has no free memory, or SRAT does not
 * list the processor, the node of the largest free part. To be called before the reserve is
 * asked for; changes nothing where all is of one node. */
void memory_reserve_near(const struct acpi_facts *acpi, uint32_t apic_id);

/* The reserve is of the largest range of special memory (MEMORY_SPECIAL), and of all of it, whose
 * node need not have other memory. To be called behind memory_reserve_near(), before the reserve is
 * asked for. False: firmware reports none; nothing has changed. */
bool memory_reserve_special(const struct acpi_facts *acpi);
/* Is it? */
bool memory_reserve_is_special(void);

#define MEMORY_NODE_UNKNOWN (-1)

struct memory_nodes {
    size_t count;      /* that have free memory or a processor; below 2: the rest has no meaning */
    int64_t processor; /* the node of it, or MEMORY_NODE_UNKNOWN */
    int64_t reserve;   /* the same */
};
const struct memory_nodes *memory_nodes(void);
/* A page of each node that has free memory, where there are two nodes or more. At
 * most so many nodes, in the order of SRAT. Taken together with the reserve. */
#define MEMORY_NODE_PAGES_MAX 8
struct memory_node_page {
    uint32_t node;
    void *page; /* zeroed */
};
size_t memory_node_pages(const struct memory_node_page **pages);
/* The first byte behind the reserve. */
uint64_t memory_reserve_end(void);

/* The second half of what is left of the largest free range, or part of the chosen node, when this
 * is first called, for one user who always gets the same memory again: `bytes` (a multiple of
 * `alignment`, a power of two of at least 4 KiB) at the highest multiple of `alignment`. Every page
 * of it has been written to, but its contents are undefined. 0: not so much. */
uint64_t memory_reserve(uint64_t bytes, uint64_t alignment);
/* The most that memory_reserve() could give. */
uint64_t memory_reserve_max(uint64_t alignment);

/* `bytes` in the middle of what is left of the largest free range, at a multiple of 2 MiB: not
 * handed out, and by this image never touched. The caller may write there until more is allocated.
 * 0: not so much is left. */
uint64_t memory_untouched(uint64_t bytes);

/* Bytes in all free ranges at the start. */
uint64_t memory_total(void);
