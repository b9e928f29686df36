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
#include <stddef.h>
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

/*
 * Memory that an address space shows apart from its range: several may show the same, to read and
 * to write. What looks a page of the range up does not find these pages, so that none of them is
 * taken for a process's own.
 */

/* Pages of the pool (page_pool.h) that address_space_show_apart() takes at the most for `bytes`. */
uint64_t address_space_apart_pages(uint64_t bytes);

/* Shows `bytes` of `memory` at `address`, all in whole pages: outside the range and in its GiB,
 * where nothing shows yet. False where the pool has too few pages. */
bool address_space_show_apart(const struct address_space *space, uint64_t address,
                              const void *memory, uint64_t bytes);

/*
 * Pages that ring 3 sees at an address of the kernel's identity: below 4 GiB, where 16-bit segments
 * can begin. In that address space the identity has these pages in place of others; all other
 * pages show what they show in the kernel's.
 */

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
