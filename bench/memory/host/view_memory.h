/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory in `tare show` and in figures: bandwidth, latency by size and stride, reach of the TLB.
 */
#pragma once

#include "tools/figure/figure.h"
#include "tools/present/view.h"

/* Bytes a time: GB/s, or bytes an instruction where those are what is counted, else bytes a tick.
 */
double bandwidth_rate(const struct view *view, double bytes, double ticks);
const char *bandwidth_unit(const struct view *view);
/* The best of the medians at the largest size of all curves of an operation, and the set of that
 * curve; NaN: there is none. */
double bandwidth_best(const struct view *view, const struct run_bench *bench, const char *operation,
                      const char **set);
/* A cell of a number of bytes: "2 MiB", "1536 KiB", "100 B". */
void bytes_cell(struct table *table, int64_t bytes);
/* A cell of a span: instructions to a hundredth, or a duration with its sign. */
void span_cell(struct table *table, const struct view *view, double ticks);

void figures_memory(struct figures *figures, const struct run *run);
