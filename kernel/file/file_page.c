/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/file/file_page.h"

#include "kernel/cpu/cpu.h"
#include "kernel/file/page_cache.h"
#include "kernel/mem/memory.h"
#include "kernel/task/scheduler.h"

struct frame {
    struct block_request request;
    struct wait_queue waiters;
    bool arriving;
    bool good; /* the last request of it */
};

static struct {
    const struct block_volume *volume;
    struct block_disk *disk;
    bool interrupts;
    uint64_t read_ahead;
    uint32_t frame_count;     /* 0: there is no cache */
    struct page_cache *cache; /* of them: */
    struct frame *frames;
    uint8_t *pages;
    uint32_t arriving;      /* frames */
    struct wait_queue room; /* threads that wait for a frame, or for room in the disk's queue */
    struct file_failure failure;
} store;

/* Taken once, and again where a larger cache is asked for. */
static struct {
    uint8_t *begin;
    size_t bytes;
} memory;

/* ---- begin and end ---- */

static size_t whole_pages(size_t bytes)
{
    return (bytes + FILE_PAGE - 1) / FILE_PAGE * FILE_PAGE;
}

const char *file_pages_begin(const struct block_volume *volume,
                             const struct file_system_options *options)
{
    const uint32_t count = (uint32_t)(options->cache_bytes / FILE_PAGE);
    const size_t frames_at = whole_pages((size_t)count * FILE_PAGE);
    const size_t cache_at = frames_at + whole_pages(count * sizeof(struct frame));
    const size_t bytes = cache_at + whole_pages(page_cache_bytes(count));

    store.volume = volume;
    store.disk = volume->disk;
    store.interrupts = options->interrupts;
    store.read_ahead = options->read_ahead;
    store.frame_count = count;
    store.arriving = 0;
    store.room = (struct wait_queue){NULL};
    if (count == 0) {
        return NULL;
    }
    if (bytes > memory.bytes) {
        memory.begin = memory_allocate(bytes, FILE_PAGE);
        memory.bytes = memory.begin != NULL ? bytes : 0;
    }
    if (memory.begin == NULL) {
        store.frame_count = 0;
        return "no memory for a page cache of that size: set cache.mib lower";
    }
    store.pages = memory.begin;
    store.frames = (struct frame *)(memory.begin + frames_at);
    store.cache = page_cache_make(memory.begin + cache_at, count, options->policy);
    for (uint32_t i = 0; i < count; i++) {
        store.frames[i] = (struct frame){.good = true};
    }
    return NULL;
}

void file_pages_end(void)
{
    store.frame_count = 0;
}

bool file_pages_kept(void)
{
    return store.frame_count > 0;
}

uint32_t file_pages_frames(void)
{
    return store.frame_count;
}

const struct cache_counts *file_pages_counts(void)
{
    static const struct cache_counts none;

    return store.frame_count > 0 ? page_cache_counts(store.cache) : &none;
}

struct file_failure *file_pages_failure(void)
{
    return &store.failure;
}

void file_note_failure(const struct block_request *request)
{
    if (request->error != BLOCK_GOOD && store.failure.error == BLOCK_GOOD) {
        store.failure.error = request->error;
        store.failure.block = request->block;
        store.failure.status = request->status;
    }
}

/* ---- waiting ---- */

static void wait_in(struct wait_queue *queue)
{
    if (store.interrupts) {
        scheduler_wait(queue, WAIT_DISK);
    } else {
        block_poll(store.disk);
        cpu_pause();
    }
}

static void wake_all(struct wait_queue *queue)
{
    while (scheduler_wake_first(queue) != NULL) {
    }
}

void file_room(struct block_request *request)
{
    (void)request;
    wake_all(&store.room);
}

void file_submit(struct block_request *request)
{
    while (!block_submit(store.disk, request)) {
        wait_in(&store.room);
    }
}

void file_pages_drain(void)
{
    while (store.arriving > 0) {
        wait_in(&store.room);
    }
}

void file_pages_drop(void)
{
    if (store.frame_count > 0) {
        file_pages_drain();
        page_cache_empty(store.cache);
    }
}

/* ---- from the disk ---- */

void file_aim(const struct file *file, uint64_t first, uint64_t sectors,
              struct block_request *request)
{
    const uint64_t of_block = store.disk->block_bytes / LAYOUT_SECTOR;

    request->block = (store.volume->first_sector + file->extent->first + first) / of_block;
    request->blocks = (uint32_t)((sectors + of_block - 1) / of_block);
}

