/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts the firmware's memory map (UEFI 2.10 section 7.2.3), which may be wrong, into the ranges
 * of the handoff.
 *
 * Descriptors may come in any order and number, and may overlap, be empty, unaligned or beyond the
 * addressable range. The resulting ranges are sorted, do not overlap, and are merged where they
 * adjoin. If two kinds claim the same memory, it gets the kind that comes later in enum
 * memory_kind. So memory counts as free only if no other descriptor claims it.
 */
#pragma once

#include <stdint.h>

#include "kernel/plan/handoff.h"

/* Sets the ranges and the other map fields in the handoff. `descriptors` has `size` bytes, is
 * aligned to 8, and is overwritten; each descriptor has `stride` bytes (at least 40 on every
 * firmware). A range that begins at or above `limit` (ranges_limit(), kernel/plan/ranges.h) is
 * rejected, and so is free memory that reaches beyond it; other ranges are cut there. If there are
 * more than HANDOFF_RANGES_MAX ranges, the largest free ones are kept, and memory that the kernel
 * only must not touch is dropped first. */
void memory_map_reduce(void *descriptors, uint64_t size, uint64_t stride, uint64_t limit,
                       struct handoff *handoff);
