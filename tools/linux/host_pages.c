/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Benches pagefault and filecache under Linux: rows 9 and 13 of the report. Series have the names
 * of the image's (bench/memory/, bench/disk/).
 *
 * With --file, the file of the disk benches is mapped and read; without it, a file in memory, which
 * is always in the page cache. A fault of a file maps the pages around it that are in the cache as
 * well (16 by default), so one page of each such group is touched.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/disk/names.h"
#include "bench/memory/names.h"
#include "kernel/run/names.h"
#include "tools/linux/host_disk.h"
#include "tools/linux/host_pairs.h"

#define PAGE   4096
#define AROUND (16 * PAGE) /* bytes that a fault of a file maps */

/* Places that are touched or read one after the other. */
struct walk {
    volatile uint8_t *at;
    int file;
    off_t next, step; /* in bytes */
};

static const char *const no_file =
    "a file in memory is always in the page cache: add --file PATH (tare disk -o PATH makes one)";

static bool touch_write(void *argument)
{
    struct walk *walk = argument;

    walk->at[walk->next] = 1;
    walk->next += walk->step;
    return true;
}

static bool touch_read(void *argument)
{
    struct walk *walk = argument;

    (void)walk->at[walk->next];
    walk->next += walk->step;
    return true;
}

static bool read_page(void *argument)
{
    static uint8_t page[PAGE];
    struct walk *walk = argument;
    const bool good = pread(walk->file, page, PAGE, walk->next) == PAGE;

    walk->next += walk->step;
    return good;
}

/* ---- the file ---- */

/* Opens a file of at least `bytes`: that of --file, or one in memory. `first` is the offset of its
 * first byte. Returns the descriptor, or -1. */
static int open_file(struct bench_run *run, off_t bytes, off_t *first)
{
    const struct host_disk *disk = host_disk();
    const int file =
        disk == NULL ? memfd_create("pages", 0) : open("/dev/null", O_RDONLY | O_CLOEXEC);

    *first = disk != NULL ? (off_t)disk->first : 0;
    bench_found(run, "file", disk != NULL ? disk->path : "in memory");
    if (disk != NULL) {
        host_check((off_t)disk->bytes >= bytes, "more than the file has");
        dup2(disk->through_cache, file);
    } else {
        host_check(file >= 0 && ftruncate(file, bytes) == 0, "a file in memory");
    }
    return file;
}

/* Reads all pages, so that they are in the page cache. */
static void fill_cache(int file, off_t first, off_t bytes)
{
    struct walk walk = {.file = file, .next = first, .step = PAGE};

    while (host_good() && walk.next < first + bytes) {
        host_check(read_page(&walk), "read");
    }
}

/* Empties the cache. Returns false, with series `name` absent, if it cannot be emptied. */
static bool drop_cache(struct bench_run *run, const char *name)
{
    if (host_disk() == NULL) {
        bench_absent(run, name, no_file);
        return false;
    }
    host_disk_drop(host_disk());
    return host_good();
}

/* ---- pagefault ---- */

/* A process that keeps the pages that it shares with this one. */
static void keep_main(void *argument)
{
    (void)argument;
    pause();
}

static void time_anonymous(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct walk walk = {.at = memory, .step = PAGE};

    if (!host_check(memory != MAP_FAILED, "mmap")) {
        return;
    }
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    /* Reading maps the one page of zeros that is always there. */
    host_cost(KIND_MINOR, touch_read, &walk);
    madvise(memory, bytes, MADV_DONTNEED);
    walk.next = 0;
    host_cost(KIND_DEMAND_ZERO, touch_write, &walk);
    const pid_t child = host_child(keep_main, NULL);

    walk.next = 0;
    host_cost(KIND_COPY_ON_WRITE, touch_write, &walk);
    host_end_child(child);
    munmap(memory, bytes);
}

/* Times faults of a mapped file whose pages are in the cache, or on the disk. */
static void time_file(const char *kind, int file, off_t first, off_t bytes)
{
    const size_t length = (size_t)(first + bytes);
    void *memory = mmap(NULL, length, PROT_READ, MAP_SHARED, file, 0);
    struct walk walk = {.at = memory, .next = first, .step = AROUND};

    if (host_check(memory != MAP_FAILED, "mmap")) {
        madvise(memory, length, MADV_RANDOM);
        host_cost(kind, touch_read, &walk);
        munmap(memory, length);
    }
}

static enum bench_state run_pagefault(struct bench_run *run)
{
    const size_t faults = HOST_OPERATIONS(bench_number(run, PARAM_TRIALS));
    const off_t bytes = (off_t)(faults * AROUND);
    off_t first;

    host_begin(run);
    time_anonymous(faults * PAGE);
    const int file = open_file(run, bytes, &first);

    if (drop_cache(run, KIND_FILE)) {
        time_file(KIND_FILE, file, first, bytes);
    }
    fill_cache(file, first, bytes);
    time_file(KIND_SOFT, file, first, bytes);
    close(file);
    return host_end();
}

static const struct bench pagefault = {
    .name = BENCH_PAGEFAULT,
    .group = GROUP_MEMORY,
    .summary = "page faults of Linux by kind, of memory and of a mapped file",
    .unit = UNIT_TICK,
    .needs = NEED_CLOCK,
    .params = host_params,
    .run = run_pagefault,
};
BENCH_REGISTER(pagefault);

/* ---- filecache ---- */

/* Reads the file backwards, as the image does: first without its pages in the cache. */
static enum bench_state run_filecache(struct bench_run *run)
{
    const off_t bytes = (off_t)HOST_OPERATIONS(bench_number(run, PARAM_TRIALS)) * PAGE;
    off_t first;

    host_begin(run);
    const int file = open_file(run, bytes, &first);
    struct walk walk = {.file = file, .next = first + bytes - PAGE, .step = -PAGE};

    if (drop_cache(run, SERIES_MISS)) {
        host_cost(SERIES_MISS, read_page, &walk);
    }
    fill_cache(file, first, bytes);
    walk.next = first + bytes - PAGE;
    host_cost(SERIES_HIT, read_page, &walk);
    close(file);
    return host_end();
}

static const struct bench filecache = {
    .name = BENCH_FILECACHE,
    .group = GROUP_DISK,
    .summary = "reads of 4 KiB of a file that is in Linux's page cache, and of one that is not",
    .unit = UNIT_TICK,
    .needs = NEED_CLOCK,
    .params = host_params,
    .run = run_filecache,
};
BENCH_REGISTER(filecache);
