/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address spaces in addition to the kernel's (paging.h). Each maps all that the kernel's does, plus
 * memory for ring 3 in a separate range where the kernel's maps nothing.
 *
 * The highest table is a copy; the tables of the kernel's part below it are shared. So a page that
 * the kernel adds or splits later appears in every address space, unless it needs a new entry in
 * the highest table. Nothing adds such an entry while processes exist, because stacks lie in memory
 * that is mapped already.
 *
 * Tags (PCID, SDM volume 3 section 4.10.1): with tags, the processor keeps the cached translations
 * of an address space while another is active. Without tags, the default, each switch discards all
 * of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ADDRESS_SPACE_TABLES_MAX 16

struct address_space {
    /* value for CR3: address of the highest table, plus the tag and CR3_KEEP if there are tags */
    uint64_t root;
    uint64_t base; /* first address of the separate range */
    uint64_t bits; /* flags of every page entry of the range */
    uint64_t table_count;
    /* tables of the lowest level, which map 2 MiB each */
    uint64_t *tables[ADDRESS_SPACE_TABLES_MAX];
};

enum page_access {
    PAGE_ABSENT,
    PAGE_OWN,       /* read and write */
    PAGE_SHARED,    /* read only, because other address spaces show the page too */
    PAGE_PROTECTED, /* read only, not shared */
    PAGE_HIDDEN,    /* not shared, and recorded in the entry, but absent for the processor */
};

/* Gives tags to the address spaces created from now on. Call while the kernel's address space is
 * active and no other exists. Returns NULL on success, otherwise the reason why there are no tags.
 * Code that then makes a kernel page absent, such as the guard below a new stack, must make the
 * processor discard all tags (tlb_forget_all()). */
const char *address_space_use_tags(void);
/* Creates address spaces without tags from now on, and discards all cached translations. Call while
 * the kernel's address space is active. */
void address_space_drop_tags(void);

/* Returns how many pages of the pool (page_pool.h) address_space_create() takes for `bytes`. */
uint64_t address_space_pages(uint64_t bytes);

/* Creates an address space with a range of `bytes` (a multiple of 2 MiB, at most 16 of them) at
 * `base`, in which every page is absent. The whole range must lie within one GiB. Returns false if
 * the pool has too few pages. */
bool address_space_create(struct address_space *space, uint64_t base, uint64_t bytes);

/* Returns the page that is mapped or hidden at `address`, and sets *access. Returns NULL, with
 * PAGE_ABSENT, if there is none or the address is outside the range. */
void *address_space_page(const struct address_space *space, uint64_t address,
                         enum page_access *access);

/* Maps `page` at `address`, which must lie in the range. */
void address_space_show(const struct address_space *space, uint64_t address, const void *page,
                        enum page_access access);

/*
 * Memory that an address space maps outside its range: several address spaces may map the same
 * memory, to read and to write. address_space_page() does not find these pages, so that none of
 * them is mistaken for a page of the process.
 */

/* Returns the largest number of pages of the pool (page_pool.h) that address_space_show_apart()
 * takes for `bytes`. */
uint64_t address_space_apart_pages(uint64_t bytes);

/* Maps `bytes` of `memory` at `address`, all in whole pages. The addresses must be outside the
 * range but in the same GiB, and not mapped yet. Returns false if the pool has too few pages. */
bool address_space_show_apart(const struct address_space *space, uint64_t address,
                              const void *memory, uint64_t bytes);

/*
 * Pages that ring 3 sees at an address of the kernel's identity mapping, below 4 GiB, because the
 * bases of 16-bit segments have 32 bits. In that address space they replace the identity-mapped
 * pages there; all other pages are the same as in the kernel's.
 */

struct low_page {
    const void *page; /* address in the kernel */
    bool code;        /* executable and read only; otherwise writable and not executable */
};

#define ADDRESS_SPACE_LOW_MAX 16

/* Returns the largest number of pages of the pool (page_pool.h) that address_space_show_low()
 * takes. */
uint64_t address_space_low_pages(void);

/* Maps `count` pages one after the other (at most ADDRESS_SPACE_LOW_MAX) from `address` on, which
 * must be a multiple of 64 KiB. Call once per address space, before it becomes active: if the
 * kernel later splits pages in that GiB, this address space does not see it. Returns false if the
 * pool has too few pages. */
bool address_space_show_low(const struct address_space *space, uint64_t address,
                            const struct low_page *pages, size_t count);
