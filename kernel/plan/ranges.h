/* SPDX-License-Identifier: BSD-2-Clause */
/* The range of firmware's memory map that holds an address. A wrong address, from a table or the
 * plan, must not be followed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/plan/handoff.h"

/* Is all of it memory? So is the area that old firmware keeps its tables in, which its map often
 * leaves out (ACPI 6.5 section 5.2.5.1), and page 0 is none. */
bool ranges_are_memory(const struct handoff *handoff, uint64_t address, uint64_t length);

/* Where memory ends for a processor with so many bits of physical address, and for page tables of
 * four levels that show all of it as it is (kernel/mem/paging.c shows other things above). */
uint64_t ranges_limit(unsigned physical_bits);

/* Is none of it RAM, and all of it below ranges_limit()? */
bool ranges_may_be_device(const struct handoff *handoff, uint64_t address, uint64_t length,
                          unsigned physical_bits);

/* Sets the framebuffer's size to what its lines take; its address to 0 where it cannot be one: no
 * pixels, lines shorter than they are wide, more than it has bytes, not aligned, in RAM, out of
 * reach. */
void ranges_check_screen(struct handoff *handoff, unsigned physical_bits);
