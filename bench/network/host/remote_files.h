/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench remotefile: the first part of a file that is at the other end of a path, or on a local
 * disk, block by block through an empty page cache.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/disk/host/disk_reads.h"
#include "tools/run/run.h"
#include "tools/stats/statistics.h"

#define REMOTE_ORDERS 2

extern const char *const remote_orders[REMOTE_ORDERS]; /* sequential random */

/* The sizes of all orders and paths, ascending, and how many; bytes. */
size_t remote_sizes(const struct run_bench *bench, int64_t sizes[DISK_POINTS_MAX]);

struct remote_file {
    size_t n;
    struct statistics block; /* ticks */
    int64_t total;           /* ticks of all blocks, as the bench counted */
    double of_local;         /* total by that of the local disk; NaN: that is unknown */
};
/* False: the run lacks the reads, or their total. */
bool remote_file_of(const struct run_bench *bench, const char *order, const char *path,
                    int64_t bytes, struct remote_file *file);

/* Of the report: how many times as long as a local one it measured of a remote file of 32 MiB; its
 * estimate was 50. */
#define REMOTE_REPORT_BYTES    (INT64_C(32) << 20)
#define REMOTE_REPORT_ESTIMATE 50
double remote_report_ratio(void);
