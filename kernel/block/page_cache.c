/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/page_cache.h"

#include <string.h>

/* Index of no node. Nodes with an index below `frames` are the frames; those above remember pages
 * that have left (2q). */
#define NONE UINT32_MAX

enum place {
    FREE,
    MAIN,          /* lru: all pages; 2q: pages that came back */
    RECENT,        /* 2q: pages seen once, first in first out ("A1in") */
    GONE,          /* 2q: pages that have left, by their numbers only ("A1out") */
    PARKED_MAIN,   /* pinned, and removed from the end of MAIN by a search for a victim */
    PARKED_RECENT, /* pinned, and removed from the end of RECENT by a search for a victim */
    LOST,          /* still pinned, but its page could not be read */
};

struct node {
    uint64_t page;
    uint32_t next;  /* next node towards the end of its list */
    uint32_t prev;  /* next node towards the start of its list */
    uint32_t chain; /* next node of its bucket */
    uint32_t pins;
    uint8_t place;
    bool ahead; /* brought in by read-ahead and not used yet */
};

/* Nodes enter at `first` and leave at `last`. */
struct list {
    uint32_t first;
    uint32_t last;
    uint32_t count;
};

struct page_cache {
    enum cache_policy policy;
    uint32_t frames;
    uint32_t recent_max; /* 2q: a longer RECENT gives the victim; a quarter of the frames */
    uint32_t gone_max;   /* 2q: most pages in GONE; half the number of frames */
    uint32_t bucket_bits;
    uint32_t *buckets;
    struct node *nodes;
    struct list free_frames;
    struct list free_names; /* unused nodes for GONE */
    struct list main;
    struct list recent;
    struct list gone;
    struct cache_counts counts;
};

/* ---- size ---- */

static uint32_t gone_max_of(uint32_t frames)
{
    return frames / 2;
}

static uint32_t nodes_of(uint32_t frames)
{
    return frames + gone_max_of(frames);
}

/* At least as many buckets as nodes, so that chains are short. */
static uint32_t bucket_bits_of(uint32_t frames)
{
    uint32_t bits = 1;

    while (1ull << bits < nodes_of(frames)) {
        bits++;
    }
    return bits;
}

static size_t header_bytes(void)
{
    return (sizeof(struct page_cache) + 15) / 16 * 16;
}

size_t page_cache_bytes(uint32_t frames)
{
    return header_bytes() + nodes_of(frames) * sizeof(struct node) +
           (sizeof(uint32_t) << bucket_bits_of(frames));
}

/* ---- lists ---- */

static void put_first(struct page_cache *cache, struct list *list, uint32_t at)
{
    struct node *node = &cache->nodes[at];

    node->prev = NONE;
    node->next = list->first;
    if (list->first != NONE) {
        cache->nodes[list->first].prev = at;
    } else {
        list->last = at;
    }
    list->first = at;
    list->count++;
}

static void put_last(struct page_cache *cache, struct list *list, uint32_t at)
{
    struct node *node = &cache->nodes[at];

    node->next = NONE;
    node->prev = list->last;
    if (list->last != NONE) {
        cache->nodes[list->last].next = at;
    } else {
        list->first = at;
    }
    list->last = at;
    list->count++;
}

static void take_out(struct page_cache *cache, struct list *list, uint32_t at)
{
    const struct node *node = &cache->nodes[at];

    if (node->prev != NONE) {
        cache->nodes[node->prev].next = node->next;
    } else {
        list->first = node->next;
    }
    if (node->next != NONE) {
        cache->nodes[node->next].prev = node->prev;
    } else {
        list->last = node->prev;
    }
    list->count--;
}

/* ---- the table of pages ---- */

static uint32_t *bucket_of(const struct page_cache *cache, uint64_t page)
{
    return &cache->buckets[(page * 0x9e3779b97f4a7c15ull) >> (64 - cache->bucket_bits)];
}

static uint32_t look_up(const struct page_cache *cache, uint64_t page)
{
    uint32_t at = *bucket_of(cache, page);

    while (at != NONE && cache->nodes[at].page != page) {
        at = cache->nodes[at].chain;
    }
    return at;
}

static void enter(struct page_cache *cache, uint32_t at, uint64_t page)
{
    uint32_t *bucket = bucket_of(cache, page);

    cache->nodes[at].page = page;
    cache->nodes[at].chain = *bucket;
    *bucket = at;
}

static void strike(struct page_cache *cache, uint32_t at)
{
    uint32_t *from = bucket_of(cache, cache->nodes[at].page);

    while (*from != at) {
        from = &cache->nodes[*from].chain;
    }
    *from = cache->nodes[at].chain;
}

/* ---- making a cache ---- */

void page_cache_empty(struct page_cache *cache)
{
    const struct list none = {NONE, NONE, 0};

    cache->free_frames = none;
    cache->free_names = none;
    cache->main = none;
    cache->recent = none;
    cache->gone = none;
    cache->counts = (struct cache_counts){0};
    memset(cache->buckets, 0xff, sizeof(uint32_t) << cache->bucket_bits);
    for (uint32_t i = 0; i < nodes_of(cache->frames); i++) {
        cache->nodes[i] = (struct node){.place = FREE};
        put_last(cache, i < cache->frames ? &cache->free_frames : &cache->free_names, i);
    }
}

struct page_cache *page_cache_make(void *memory, uint32_t frames, enum cache_policy policy)
{
    struct page_cache *cache = memory;

    *cache = (struct page_cache){
        .policy = policy,
        .frames = frames,
        .recent_max = frames / 4,
        .gone_max = gone_max_of(frames),
        .bucket_bits = bucket_bits_of(frames),
        .nodes = (struct node *)((uint8_t *)memory + header_bytes()),
    };
    cache->buckets = (uint32_t *)(cache->nodes + nodes_of(frames));
    page_cache_empty(cache);
    return cache;
}

