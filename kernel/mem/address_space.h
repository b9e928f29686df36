/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address spaces beside the kernel's (paging.h). Each maps all that the kernel's does, plus memory
 * for ring 3 in a separate range where the kernel's maps nothing.
 *
 * The kernel's part is shared below the highest table, which is copied: pages that the kernel adds
 * or splits later are seen in every address space, but not where its highest table gains an entry.
 * Nothing does so while processes exist: stacks lie in memory that is mapped already.
 *
 * Tags (PCID, SDM volume 3 section 4.10.1): with them the processor keeps what it has cached of an
 * address space while another is in force. Without them, the default, a switch discards
 * all of it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define ADDRESS_SPACE_TABLES_MAX 16

struct address_space {
    uint64_t root; /* for CR3: the highest table, and with a tag that and CR3_KEEP */
    uint64_t base; /* of the separate range */
    uint64_t bits; /* of every page entry of the range */
    uint64_t table_count;
    uint64_t *tables[ADDRESS_SPACE_TABLES_MAX]; /* of the lowest level, 2 MiB each */
};

enum page_access {
    PAGE_ABSENT,
    PAGE_OWN,       /* read and write */
    PAGE_SHARED,    /* read only, as others show it too */
    PAGE_PROTECTED, /* read only, unshared */
    PAGE_HIDDEN,    /* known, unshared, and absent for the processor */
};

/* Address spaces that are created from now on get tags. The kernel's must be in force, and no other
 * exist. NULL, or why there are none. Who withdraws a page of the kernel's meanwhile, as below a
 * new stack, must make the processor forget all tags (tlb_forget_all()). */
const char *address_space_use_tags(void);
/* None from now on; all is forgotten. The kernel's must be in force. */
void address_space_drop_tags(void);

/* Pages of the pool (page_pool.h) that address_space_create() takes for `bytes`. */
uint64_t address_space_pages(uint64_t bytes);

/* Room for `bytes` (a multiple of 2 MiB, at most 16 of them) at `base`, all absent; the whole range
 * within one GiB. False where the pool has too few pages. */
bool address_space_create(struct address_space *space, uint64_t base, uint64_t bytes);

/* The page that shows at `address`, or is hidden there, and how; NULL, PAGE_ABSENT where there is
 * none, or outside the range. */
void *address_space_page(const struct address_space *space, uint64_t address,
                         enum page_access *access);

/* Shows `page` at `address`, which lies in the range. */
void address_space_show(const struct address_space *space, uint64_t address, const void *page,
                        enum page_access access);
