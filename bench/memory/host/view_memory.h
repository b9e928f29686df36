/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory in `tare show` and in figures: bandwidth, latency by size and stride, reach of the TLB.
 */
#pragma once

#include "tools/figure/figure.h"
#include "tools/present/view.h"

/* Return the rate and its unit: GB/s, bytes per instruction if instructions are counted, otherwise
 * bytes per tick. */
double bandwidth_rate(const struct view *view, double bytes, double ticks);
const char *bandwidth_unit(const struct view *view);
/* Returns the best median rate at the largest size among all curves of an operation and sets *set
 * to the instruction set of that curve; returns NaN if there is none. */
double bandwidth_best(const struct view *view, const struct run_bench *bench, const char *operation,
                      const char **set);
/* Adds a cell with a number of bytes: "2 MiB", "1536 KiB", "100 B". */
void bytes_cell(struct table *table, int64_t bytes);

void figures_memory(struct figures *figures, const struct run *run);
