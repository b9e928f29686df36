/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench rtt: round trips by path, protocol and bytes of payload, and their spans.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/disk/host/disk_reads.h"
#include "bench/network/host/splits.h"
#include "tools/run/run.h"

#define RTT_PROTOCOLS 3
#define RTT_SPANS     9
#define RTT_WAYS      2

extern const char *const rtt_protocols[RTT_PROTOCOLS]; /* icmp udp tcp */
extern const char *const rtt_spans[RTT_SPANS];         /* as they follow each other */

/* The sizes of a protocol on a path, ascending, and how many; bytes. */
size_t rtt_sizes(const struct run_bench *bench, const char *path, const char *protocol,
                 int64_t sizes[DISK_POINTS_MAX]);
/* False: as split_of(). */
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
