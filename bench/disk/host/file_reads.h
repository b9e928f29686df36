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
