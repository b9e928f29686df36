/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench netbandwidth: bulk transfers by path, window and size of a message, and what bounds them.
 *
 * Three bounds hold for any stack: a window is on its way once a round trip; a segment takes the
 * wire's time; each byte is copied. The fourth is of this stack: on path `pair` one processor does
 * the work of both ends, which is what the same transfer takes on loop-back. The lowest one binds.
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
    double rate;                   /* bytes a tick; NaN: unknown */
    double bound[TRANSFER_BOUNDS]; /* the same */
    struct statistics block;       /* ticks of 64 KiB; n = 0: they are missing */
    int64_t shortest;              /* ticks of the shortest round trip; 0: unknown */
    bool counted;                  /* the next two are known */
    int64_t again;                 /* segments that were sent again */
    int64_t outliers;              /* blocks during which one was */
};

/* The transfers by path, window and message, and how many; those beyond TRANSFERS_MAX are left out.
 */
size_t transfers_read(const struct run *run, const struct run_bench *bench,
                      struct transfer transfers[TRANSFERS_MAX]);
/* The lowest bound; TRANSFER_BOUNDS: none is known. */
enum transfer_bound transfer_binds(const struct transfer *transfer);

/* Rates for a person: B of 1000 instructions where time is exact, else MB/s (10^6 bytes), else B a
 * tick. */
struct transfer_scale {
    double per_rate; /* of a byte a tick */
    const char *unit;
};
struct transfer_scale transfer_scale(const struct run *run);
/* Segments with data of all transfers of a path: "pair: of 100 frames with data 2 were lost, ...";
 * false: the run does not have them. */
bool transfer_losses(const struct run_bench *bench, const char *path, char *text, size_t size);
/* False: the fact is of no transfer. */
bool transfer_shows_fact(const struct run_fact *fact);
