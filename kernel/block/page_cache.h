/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page cache: which pages of files are in memory, which comes in, and which goes for it. No
 * page is ever changed, so that one that goes needs no writing.
 *
 * Two policies. lru: the page that was used least recently goes. 2q (Johnson and Shasha 1994, the
 * full version): pages seen once pass through a queue of a quarter of the cache, first come first
 * served; one that comes back within the next half joins the main part, which is lru.
 *
 * Pure: it knows numbers of pages and of frames, and no memory.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_POLICY_LRU "lru"
#define CACHE_POLICY_2Q  "2q"

enum cache_policy {
    CACHE_LRU,
    CACHE_2Q,
};

#define CACHE_NO_FRAME UINT32_MAX

struct cache_counts {
    uint64_t reads;      /* asked for by cache_use() */
    uint64_t hits;       /* found, and asked for before */
    uint64_t misses;     /* not there */
    uint64_t read_ahead; /* found for the first time, brought in by read-ahead */
    uint64_t evictions;
    uint64_t ahead;      /* brought in by read-ahead */
    uint64_t ahead_lost; /* of these, gone without having been asked for */
};

struct page_cache; /* page_cache.c */

/* Bytes of memory that a cache of `frames` frames needs. */
size_t page_cache_bytes(uint32_t frames);
/* Makes one of them in zeroed memory; all frames are empty. */
struct page_cache *page_cache_make(void *memory, uint32_t frames, enum cache_policy policy);
void page_cache_empty(struct page_cache *cache);

/* The frame that shows page `page`, which is used now; CACHE_NO_FRAME: a miss. Counts. */
uint32_t page_cache_use(struct page_cache *cache, uint64_t page);
/* Is it there? Neither used nor counted. */
uint32_t page_cache_find(const struct page_cache *cache, uint64_t page);
/* Takes a frame for a page that is not there, the policy's victim if all are full; it is there from
 * now on, and pinned until page_cache_filled(). `ahead`: it has not been asked for.
 * CACHE_NO_FRAME: all are pinned. */
uint32_t page_cache_take(struct page_cache *cache, uint64_t page, bool ahead);
/* What it shows has arrived; false in `good`: it could not be read: the page is not there any
 * longer, and its frame is free when all who pinned it have unpinned it. */
void page_cache_filled(struct page_cache *cache, uint32_t frame, bool good);
/* A pinned frame stays, however many others come: pages that a process has mapped. Counted: as many
 * unpins as pins. */
void page_cache_pin(struct page_cache *cache, uint32_t frame);
void page_cache_unpin(struct page_cache *cache, uint32_t frame);

const struct cache_counts *page_cache_counts(const struct page_cache *cache);
