/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads bench rtt: round trips by path, protocol and bytes of payload, and their spans; and what
 * benches connection and remotefile report.
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
/* spans in the order in which they follow each other */
extern const char *const rtt_spans[RTT_SPANS];

/* Reads the sizes of a protocol on a path in bytes, ascending. Returns their number. */
size_t rtt_sizes(const struct run_bench *bench, const char *path, const char *protocol,
                 int64_t sizes[DISK_POINTS_MAX]);
/* Reads round trips of one size. Returns false if the series of the total time is missing, or if a
 * series of one span has a different number of samples. */
bool rtt_of(const struct run_bench *bench, const char *path, const char *protocol, int64_t bytes,
            struct split *split);

/* Returns the sum of facts "NAME.PATH.PROTOCOL.BYTES". */
int64_t rtt_facts(const struct run_bench *bench, const char *name);
bool rtt_shows_fact(const struct run_fact *fact);

/* what the timing model of the simulated link says for the way there (0) or back (1), and the
 * measured span to compare it with */
struct rtt_law {
    const char *name;
    const char *span;
    const int64_t *law;  /* as many samples as there are round trips */
    const int64_t *wire; /* samples of the span */
};
/* Returns false if the run lacks one of the two. */
bool rtt_law_of(const struct run_bench *bench, const char *path, const char *protocol,
                int64_t bytes, size_t way, struct rtt_law *law);

/*
 * Bench connection: a TCP connection by its parts, and its overhead as the report defines it.
 */

#define SETUP_PARTS    3
#define OVERHEAD_PARTS 2

/* Read a setup with its parts syn, answer and established, and a whole connection with its parts
 * raw (a packet) and overhead. Return false if the whole is missing, or a part has another number
 * of samples. */
bool connection_setup_of(const struct run_bench *bench, const char *path, struct split *split);
bool connection_overhead_of(const struct run_bench *bench, const char *path, struct split *split);

/* Returns the report's row, or NULL if there is none. */
const struct estimates_row *connection_report(void);

/*
 * Bench remotefile: the first part of a file at the other end of a path or on a local disk, read
 * block by block through an empty page cache.
 */

#define REMOTE_ORDERS 2

extern const char *const remote_orders[REMOTE_ORDERS]; /* sequential random */

/* Collects the request sizes of all orders and paths, in bytes, ascending. Returns the number of
 * sizes. */
size_t remote_sizes(const struct run_bench *bench, int64_t sizes[DISK_POINTS_MAX]);

struct remote_file {
    struct statistics block; /* ticks */
    int64_t total;           /* ticks of all blocks, as the bench summed them */
    double of_local;         /* ratio to the total of the local disk; NaN: unknown */
};
/* Returns false if the run lacks the reads, or their total. */
bool remote_file_of(const struct run_bench *bench, const char *order, const char *path,
                    int64_t bytes, struct remote_file *file);

/* Returns how many times as long as a local file the report measured for a remote file of 32 MiB;
 * its estimate was 50. */
#define REMOTE_REPORT_BYTES    (INT64_C(32) << 20)
#define REMOTE_REPORT_ESTIMATE 50
double remote_report_ratio(void);
