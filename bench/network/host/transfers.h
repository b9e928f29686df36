/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads bench netbandwidth: bulk transfers by path, window and size of a message, and what bounds
 * them.
 *
 * Three bounds hold for any stack: one window per round trip; the time of a segment on the wire;
 * and copying each byte. The fourth is specific to this stack: on path `pair` one processor does
 * the work of both ends, as it does for the same transfer on loop-back. The lowest bound limits the
 * transfer.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/present/metrics.h"
#include "tools/present/view.h"
#include "tools/run/run.h"
#include "tools/stats/statistics.h"

#define TRANSFERS_MAX 256

enum transfer_bound {
    BOUND_WINDOW,
    BOUND_WIRE,
    BOUND_COPY,
    BOUND_STACK,
    TRANSFER_BOUNDS,
};
extern const char *const transfer_bounds[TRANSFER_BOUNDS]; /* window wire copy stack */

struct transfer {
    const char *path;
    int64_t window, message; /* bytes */
    int64_t total;           /* ticks */
    int64_t bytes;
    double rate;                   /* bytes per tick; NaN: unknown */
    double bound[TRANSFER_BOUNDS]; /* bytes per tick; NaN: unknown */
    struct statistics block;       /* ticks of 64 KiB; n = 0: they are missing */
    int64_t shortest;              /* ticks of the shortest round trip; 0: unknown */
    bool counted;                  /* `again` and `outliers` are known */
    int64_t again;                 /* segments that were sent again */
    int64_t outliers;              /* blocks during which a segment was sent again */
};

/* Reads the transfers in the order of path, window and message; leaves out those beyond
 * TRANSFERS_MAX. Returns their number. */
size_t transfers_read(const struct run *run, const struct run_bench *bench,
                      struct transfer transfers[TRANSFERS_MAX]);
/* Returns the lowest bound, or TRANSFER_BOUNDS if none is known. */
enum transfer_bound transfer_binds(const struct transfer *transfer);

/* unit for printing rates: B per 1000 instructions if time is exact, otherwise MB/s (10^6 bytes),
 * or B per tick if the length of a tick is unknown */
struct transfer_scale {
    double per_rate; /* rate in `unit` divided by the rate in bytes per tick */
    const char *unit;
};
struct transfer_scale transfer_scale(const struct run *run);
/* Writes the lost segments with data of all transfers of a path: "pair: of 100 frames with data 2
 * were lost, ...". Returns false if the run does not have them. */
bool transfer_losses(const struct run_bench *bench, const char *path, char *text, size_t size);
/* Returns true if the fact is one that the tables of transfers show. */
bool transfer_shows_fact(const struct run_fact *fact);
