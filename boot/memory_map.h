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

#include "kernel/plan/handoff.h"

/* `descriptors` are `size` bytes, aligned to 8, `stride` bytes each, which is at least 40 on every
 * firmware; they are overwritten. Sets the ranges and all else of the map in the handoff.
 * What begins at `limit` (ranges_limit(), kernel/plan/ranges.h) or above is refused, and free
 * memory that reaches beyond it as well; other ranges end there. Where there are more than
 * HANDOFF_RANGES_MAX ranges, the largest free ones are kept, and what only the kernel must not
 * touch goes first. */
void memory_map_reduce(void *descriptors, uint64_t size, uint64_t stride, uint64_t limit,
                       struct handoff *handoff);