/* ---- use ---- */

uint32_t page_cache_find(const struct page_cache *cache, uint64_t page)
{
    const uint32_t at = look_up(cache, page);

    return at < cache->frames ? at : CACHE_NO_FRAME;
}

/* Marks the page as used most recently. 2q: does nothing for a page that was seen only once. */
static void renew(struct page_cache *cache, uint32_t at)
{
    struct node *node = &cache->nodes[at];

    if (node->place == MAIN) {
        take_out(cache, &cache->main, at);
        put_first(cache, &cache->main, at);
    } else if (node->place == PARKED_MAIN) {
        node->place = MAIN;
        put_first(cache, &cache->main, at);
    }
}

uint32_t page_cache_use(struct page_cache *cache, uint64_t page)
{
    const uint32_t at = page_cache_find(cache, page);

    cache->counts.reads++;
    if (at == CACHE_NO_FRAME) {
        cache->counts.misses++;
        return at;
    }
    if (cache->nodes[at].ahead) {
        cache->nodes[at].ahead = false;
        cache->counts.read_ahead++;
    } else {
        cache->counts.hits++;
    }
    renew(cache, at);
    return at;
}

/* ---- eviction ---- */

/* Takes the last node that is not pinned out of a list. Pinned nodes after it are parked until they
 * are unpinned, so that each is looked at only once. Returns NONE if all are pinned. */
static uint32_t take_last(struct page_cache *cache, struct list *list, enum place parked)
{
    while (list->last != NONE) {
        const uint32_t at = list->last;

        take_out(cache, list, at);
        if (cache->nodes[at].pins == 0) {
            return at;
        }
        cache->nodes[at].place = (uint8_t)parked;
    }
    return NONE;
}

static void remember(struct page_cache *cache, uint64_t page)
{
    uint32_t at = cache->free_names.first;

    if (cache->gone_max == 0) {
        return;
    }
    if (at != NONE) {
        take_out(cache, &cache->free_names, at);
    } else {
        at = cache->gone.last;
        take_out(cache, &cache->gone, at);
        strike(cache, at);
    }
    cache->nodes[at].place = GONE;
    enter(cache, at, page);
    put_first(cache, &cache->gone, at);
}

static uint32_t evict(struct page_cache *cache)
{
    const bool recent_first = cache->recent.count > cache->recent_max;
    uint32_t at = NONE;

    if (recent_first) {
        at = take_last(cache, &cache->recent, PARKED_RECENT);
    }
    if (at == NONE) {
        at = take_last(cache, &cache->main, PARKED_MAIN);
    }
    if (at == NONE) {
        at = take_last(cache, &cache->recent, PARKED_RECENT);
    }
    if (at == NONE) {
        return NONE;
    }
    const struct node node = cache->nodes[at];

    cache->counts.evictions++;
    cache->counts.ahead_lost += node.ahead ? 1 : 0;
    strike(cache, at);
    if (node.place == RECENT) {
        remember(cache, node.page);
    }
    return at;
}

/* 2Q: returns whether the page was evicted recently (its name is still in the list `gone`), and
 * removes it from that list. */
static bool comes_back(struct page_cache *cache, uint64_t page)
{
    const uint32_t at = look_up(cache, page);

    if (at == NONE) {
        return false;
    }
    strike(cache, at);
    take_out(cache, &cache->gone, at);
    cache->nodes[at].place = FREE;
    put_first(cache, &cache->free_names, at);
    return true;
}

uint32_t page_cache_take(struct page_cache *cache, uint64_t page, bool ahead)
{
    const bool is_main = comes_back(cache, page) || cache->policy == CACHE_LRU;
    uint32_t at = cache->free_frames.first;

    if (at != NONE) {
        take_out(cache, &cache->free_frames, at);
    } else {
        at = evict(cache);
    }
    if (at == NONE) {
        return CACHE_NO_FRAME;
    }
    struct node *node = &cache->nodes[at];

    node->place = is_main ? MAIN : RECENT;
    node->pins = 1;
    node->ahead = ahead;
    cache->counts.ahead += ahead ? 1 : 0;
    enter(cache, at, page);
    put_first(cache, is_main ? &cache->main : &cache->recent, at);
    return at;
}

/* ---- pins ---- */

static void lose(struct page_cache *cache, uint32_t at)
{
    struct node *node = &cache->nodes[at];

    if (node->place == MAIN || node->place == RECENT) {
        take_out(cache, node->place == MAIN ? &cache->main : &cache->recent, at);
    }
    strike(cache, at);
    node->place = LOST;
}

void page_cache_filled(struct page_cache *cache, uint32_t frame, bool good)
{
    if (!good) {
        lose(cache, frame);
    }
    page_cache_unpin(cache, frame);
}

void page_cache_pin(struct page_cache *cache, uint32_t frame)
{
    cache->nodes[frame].pins++;
}

void page_cache_unpin(struct page_cache *cache, uint32_t frame)
{
    struct node *node = &cache->nodes[frame];

    if (--node->pins > 0) {
        return;
    }
    if (node->place == PARKED_MAIN) {
        node->place = MAIN;
        put_last(cache, &cache->main, frame);
    } else if (node->place == PARKED_RECENT) {
        node->place = RECENT;
        put_last(cache, &cache->recent, frame);
    } else if (node->place == LOST) {
        node->place = FREE;
        node->ahead = false;
        put_first(cache, &cache->free_frames, frame);
    }
}

const struct cache_counts *page_cache_counts(const struct page_cache *cache)
{
    return &cache->counts;
}
