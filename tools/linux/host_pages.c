/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Benches pagefault and filecache under Linux: rows 9 and 13 of the report. Series have the names
 * of the image's (bench/memory/, bench/disk/).
 *
 * With --file, the file of the disk benches is mapped and read; without it, a file in memory, which
 * is always in the page cache. A fault of a file maps the pages around it that are in the cache as
 * well (16 by default), so one page of each such group is touched.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/disk/names.h"
#include "bench/memory/names.h"
#include "tools/linux/host_disk.h"
#include "tools/linux/host_pairs.h"

#define PAGE   4096
#define AROUND (16 * PAGE) /* bytes that a fault of a file maps */

/* The part of the file that is used, and its places, which are touched or read one after the other;
 * all in bytes. */
static struct {
    int file;
    off_t first, bytes;
    volatile uint8_t *at; /* memory that is touched */
    off_t next, step;
} walk;

static bool touch_write(void)
{
    walk.at[walk.next] = 1;
    walk.next += walk.step;
    return true;
}

static bool touch_read(void)
{
    (void)walk.at[walk.next];
    walk.next += walk.step;
    return true;
}

static bool read_page(void)
{
    static uint8_t page[PAGE];
    const bool good = pread(walk.file, page, PAGE, walk.next) == PAGE;

    walk.next += walk.step;
    return good;
}

/* ---- the file ---- */

/* Opens a file for `steps` steps of `step` bytes: that of --file, or one in memory. */
static void open_file(struct bench_run *run, size_t steps, off_t step)
{
    const struct host_disk *disk = host_disk();

    walk.bytes = (off_t)steps * step;
    walk.first = disk != NULL ? (off_t)disk->first : 0;
    walk.file = disk != NULL ? dup(disk->through_cache) : memfd_create("pages", 0);
    bench_found(run, "file", disk != NULL ? disk->path : "in memory");
    host_check(walk.file >= 0 && (disk != NULL || ftruncate(walk.file, walk.bytes) == 0),
               "a file in memory");
    errno = ENODATA;
    host_check(disk == NULL || (off_t)disk->bytes >= walk.bytes,
               "to read beyond the file's end (tare disk makes one of 64 MiB)");
}

/* Reads all pages, so that they are in the page cache. */
static void fill_cache(void)
{
    walk.step = PAGE;
    for (walk.next = walk.first; host_good() && walk.next < walk.first + walk.bytes;) {
        host_check(read_page(), "read");
    }
}

/* Empties the cache. Returns false, with series `name` absent, if it cannot be emptied. */
static bool drop_cache(struct bench_run *run, const char *name)
{
    if (host_disk() == NULL) {
        bench_absent(run, name,
                     "a file in memory is always in the page cache: add --file PATH (tare disk -o "
                     "PATH makes one)");
        return false;
    }
    host_disk_drop(host_disk());
    return host_good();
}

/* A process that keeps the pages that it shares with this one. */
static void keep_main(void)
{
    pause();
}

static void time_anonymous(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (!host_check(memory != MAP_FAILED, "mmap")) {
        return;
    }
    walk = (typeof(walk)){.at = memory, .step = PAGE};
    madvise(memory, bytes, MADV_NOHUGEPAGE);
    /* Reading maps the one page of zeros that is always there. */
    host_cost(KIND_MINOR, touch_read);
    madvise(memory, bytes, MADV_DONTNEED);
    walk.next = 0;
    host_cost(KIND_DEMAND_ZERO, touch_write);
    const pid_t child = host_child(keep_main);

    walk.next = 0;
    host_cost(KIND_COPY_ON_WRITE, touch_write);
    host_end_child(child);
    munmap(memory, bytes);
}

/* Times faults of the mapped file, whose pages are in the cache, or on the disk. */
static void time_file(const char *kind)
{
    const size_t length = (size_t)(walk.first + walk.bytes);
    void *memory = mmap(NULL, length, PROT_READ, MAP_SHARED, walk.file, 0);

    if (host_check(memory != MAP_FAILED, "mmap")) {
        walk.at = memory;
        walk.next = walk.first;
        walk.step = AROUND;
        madvise(memory, length, MADV_RANDOM);
        host_cost(kind, touch_read);
        munmap(memory, length);
    }
}

static void measure_pagefault(struct bench_run *run)
{
    const size_t faults = HOST_OPERATIONS(bench_number(run, PARAM_TRIALS));

    time_anonymous(faults * PAGE);
    open_file(run, faults, AROUND);
    if (drop_cache(run, KIND_FILE)) {
        time_file(KIND_FILE);
    }
    fill_cache();
    time_file(KIND_SOFT);
    close(walk.file);
}

HOST_BENCH(pagefault, BENCH_PAGEFAULT, GROUP_MEMORY,
           "page faults of Linux by kind, of memory and of a mapped file");

/* Reads the file backwards, as the image does. */
static void time_reads(const char *name)
{
    walk.next = walk.first + walk.bytes - PAGE;
    walk.step = -PAGE;
    host_cost(name, read_page);
}

static void measure_filecache(struct bench_run *run)
{
    open_file(run, HOST_OPERATIONS(bench_number(run, PARAM_TRIALS)), PAGE);
    if (drop_cache(run, SERIES_MISS)) {
        time_reads(SERIES_MISS);
    }
    fill_cache();
    time_reads(SERIES_HIT);
    close(walk.file);
}

HOST_BENCH(filecache, BENCH_FILECACHE, GROUP_DISK,
           "reads of 4 KiB of a file that is in Linux's page cache, and of one that is not");
