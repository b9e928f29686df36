/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address spaces beside the kernel's (paging.h): each shows all that the kernel's does and memory
 * of its own, for ring 3, in a range where the kernel's has nothing.
 *
 * The kernel's part is shared below the highest table, which is copied: pages that the kernel adds
 * or splits later are seen in every address space, but not where its highest table gains an entry.
 * Nothing does so while processes exist: stacks lie in memory that is mapped already.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ADDRESS_SPACE_TABLES_MAX 16

struct address_space {
    uint64_t root; /* for CR3 */
    uint64_t base; /* of its own memory */
    uint64_t table_count;
    uint64_t *tables[ADDRESS_SPACE_TABLES_MAX]; /* of the lowest level, 2 MiB each */
};

enum page_access {
    PAGE_ABSENT,
    PAGE_OWN,    /* read and write */
    PAGE_SHARED, /* read only */
};

/* Pages of the pool (page_pool.h) that address_space_create() takes for `bytes`. */
uint64_t address_space_pages(uint64_t bytes);

/* Room for `bytes` (a multiple of 2 MiB, at most 16 of them) at `base`, all absent; the whole range
 * within one GiB. False where the pool has too few pages. */
bool address_space_create(struct address_space *space, uint64_t base, uint64_t bytes);

/* The page that shows at `address`, and how; NULL, PAGE_ABSENT where none does, or outside the
 * range. */
void *address_space_page(const struct address_space *space, uint64_t address,
                         enum page_access *access);

/* Shows `page` at `address`, which lies in the range. */
void address_space_show(const struct address_space *space, uint64_t address, const void *page,
                        enum page_access access);