static uint64_t name_of(const struct file *file, uint64_t n)
{
    return file->extent->first / PAGE_SECTORS + n;
}

static void arrive(struct block_request *request)
{
    struct frame *frame = request->argument;

    frame->arriving = false;
    frame->good = request->error == BLOCK_GOOD;
    store.arriving--;
    page_cache_filled(store.cache, (uint32_t)(frame - store.frames), frame->good);
    wake_all(&frame->waiters);
    wake_all(&store.room);
}

/* Everything but the disk's room for it. */
static struct block_request *prepare(const struct file *file, uint64_t n, uint32_t at,
                                     bool background)
{
    const uint64_t left = file->extent->sectors - n * PAGE_SECTORS;
    struct frame *frame = &store.frames[at];

    frame->arriving = true;
    store.arriving++;
    frame->request = (struct block_request){
        .to = store.pages + (size_t)at * FILE_PAGE,
        .done = arrive,
        .argument = frame,
        .background = background,
    };
    file_aim(file, n * PAGE_SECTORS, left < PAGE_SECTORS ? left : PAGE_SECTORS, &frame->request);
    return &frame->request;
}

/* The pages behind `n`, as far as frames and the disk's queue have room. */
static void read_ahead(struct file *file, uint64_t n)
{
    const uint64_t pages = (file->extent->sectors + PAGE_SECTORS - 1) / PAGE_SECTORS;

    for (uint64_t next = n + 1; next < pages && next <= n + store.read_ahead; next++) {
        if (page_cache_find(store.cache, name_of(file, next)) != CACHE_NO_FRAME) {
            continue;
        }
        if (store.disk->outstanding >= store.disk->depth) {
            return;
        }
        const uint32_t at = page_cache_take(store.cache, name_of(file, next), true);

        if (at == CACHE_NO_FRAME) {
            return;
        }
        block_submit(store.disk, prepare(file, next, at, true));
        file->ahead_last = next;
    }
}

/* A frame for a page that is not there, on its way and pinned for the caller. While all frames are
 * pinned another thread may bring it. */
static uint32_t bring(struct file *file, uint64_t n)
{
    const uint64_t name = name_of(file, n);
    uint32_t at = page_cache_take(store.cache, name, false);

    while (at == CACHE_NO_FRAME) {
        wait_in(&store.room);
        at = page_cache_find(store.cache, name);
        if (at != CACHE_NO_FRAME) {
            page_cache_pin(store.cache, at);
            return at;
        }
        at = page_cache_take(store.cache, name, false);
    }
    page_cache_pin(store.cache, at);
    file_submit(prepare(file, n, at, false));
    return at;
}

static void keep_stamps(const struct block_request *request, struct file_stamps *stamps)
{
    if (stamps != NULL) {
        stamps->submitted = request->submitted;
        stamps->began = request->began;
        stamps->service = request->service;
        stamps->due = request->due;
        stamps->completed = request->completed;
        stamps->woken = tsc_read_ordered();
    }
}

bool file_page_get(struct file *file, uint64_t n, struct file_stamps *stamps,
                   struct file_page *page)
{
    uint32_t at = page_cache_use(store.cache, name_of(file, n));
    const bool missed = at == CACHE_NO_FRAME;

    if (stamps != NULL) {
        stamps->looked_up = tsc_read_ordered();
    }
    if (missed) {
        at = bring(file, n);
    } else {
        page_cache_pin(store.cache, at);
    }
    struct frame *frame = &store.frames[at];
    const bool waits = missed || frame->arriving;

    if (missed || n == file->ahead_last) {
        read_ahead(file, n);
    }
    while (frame->arriving) {
        wait_in(&frame->waiters);
    }
    if (waits) {
        keep_stamps(&frame->request, stamps);
    }
    *page = (struct file_page){at, store.pages + (size_t)at * FILE_PAGE};
    if (!frame->good) {
        file_note_failure(&frame->request);
        file_page_release(page);
    }
    return frame->good;
}

bool file_page_try(struct file *file, uint64_t n, struct file_page *page)
{
    const uint32_t at = page_cache_find(store.cache, name_of(file, n));

    if (at == CACHE_NO_FRAME || store.frames[at].arriving) {
        return false;
    }
    page_cache_use(store.cache, name_of(file, n));
    page_cache_pin(store.cache, at);
    if (n == file->ahead_last) {
        read_ahead(file, n);
    }
    *page = (struct file_page){at, store.pages + (size_t)at * FILE_PAGE};
    return true;
}

void file_page_release(const struct file_page *page)
{
    page_cache_unpin(store.cache, page->frame);
    wake_all(&store.room);
}
