/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Pages that ring 3 sees at an address of the kernel's identity: below 4 GiB, where 16-bit segments
 * can begin. In that address space the identity has these pages in place of others; all other
 * pages show what they show in the kernel's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/mem/address_space.h"

struct low_page {
    const void *page; /* the kernel's address */
    bool code;        /* to be executed and not to be written to; else the other way round */
};

#define ADDRESS_SPACE_LOW_MAX 16

/* Pages of the pool (page_pool.h) that address_space_show_low() takes at the most. */
uint64_t address_space_low_pages(void);

/* Shows `count` pages one behind the other, at most ADDRESS_SPACE_LOW_MAX, from `address` on, a
 * multiple of 64 KiB. Once for an address space, before it is in force: pages that the kernel
 * splits afterwards in that GiB stay as they are in it. False where the pool has too few pages. */
bool address_space_show_low(const struct address_space *space, uint64_t address,
                            const struct low_page *pages, size_t count);
