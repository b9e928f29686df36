/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench timerlat of a run: the three spans of a period and their sum, on each processor that
 * measured. Number, sum, minimum and maximum are exact for all periods. Quantiles come from the
 * histogram and may be up to 6 % too low, except if all samples are in one bin.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

enum way_span {
    WAY_SPAN_HANDLER,
    WAY_SPAN_DPC,
    WAY_SPAN_THREAD,
    WAY_SPAN_WHOLE,
    WAY_SPAN_COUNT,
};

struct way_book {
    /* in ticks; max_at is the deadline of the period with the maximum, counted from the first
     * deadline */
    int64_t min, max, max_at, sum;
    const struct run_series *bound, *count;
};

struct way_lane {
    uint64_t number; /* number of the processor */
    uint64_t periods, overruns;
    bool known; /* false: no period was measured, or data is missing */
    struct way_book book[WAY_SPAN_COUNT];
};

struct ways {
    struct way_lane *lane; /* the boot processor first */
    size_t count;
    int64_t period; /* ticks; 0: unknown */
};

/* Reads the statistics of all processors. Returns false if the bench has no periods. */
bool ways_of(const struct run_bench *bench, struct ways *ways);
void ways_free(struct ways *ways);

/* Returns "handler", "dpc", "thread" or "whole". */
const char *way_span_name(enum way_span span);
/* Returns the value that `part` of a million samples do not exceed. */
int64_t way_quantile(const struct way_lane *lane, enum way_span span, uint64_t part);
/* Returns whether at least ten samples are above the quantile; otherwise it is not printed. */
bool way_has_quantile(const struct way_lane *lane, uint64_t part);
#define WAY_MILLION 1000000
