/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads of BENCH.DAT by pages of 4 KiB, as programs read files: through the page cache, or past it.
 */
#pragma once

#include "bench/disk/target.h"
#include "kernel/block/file.h"

struct pages {
    struct target target;
    struct file_system_options options;
    struct law_follower follower;
    struct file *file;
    struct file_stamps stamps;
    uint8_t *page;  /* what was read last */
    uint64_t count; /* in the file */
    uint64_t reads; /* of a session, at most: set by the bench */
};

/* Finds the file, and takes the plan's cache and read-ahead. BENCH_OK, or the bench's result. */
enum bench_state pages_find(struct bench_run *run, struct pages *pages);

/* What is done while the file is open, within the session. False: a read failed. */
typedef bool pages_work(struct pages *pages, void *argument);
/* A separate session, with the file open and a cache as in `options`: work. BENCH_OK, or the
 * bench's result. */
enum bench_state pages_session(struct bench_run *run, struct pages *pages, pages_work *work,
                               void *argument);
/* The same within a session, or polling without one. */
enum bench_state pages_in_session(struct bench_run *run, struct pages *pages, pages_work *work,
                                  void *argument);
/* How a volume's file is read, by the plan's cache and read-ahead. */
void pages_options(struct pages *pages, bool interrupts);

struct page_read {
    int64_t ticks; /* from before the seek to behind the read */
    bool on_disk;  /* the thread waited for the disk */
};
/* Reads one page, and checks it behind the timed part. False: it failed. */
bool pages_read(struct pages *pages, uint64_t page, bool direct, struct page_read *read);

/* Publishes which disk it was, cache and read-ahead, and gives the verdict on all reads and on the
 * counts of the cache: BENCH_OK, or the bench's result. */
enum bench_state pages_judge(struct bench_run *run, const struct pages *pages,
                             const struct cache_counts *counts);
/* Adds what the cache has counted since it was dropped. */
void pages_count(struct cache_counts *counts);
