/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads bench fileread: the first part of a file, block by block, by order and way; and bench
 * filecache: the size of a page cache.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/disk/host/disk_reads.h"
#include "tools/run/run.h"

#define FILE_ORDERS 3
#define FILE_WAYS   2

extern const char *const file_orders[FILE_ORDERS]; /* sequential random backwards */
extern const char *const file_ways[FILE_WAYS];     /* direct cached */

/* Reads the sizes, in bytes, of all orders and ways, ascending. Returns their number. */
size_t file_sizes(const struct run_bench *bench, int64_t sizes[DISK_POINTS_MAX]);

struct file_reads {
    size_t n;
    double mean; /* ticks of a block */
    struct statistics block;
    int64_t total; /* ticks of all blocks, as the bench summed them */
};
/* Returns false if the run lacks the reads, or their total. */
bool file_reads_of(const struct run_bench *bench, size_t order, size_t way, int64_t bytes,
                   struct file_reads *reads);

/*
 * The size of a page cache, found from outside: files up to that size are read again from memory,
 * larger ones from the disk (bench filecache; the report, section 13).
 */

/* a file that was read twice, and what the second time cost */
struct file_again {
    int64_t bytes;
    double mean; /* ticks of a block */
    struct statistics block;
    bool counted; /* the run has all counts below, which are of both times */
    int64_t reads, hits, misses, read_ahead, evictions;
};

/* Reads the results of the bench for each file size. `cache` is the prefix of the names of their
 * series: "" for the first cache size, otherwise "cache.BYTES.". Returns the number of files. */
size_t file_again_read(const struct run_bench *bench, const char *cache,
                       struct file_again files[DISK_POINTS_MAX]);

/* Reads the sizes of the caches after the first, in bytes, ascending. Returns their number. */
size_t file_caches(const struct run_bench *bench, int64_t caches[DISK_POINTS_MAX]);

/* Finds the knee: files up to `low` bytes are read from memory, files from `high` on are not. The
 * threshold between their means is the geometric mean of the smallest and the greatest mean.
 * Returns false if these differ by less than a factor of two, or if the files do not separate at
 * one size. */
struct file_knee {
    int64_t low, high;
};
bool file_knee_find(const struct file_again *files, size_t count, struct file_knee *knee);

/* Returns true if a cache of that size fits what was found. Read-ahead may use up to `ahead` bytes
 * of it for pages beyond the file. */
bool file_knee_holds(const struct file_knee *knee, int64_t cache_bytes, int64_t ahead);
/* Returns the bytes that read-ahead may use, by the bench's fact. */
int64_t file_ahead(const struct run_bench *bench);
