/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench fileread: the first part of a file, block by block, in an order and by a way.
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

/* The sizes of all orders and ways, ascending, and how many; bytes. */
size_t file_sizes(const struct run_bench *bench, int64_t sizes[DISK_POINTS_MAX]);

struct file_reads {
    size_t n;
    double mean; /* ticks of a block */
    struct statistics block;
    int64_t total; /* ticks of all blocks, as the bench counted */
};
/* False: the run lacks the reads, or their total. */
bool file_reads_of(const struct run_bench *bench, size_t order, size_t way, int64_t bytes,
                   struct file_reads *reads);

/*
 * The size of a page cache, found from outside: files up to it are read again from memory, larger
 * ones from the disk (bench filecache; the report, section 13).
 */

/* A file that was read twice, and what its second time cost. */
struct file_again {
    int64_t bytes;
    double mean; /* ticks of a block */
    struct statistics block;
    bool counted; /* the counts of both times, where the run has them all */
    int64_t reads, hits, misses, read_ahead, evictions;
};

/* The bench's files by size, and how many. `cache`: of which cache, "" of the first, else
 * "cache.BYTES.". */
size_t file_again_read(const struct run_bench *bench, const char *cache,
                       struct file_again files[DISK_POINTS_MAX]);

/* The caches other than the first that the bench has, and how many; bytes, ascending. */
size_t file_caches(const struct run_bench *bench, int64_t caches[DISK_POINTS_MAX]);

/* Files up to `low` bytes are read from memory, from `high` on they are not. The two kinds are kept
 * apart by their means: the threshold is the geometric mean of the least and the greatest. False:
 * they differ by less than twice, or do not part at one size. */
struct file_knee {
    int64_t low, high;
};
bool file_knee_find(const struct file_again *files, size_t count, struct file_knee *knee);

/* Is a cache of so many bytes what was found? Of them, read-ahead may take up to `ahead` bytes for
 * pages beyond the file. */
bool file_knee_holds(const struct file_knee *knee, int64_t cache_bytes, int64_t ahead);
/* These bytes, by the bench's fact. */
int64_t file_ahead(const struct run_bench *bench);
