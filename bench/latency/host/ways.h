/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Bench timerlat of a run: of each processor that measured, the three spans of a period's way and
 * their whole. Number, sum, least and greatest are exact for all periods; quantiles are those of
 * the histogram, within 6 % below, except where all of its samples are in one bin.
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
    int64_t min, max, max_at, sum; /* ticks; max_at: the deadline, behind the first one */
    const struct run_series *bound, *count;
};

struct way_lane {
    uint64_t number; /* of the processor */
    uint64_t periods, overruns;
    bool known; /* false: no period came through, or parts are missing */
    struct way_book book[WAY_SPAN_COUNT];
};

struct ways {
    struct way_lane *lane; /* the kernel's own processor first */
    size_t count;
    int64_t period; /* ticks; 0: not known */
};

/* False: the bench has no periods at all. */
bool ways_of(const struct run_bench *bench, struct ways *ways);
void ways_free(struct ways *ways);

/* "handler", "dpc", "thread", "whole" */
const char *way_span_name(enum way_span span);
/* The value that a share of `part` of a million of all is at or below. */
int64_t way_quantile(const struct way_lane *lane, enum way_span span, uint64_t part);
/* Are there at least ten above it? Else it is not printed. */
bool way_has_quantile(const struct way_lane *lane, uint64_t part);
#define WAY_MILLION 1000000
