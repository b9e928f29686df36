/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware's memory map (UEFI 2.10 section 7.2.3), which may lie, as the ranges of the handoff.
 *
 * Descriptors may come in any order and any number, overlap, be empty, unaligned or beyond what can
 * be addressed. The ranges are sorted, apart from each other, and merged where they adjoin; where
 * two kinds claim the same memory, the later of enum memory_kind has it: nothing is free that
 * anybody else wants.
 */
#pragma once

#include <stdint.h>

#include "kernel/handoff.h"

/* Above it the kernel's page tables show other things (kernel/mem/paging.c): what begins there is
 * refused, and free memory that reaches it as well; other ranges end there. */
#define MEMORY_MAP_LIMIT (1ull << 46)

/* `descriptors` are `size` bytes, aligned to 8, `stride` bytes each, which is at least 40 on every
 * firmware; they are overwritten. Sets the ranges and all else that the handoff says of the map.
 * Where there are more than HANDOFF_RANGES_MAX ranges, the largest free ones are kept, and what
 * only the kernel must not touch goes first. */
void memory_map_reduce(void *descriptors, uint64_t size, uint64_t stride, struct handoff *handoff);
