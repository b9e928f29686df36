/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page cache: which pages of files are in memory, which page comes in, and which one leaves for
 * it. Pages are never changed, so one that leaves needs no writing.
 *
 * There are two policies. lru: the least recently used page leaves. 2q (Johnson and Shasha 1994,
 * the full version): pages that were seen once pass through a first-in first-out queue of a quarter
 * of the cache. A page that comes back while it is among the last pages to leave that queue (half
 * as many as the cache has frames) joins the main part, which is lru.
 *
 * Only manages numbers of pages and frames: accesses neither memory nor hardware.
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
    uint64_t reads;      /* uses by page_cache_use() */
    uint64_t hits;       /* uses of pages in the cache, except those that read_ahead counts */
    uint64_t misses;     /* uses of pages that were not in the cache */
    uint64_t read_ahead; /* first uses of pages that read-ahead brought in */
    uint64_t evictions;
    uint64_t ahead;      /* pages that read-ahead brought in */
    uint64_t ahead_lost; /* those of them that left without having been used */
};

struct page_cache; /* page_cache.c */

/* Returns the bytes of memory that a cache of `frames` frames needs. */
size_t page_cache_bytes(uint32_t frames);
/* Makes a cache in zeroed memory. All frames are empty. */
struct page_cache *page_cache_make(void *memory, uint32_t frames, enum cache_policy policy);
void page_cache_empty(struct page_cache *cache);

/* Uses a page, and counts that. Returns its frame, or CACHE_NO_FRAME if it is not in the cache. */
uint32_t page_cache_use(struct page_cache *cache, uint64_t page);
/* Returns the frame of a page, or CACHE_NO_FRAME. Neither uses nor counts it. */
uint32_t page_cache_find(const struct page_cache *cache, uint64_t page);
/* Takes a frame for a page that is not in the cache; if all are full, the policy's victim leaves.
 * The page is in the cache from now on, and pinned until page_cache_filled(). `ahead`: it is read
 * ahead. Returns CACHE_NO_FRAME if all frames are pinned. */
uint32_t page_cache_take(struct page_cache *cache, uint64_t page, bool ahead);
/* Ends the reading of a frame from page_cache_take(), and unpins it. If `good` is false the page
 * could not be read: it is no longer in the cache, and its frame becomes free when all pins are
 * gone. */
void page_cache_filled(struct page_cache *cache, uint32_t frame, bool good);
/* Pins a frame, so that its page cannot leave: a page that is mapped into a process, for example.
 * Pins are counted; each needs one unpin. */
void page_cache_pin(struct page_cache *cache, uint32_t frame);
void page_cache_unpin(struct page_cache *cache, uint32_t frame);

const struct cache_counts *page_cache_counts(const struct page_cache *cache);
