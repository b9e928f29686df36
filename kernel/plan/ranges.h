/* SPDX-License-Identifier: BSD-2-Clause */
/* Looks up addresses in the ranges of firmware's memory map, so that a wrong address, from a table
 * or the plan, is not followed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/plan/handoff.h"

/* Returns whether all of it is memory. The area in which old firmware keeps its tables counts as
 * memory, although memory maps often omit it (ACPI 6.5 section 5.2.5.1); page 0 does not count. */
bool ranges_are_memory(const struct handoff *handoff, uint64_t address, uint64_t length);

/* Returns the end of usable addresses for a processor with `physical_bits` bits of physical
 * address. Four levels of page tables must be able to identity-map them all; kernel/mem/paging.c
 * uses the addresses above for other mappings. */
uint64_t ranges_limit(unsigned physical_bits);

/* Returns whether none of it is RAM and all of it lies below ranges_limit(). */
bool ranges_may_be_device(const struct handoff *handoff, uint64_t address, uint64_t length,
                          unsigned physical_bits);

/* Sets the framebuffer's size to what its lines take. Sets its address to 0 if it cannot be a
 * framebuffer: no pixels, lines shorter than their width, more bytes than it has, not aligned, in
 * RAM, or out of reach. */
void ranges_check_screen(struct handoff *handoff, unsigned physical_bits);
