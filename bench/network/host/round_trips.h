/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench rtt: round trips by path, protocol and bytes of payload, and their spans.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/disk/host/disk_reads.h"
#include "bench/network/host/paths.h"
#include "tools/run/estimates.h"
#include "tools/run/run.h"
#include "tools/stats/statistics.h"

#define RTT_PROTOCOLS 3
#define RTT_SPANS     9
#define RTT_WAYS      2

extern const char *const rtt_protocols[RTT_PROTOCOLS]; /* icmp udp tcp */
extern const char *const rtt_spans[RTT_SPANS];         /* as they follow each other */

/* The sizes of a protocol on a path, ascending, and how many; bytes. */
size_t rtt_sizes(const struct run_bench *bench, const char *path, const char *protocol,
                 int64_t sizes[DISK_POINTS_MAX]);
/* False: the whole is missing, or a part has another length than it. */
bool rtt_of(const struct run_bench *bench, const char *path, const char *protocol, int64_t bytes,
            struct split *split);

/* The sum of facts "NAME.PATH.PROTOCOL.BYTES". */
int64_t rtt_facts(const struct run_bench *bench, const char *name);
bool rtt_shows_fact(const struct run_fact *fact);

/* What the law of a modelled wire has, there (0) and back (1), and the span that it is of. */
struct rtt_law {
    const char *name;
    const char *span;
    const int64_t *law;  /* as many as there are round trips */
    const int64_t *wire; /* the span's */
};
/* False: the run lacks either. */
bool rtt_law_of(const struct run_bench *bench, const char *path, const char *protocol,
                int64_t bytes, size_t way, struct rtt_law *law);

/*
 * Bench connection: a TCP connection by its parts, and its overhead as the report defines it.
 */

#define SETUP_PARTS    3
#define OVERHEAD_PARTS 2

/* A set-up by its parts syn, answer and established, and all of a connection as the parts raw (a
 * packet) and overhead. False: the whole is missing, or a part has another length than it. */
bool connection_setup_of(const struct run_bench *bench, const char *path, struct split *split);
bool connection_overhead_of(const struct run_bench *bench, const char *path, struct split *split);

/* The report's row; NULL: there is none. */
const struct estimates_row *connection_report(void);

/*
 * Bench remotefile: the first part of a file that is at the other end of a path, or on a local
 * disk, block by block through an empty page cache.
 */

#define REMOTE_ORDERS 2

extern const char *const remote_orders[REMOTE_ORDERS]; /* sequential random */

/* The sizes of all orders and paths, ascending, and how many; bytes. */
size_t remote_sizes(const struct run_bench *bench, int64_t sizes[DISK_POINTS_MAX]);

struct remote_file {
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
