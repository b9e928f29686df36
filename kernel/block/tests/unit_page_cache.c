/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The page cache: its counts, its pins, pages that could not be read, and who goes.
 *
 * `unit_page_cache POLICY FRAMES <ACCESSES >VICTIMS` is a cache for test_page_cache.sh: each access
 * is 4 bytes, a page, with AHEAD for one that is brought in if it is not there, and each answer 4
 * bytes: HIT, EMPTY (a frame was free), or the page that went for it. The counts follow, as 7 words
 * of 8 bytes.
 */
#include <stdlib.h>

#include "kernel/block/page_cache.h"
#include "tools/tests/support/unit.h"

#define FRAMES_MAX 4096u

#define AHEAD UINT32_C(0x80000000)
#define HIT   UINT32_C(0xfffffffe)
#define EMPTY UINT32_C(0xffffffff)

static struct page_cache *make(uint32_t frames, enum cache_policy policy)
{
    void *memory = calloc(1, page_cache_bytes(frames));

    if (memory == NULL) {
        exit(1);
    }
    return page_cache_make(memory, frames, policy);
}

static bool sums_up(const struct page_cache *cache)
{
    const struct cache_counts *counts = page_cache_counts(cache);

    return counts->reads == counts->hits + counts->misses + counts->read_ahead;
}

/* A read: a page that is not there comes in. */
static uint32_t read_page(struct page_cache *cache, uint64_t page)
{
    uint32_t frame = page_cache_use(cache, page);

    if (frame == CACHE_NO_FRAME) {
        frame = page_cache_take(cache, page, false);
        if (frame != CACHE_NO_FRAME) {
            page_cache_filled(cache, frame, true);
        }
    }
    CHECK(sums_up(cache));
    return frame;
}

static bool there(const struct page_cache *cache, uint64_t page)
{
    return page_cache_find(cache, page) != CACHE_NO_FRAME;
}

static void test_lru(void)
{
    struct page_cache *cache = make(3, CACHE_LRU);

    read_page(cache, 10);
    read_page(cache, 11);
    read_page(cache, 12);
    read_page(cache, 10);
    read_page(cache, 13); /* 11 goes */
    CHECK(there(cache, 10) && !there(cache, 11) && there(cache, 12) && there(cache, 13));
    CHECK_EQUAL(page_cache_counts(cache)->hits, 1);
    CHECK_EQUAL(page_cache_counts(cache)->misses, 4);
    CHECK_EQUAL(page_cache_counts(cache)->evictions, 1);
    page_cache_empty(cache);
    CHECK(!there(cache, 10));
    CHECK_EQUAL(page_cache_counts(cache)->reads, 0);
    free(cache);
}

/* Eight frames: two of pages seen once, and four names of pages that have gone. */
static void test_2q(void)
{
    struct page_cache *cache = make(8, CACHE_2Q);

    for (uint64_t page = 0; page < 9; page++) {
        read_page(cache, page); /* 0 goes, and is remembered */
    }
    CHECK(!there(cache, 0) && there(cache, 1));
    read_page(cache, 0); /* it comes back, for 1 */
    CHECK(there(cache, 0) && !there(cache, 1));
    for (uint64_t page = 100; page < 200; page++) {
        read_page(cache, page); /* a scan passes through the pages seen once */
    }
    CHECK(there(cache, 0) && there(cache, 199) && !there(cache, 100));
    CHECK_EQUAL(page_cache_counts(cache)->hits, 0);
    free(cache);
}

static void test_read_ahead(void)
{
    struct page_cache *cache = make(2, CACHE_LRU);
    const struct cache_counts *counts = page_cache_counts(cache);

    read_page(cache, 1);
    page_cache_filled(cache, page_cache_take(cache, 2, true), true);
    read_page(cache, 2);
    CHECK_EQUAL(counts->read_ahead, 1);
    CHECK_EQUAL(counts->hits, 0);
    read_page(cache, 2);
    CHECK_EQUAL(counts->hits, 1);
    page_cache_filled(cache, page_cache_take(cache, 3, true), true);
    read_page(cache, 4);
    read_page(cache, 5);
    CHECK_EQUAL(counts->ahead, 2);
    CHECK_EQUAL(counts->ahead_lost, 1);
    CHECK(sums_up(cache));
    free(cache);
}

