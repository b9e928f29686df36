/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads BENCH.DAT in pages of 4 KiB, as programs read files: through the page cache, or bypassing
 * it.
 */
#pragma once

#include "bench/disk/target.h"
#include "kernel/block/file.h"

struct pages {
    struct target target;
    struct file_system_options options;
    struct timing_follower follower;
    struct file *file;
    struct file_stamps stamps;
    uint8_t *page;  /* data of the last read */
    uint64_t count; /* pages of the file */
    uint64_t reads; /* upper limit of a session; set by the bench */
};

/* Finds the file, and takes the plan's cache and read-ahead. Returns BENCH_OK, or the bench's
 * result. */
enum bench_state pages_find(struct bench_run *run, struct pages *pages);

/* Work done in the session while the file is open. Returns false if a read failed. */
typedef bool pages_work(struct pages *pages, void *argument);
/* Does `work` in a separate session, with the file open and a cache as in `options`. Returns
 * BENCH_OK, or the bench's result. */
enum bench_state pages_session(struct bench_run *run, struct pages *pages, pages_work *work,
                               void *argument);
/* Does the same within a session, or without one by polling. */
enum bench_state pages_in_session(struct bench_run *run, struct pages *pages, pages_work *work,
                                  void *argument);
/* Sets how a volume's file is read, by the plan's cache and read-ahead. */
void pages_options(struct pages *pages, bool interrupts);

/* Instructions of the kernel for a page that is not in the cache, its wait for the disk apart. */
#define PAGES_DIRECT 813
#define PAGES_CACHED 1727
/* States what is expected of the median of a series of `count` reads, with an empty cache and
 * without read-ahead. `place` is that of struct timing_load. */
void pages_expect(const struct bench_run *run, const struct pages *pages, const char *series,
                  uint64_t count, uint64_t (*place)(size_t thread, size_t read),
                  uint64_t instructions);

struct page_read {
    int64_t ticks; /* from before the seek to after the read */
    bool on_disk;  /* the thread waited for the disk */
};
/* Reads one page, and checks it after the timed part. Returns false if the read failed. */
bool pages_read(struct pages *pages, uint64_t page, bool direct, struct page_read *read);

/* Publishes which disk was read, the cache and the read-ahead, and judges all reads and the counts
 * of the cache. Returns BENCH_OK, or the bench's result. */
enum bench_state pages_judge(struct bench_run *run, const struct pages *pages,
                             const struct cache_counts *counts);
/* Adds what the cache has counted since it was last dropped. */
void pages_count(struct cache_counts *counts);
