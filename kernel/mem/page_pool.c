/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/mem/page_pool.h"

#include <stdint.h>

#include "kernel/mem/memory.h"

#define CHUNKS_MAX  64
#define CHUNK_PAGES 64 /* a chunk has this many pages or a multiple of it */

/* The pool grows in chunks as promises exceed its size. The chunks are large, so that firmware's
 * memory map does not decide where one chunk ends and the next begins. */
static struct {
    uint8_t *memory;
    size_t pages;
} chunks[CHUNKS_MAX];
static size_t chunk_count;
static size_t total; /* pages in all chunks */
static size_t promised;

/* Position of the next page to take: index of the chunk, and page in it. */
static size_t chunk;
static size_t page;

/* Adds memory to the pool. Memory directly after the last chunk extends that chunk, because moving
 * on to another chunk takes time. */
static void add(void *memory, size_t pages)
{
    if (chunk_count > 0 &&
        chunks[chunk_count - 1].memory + PAGE_SIZE * chunks[chunk_count - 1].pages == memory) {
        chunks[chunk_count - 1].pages += pages;
    } else {
        chunks[chunk_count].memory = memory;
        chunks[chunk_count++].pages = pages;
    }
    total += pages;
}

bool page_pool_promise(size_t pages)
{
    if (promised + pages > total) {
        const size_t lacking = promised + pages - total;
        const size_t more = (lacking + CHUNK_PAGES - 1) / CHUNK_PAGES * CHUNK_PAGES;
        void *memory =
            chunk_count < CHUNKS_MAX ? memory_allocate(more * PAGE_SIZE, PAGE_SIZE) : NULL;

        if (memory == NULL) {
            return false;
        }
        add(memory, more);
    }
    promised += pages;
    return true;
}

static void *take(void)
{
    if (chunk < chunk_count && page == chunks[chunk].pages) {
        chunk++;
        page = 0;
    }
    return chunk < chunk_count ? chunks[chunk].memory + PAGE_SIZE * page++ : NULL;
}

void *page_pool_take(void)
{
    void *taken = take();
    void *at = taken;
    uint64_t count = PAGE_SIZE / sizeof(uint64_t);

    if (taken != NULL) {
        __asm__ volatile("rep stosq" : "+D"(at), "+c"(count) : "a"(0ull) : "memory");
    }
    return taken;
}

void *page_pool_take_copy(const void *original)
{
    void *taken = take();
    void *at = taken;
    uint64_t count = PAGE_SIZE / sizeof(uint64_t);

    if (taken != NULL) {
        __asm__ volatile("rep movsq" : "+D"(at), "+S"(original), "+c"(count) : : "memory");
    }
    return taken;
}

void page_pool_reset(void)
{
    promised = 0;
    chunk = 0;
    page = 0;
}
