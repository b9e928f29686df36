/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/block/file_page.h"

#include "kernel/block/page_cache.h"
#include "kernel/cpu/cpu.h"
#include "kernel/mem/memory.h"
#include "kernel/task/scheduler.h"

/* A frame of the cache and the request that fills it. One request may fill a run of frames next to
 * each other. It belongs to the first of them; when it is done, each frame gets a copy. */
struct frame {
    struct block_request request;
    struct wait_queue waiters;
    uint32_t run; /* number of frames that its request fills, from itself on */
    bool arriving;
    bool good;  /* its last request succeeded */
    bool alone; /* that request was for this frame only */
};

static struct {
    const struct block_volume *volume;
    struct block_disk *disk;
    bool interrupts;
    uint64_t read_ahead;
    uint32_t frame_count;     /* 0: there is no cache */
    struct page_cache *cache; /* which page is in which of these frames */
    struct frame *frames;
    uint8_t *pages;
    uint32_t arriving;      /* number of frames that a request is filling */
    struct wait_queue room; /* threads that wait for a free frame or for room in the disk's queue */
    struct file_failure failure;
} store;

/* Allocated once, and again if a larger cache is needed. */
static struct {
    uint8_t *begin;
    size_t bytes;
} memory;

/* ---- opening and closing ---- */

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
        return "not enough memory for a page cache of this size; lower cache.mib";
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
    struct frame *first = request->argument;
    const uint32_t run = first->run;

    for (uint32_t i = 0; i < run; i++) {
        struct frame *frame = first + i;

        if (i > 0) {
            frame->request = *request;
        }
        frame->arriving = false;
        frame->good = request->error == BLOCK_GOOD;
        frame->alone = run == 1;
        store.arriving--;
        page_cache_filled(store.cache, (uint32_t)(frame - store.frames), frame->good);
        wake_all(&frame->waiters);
    }
    wake_all(&store.room);
}

static void expect_frame(struct frame *frame)
{
    frame->arriving = true;
    store.arriving++;
}

static uint64_t sectors_of(const struct file *file, uint64_t n)
{
    const uint64_t left = file->extent->sectors - n * PAGE_SECTORS;

    return left < PAGE_SECTORS ? left : PAGE_SECTORS;
}

/* Fills in the request for one page. The caller submits it once the disk has room. */
static struct frame *prepare(const struct file *file, uint64_t n, uint32_t at, bool background)
{
    struct frame *frame = &store.frames[at];

    expect_frame(frame);
    frame->run = 1;
    frame->request = (struct block_request){
        .to = store.pages + (size_t)at * FILE_PAGE,
        .done = arrive,
        .argument = frame,
        .background = background,
    };
    file_aim(file, n * PAGE_SECTORS, sectors_of(file, n), &frame->request);
    return frame;
}

/* Adds page `n` to the request of `first`, which reads the pages right before it. Returns false if
 * the page's frame or blocks do not follow those of the request, or if the request would be too
 * large for the disk. */
static bool extend(const struct file *file, uint64_t n, uint32_t at, struct frame *first)
{
    struct block_request more;

    if (first == NULL || first + first->run != &store.frames[at]) {
        return false;
    }
    file_aim(file, n * PAGE_SECTORS, sectors_of(file, n), &more);
    if (first->request.block + first->request.blocks != more.block ||
        first->request.blocks + more.blocks > store.disk->blocks_max) {
        return false;
    }
    first->request.blocks += more.blocks;
    first->run++;
    expect_frame(&store.frames[at]);
    return true;
}

static bool has_room(const struct frame *first)
{
    return store.disk->outstanding + (first != NULL ? 1 : 0) < store.disk->depth;
}

/* Reads the pages after `n` ahead, as far as frames and the disk's queue have room. The request of
 * `first`, which brings page `n` and is not submitted yet, takes the pages that it can; further
 * requests take the others. `first` may be NULL. */
static void read_ahead(struct file *file, uint64_t n, struct frame *first)
{
    const uint64_t pages = (file->extent->sectors + PAGE_SECTORS - 1) / PAGE_SECTORS;
    struct frame *last = first;

    for (uint64_t next = n + 1; next < pages && next <= n + store.read_ahead; next++) {
        if (page_cache_find(store.cache, name_of(file, next)) != CACHE_NO_FRAME) {
            continue;
        }
        const uint32_t at = last != NULL || has_room(first)
                                ? page_cache_take(store.cache, name_of(file, next), true)
                                : CACHE_NO_FRAME;

        if (at == CACHE_NO_FRAME) {
            break;
        }
        if (!extend(file, next, at, last)) {
            if (last != first) {
                block_submit(store.disk, &last->request);
            }
            if (!has_room(first)) {
                page_cache_filled(store.cache, at, false);
                return;
            }
            last = prepare(file, next, at, true);
        }
        file->ahead_last = next;
    }
    if (last != first) {
        block_submit(store.disk, &last->request);
    }
}

/* Takes a frame for a page that is not in the cache, pins it for the caller, and submits the
 * request, with read-ahead if `ahead`. If all frames are pinned it waits, and another thread may
 * bring the page meanwhile. Returns the frame. */
static uint32_t bring(struct file *file, uint64_t n, bool ahead)
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
    struct frame *frame = prepare(file, n, at, false);

    if (ahead) {
        read_ahead(file, n, frame);
    }
    file_submit(&frame->request);
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

static struct frame *wait_for(uint32_t at)
{
    struct frame *frame = &store.frames[at];

    while (frame->arriving) {
        wait_in(&frame->waiters);
    }
    return frame;
}

/* Requests a page that failed together with others again, alone, because only one of the others may
 * be unreadable. */
static uint32_t bring_again(struct file *file, uint64_t n, uint32_t at)
{
    page_cache_unpin(store.cache, at);
    wake_all(&store.room);
    return bring(file, n, false);
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
        at = bring(file, n, true);
    } else {
        page_cache_pin(store.cache, at);
        if (n == file->ahead_last) {
            read_ahead(file, n, NULL);
        }
    }
    const bool waits = missed || store.frames[at].arriving;
    struct frame *frame = wait_for(at);

    while (!frame->good && !frame->alone) {
        at = bring_again(file, n, at);
        frame = wait_for(at);
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
        read_ahead(file, n, NULL);
    }
    *page = (struct file_page){at, store.pages + (size_t)at * FILE_PAGE};
    return true;
}

void file_page_release(const struct file_page *page)
{
    page_cache_unpin(store.cache, page->frame);
    wake_all(&store.room);
}
