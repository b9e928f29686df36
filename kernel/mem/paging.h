/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Our own page tables (SDM volume 3 chapter 4): the identity, with three exceptions. Nothing but
 * the image's code and the firmware's runtime code is executable; the image's constants are read
 * only; page 0 and the guard pages under stacks are absent.
 *
 * Memory types are left to the MTRRs that firmware set: every entry says write-back.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"
#include "kernel/handoff.h"

/* Builds the tables and switches to them. False where memory for tables ran out (the firmware's
 * tables then stay in force). Four or five levels, as firmware left CR4.LA57. */
bool paging_init(const struct handoff *handoff, const struct cpu_identity *identity);

/* Makes a device's registers reachable where they lie above 4 GiB and in no range of the memory
 * map. False where memory for tables ran out. Before paging_init() it does nothing. */
bool paging_map_device(uint64_t address, uint64_t bytes);

/* Maps a piece of memory (both multiples of 4 KiB) by 4 KiB pages, whatever maps it now, so that a
 * page a load is a translation a load. False where memory for tables ran out, or where the
 * firmware's tables are in force. */
bool paging_use_small_pages(uint64_t address, uint64_t bytes);

/* A stack of `bytes` (a multiple of 4 KiB) above an absent guard page. */
struct stack {
    uint64_t low; /* first byte; the page below is the guard */
    uint64_t top; /* one past the last byte; 16-byte aligned */
};

/* False where memory ran out. */
bool paging_stack_create(size_t bytes, struct stack *stack);

/* Is `address` inside the guard page of a stack made by paging_stack_create? */
bool paging_is_guard(uint64_t address);