static void check_pins(enum cache_policy policy)
{
    struct page_cache *cache = make(4, policy);

    for (uint64_t page = 0; page < 4; page++) {
        read_page(cache, page);
    }
    const uint32_t first = page_cache_find(cache, 0);
    const uint32_t second = page_cache_find(cache, 1);

    page_cache_pin(cache, first);
    page_cache_pin(cache, first);
    page_cache_pin(cache, second);
    for (uint64_t page = 10; page < 30; page++) {
        read_page(cache, page);
    }
    CHECK_EQUAL(page_cache_find(cache, 0), first);
    CHECK_EQUAL(page_cache_find(cache, 1), second);
    page_cache_unpin(cache, first);
    for (uint64_t page = 30; page < 40; page++) {
        read_page(cache, page);
    }
    CHECK_EQUAL(page_cache_find(cache, 0), first);
    page_cache_unpin(cache, first);
    page_cache_unpin(cache, second);
    for (uint64_t page = 40; page < 50; page++) {
        read_page(cache, page);
    }
    CHECK(!there(cache, 0) && !there(cache, 1) && there(cache, 49));
    free(cache);
}

static void test_pins(void)
{
    check_pins(CACHE_LRU);
    check_pins(CACHE_2Q);
}

/* No frame where all are pinned; a use of one that is pinned still counts as its last. */
static void test_all_pinned(void)
{
    struct page_cache *cache = make(2, CACHE_LRU);
    const uint32_t a = page_cache_take(cache, 1, false);
    const uint32_t b = page_cache_take(cache, 2, false);

    CHECK_EQUAL(page_cache_take(cache, 3, false), CACHE_NO_FRAME);
    CHECK_EQUAL(page_cache_use(cache, 1), a);
    page_cache_filled(cache, a, true);
    page_cache_filled(cache, b, true);
    CHECK_EQUAL(page_cache_take(cache, 3, false), b);
    free(cache);
}

/* A page that could not be read is gone at once, and its frame when none has it any more. */
static void test_lost(void)
{
    struct page_cache *cache = make(1, CACHE_LRU);
    const uint32_t frame = page_cache_take(cache, 7, false);

    page_cache_pin(cache, frame);
    page_cache_filled(cache, frame, false);
    CHECK(!there(cache, 7));
    CHECK_EQUAL(page_cache_take(cache, 8, false), CACHE_NO_FRAME);
    page_cache_unpin(cache, frame);
    CHECK_EQUAL(page_cache_take(cache, 8, false), frame);
    CHECK_EQUAL(page_cache_counts(cache)->evictions, 0);
    free(cache);
}

/* A cache of one frame has neither a queue of pages seen once nor names of those that have gone. */
static void test_smallest(void)
{
    struct page_cache *cache = make(1, CACHE_2Q);

    for (uint64_t i = 0; i < 10; i++) {
        CHECK_EQUAL(read_page(cache, i % 2), 0);
    }
    CHECK_EQUAL(page_cache_counts(cache)->misses, 10);
    CHECK_EQUAL(page_cache_counts(cache)->evictions, 9);
    free(cache);
}

/* ---- for the reference ---- */

static uint32_t shown[FRAMES_MAX]; /* page + 1; 0: none */

static uint32_t take(struct page_cache *cache, uint32_t page, bool ahead)
{
    const uint32_t frame = page_cache_take(cache, page, ahead);
    const uint32_t went = shown[frame];

    page_cache_filled(cache, frame, true);
    shown[frame] = page + 1;
    return went == 0 ? EMPTY : went - 1;
}

static uint32_t answer(struct page_cache *cache, uint32_t access)
{
    const uint32_t page = access & ~AHEAD;
    const uint32_t frame =
        (access & AHEAD) != 0 ? page_cache_find(cache, page) : page_cache_use(cache, page);

    return frame != CACHE_NO_FRAME ? HIT : take(cache, page, (access & AHEAD) != 0);
}

static int compare(const char *policy, const char *frames)
{
    const uint32_t count = (uint32_t)strtoul(frames, NULL, 10);
    uint32_t access;

    if (count == 0 || count > FRAMES_MAX) {
        fprintf(stderr, "unit_page_cache: frames: 1 to %u, not \"%s\"\n", FRAMES_MAX, frames);
        return 1;
    }
    struct page_cache *cache =
        make(count, strcmp(policy, CACHE_POLICY_2Q) == 0 ? CACHE_2Q : CACHE_LRU);

    while (fread(&access, sizeof(access), 1, stdin) == 1) {
        const uint32_t word = answer(cache, access);

        fwrite(&word, sizeof(word), 1, stdout);
    }
    fwrite(page_cache_counts(cache), sizeof(struct cache_counts), 1, stdout);
    free(cache);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3) {
        return compare(argv[1], argv[2]);
    }
    RUN(test_lru());
    RUN(test_2q());
    RUN(test_read_ahead());
    RUN(test_pins());
    RUN(test_all_pinned());
    RUN(test_lost());
    RUN(test_smallest());
    return unit_finish("unit_page_cache");
}
