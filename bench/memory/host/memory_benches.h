/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads what the memory benches report in curves of one load (bench/memory/chase.c, tlb.c), and
 * page faults by parts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/memory/host/cache_curve.h"
#include "tools/run/curves.h"
#include "tools/run/run.h"

#define CURVE_NAME_MAX 64
#define PAGE_SIZES     3

extern const char *const page_names[PAGE_SIZES]; /* 4k 2m 1g */

/* The curves of bench bandwidth are named OPERATION.SET: number of operations, and of sets, which
 * are kinds of instructions. */
#define BANDWIDTH_OPERATIONS 5
#define BANDWIDTH_SETS       5
extern const char *const bandwidth_operations[BANDWIDTH_OPERATIONS];
extern const char *const bandwidth_sets[BANDWIDTH_SETS];

/* Returns the name of the bench's curve number `index`, in the order of the log, or NULL if there
 * are fewer. */
const char *curve_name_at(const struct run_bench *bench, size_t index, char name[CURVE_NAME_MAX]);

/* Reads a curve as curve_read() of tools/run/curves.h does, but rejects more than CURVE_POINTS_MAX
 * points, which no bench sends: the time to find levels grows with the square of their number. */
#define CURVE_POINTS_MAX 1024
bool memory_curve_read(const struct run_bench *bench, const char *name, struct curve *curve);
/* Returns the median at x, or NaN if the curve has no such point. */
double memory_median_at(const struct curve *curve, int64_t x);

/* Returns true if the run cannot show the cost of memory: if instructions are counted, or in an
 * emulator without a model of caches. A level in a curve would then be the emulator's or its
 * host's. */
bool shows_no_caches(const struct run *run);

/* Finds the cache levels in chase's curve for random order, write-back memory, the largest page
 * size that has a curve, and the prefetchers as firmware left them. Copies the name of the curve to
 * `name`. Returns 0 if there is no level, or if shows_no_caches(). */
size_t chase_levels(const struct run *run, const struct run_bench *bench,
                    struct cache_level levels[LEVELS_MAX], char name[CURVE_NAME_MAX]);

/* Reads the curve of chase in the same run that chase_levels() would use. Returns false if there is
 * none. */
bool chase_read(const struct run *run, struct curve *curve);
/* Returns what a load of that many consecutive lines costs in caches alone, in ticks, by that
 * curve, or NaN if that is unknown. */
double chase_cost_of_lines(const struct curve *curve, int64_t lines);

/* Reads the curves of bench stride, one for each stride in bytes, all with the same number of
 * points. Returns their number. The caller frees them. */
#define STRIDES_MAX 11
size_t stride_curves_read(const struct run_bench *bench, int64_t strides[STRIDES_MAX],
                          struct curve curves[STRIDES_MAX]);

/* Finds the levels of a curve of tlb in pages, less what caches add (chase_cost_of_lines()).
 * Returns 0 if there is no level or shows_no_caches(). Sets *with_caches if the run has no chase,
 * so that steps may be the caches'. */
size_t tlb_levels(const struct run *run, const struct run_bench *bench, const char *page,
                  struct cache_level levels[LEVELS_MAX], bool *with_caches);

/*
 * where the time of page faults goes, as bench pagefault reports it (bench/memory/pagefault.c)
 */

#define FAULT_KINDS_MAX 4
#define FAULT_PARTS_MAX 5

/* kinds of faults whose time has the same parts */
struct fault_group {
    const char *const *kinds;
    size_t kind_count;
    const char *const *parts;
    size_t part_count;
};

extern const struct fault_group faults_of_memory; /* demand_zero minor protection copy_on_write */
extern const struct fault_group faults_of_file;   /* file soft: pages of a mapped file */

/* Medians in ticks, each less that of `empty`. The parts come from a separate run with stamps in
 * the kernel: their sum exceeds the whole by the cost of these stamps. */
struct fault_split {
    const char *kind;
    int64_t whole;
    int64_t parts[FAULT_PARTS_MAX];
    bool there[FAULT_PARTS_MAX]; /* false for the device of `soft` */
};

/* Reads the kinds for which the bench has all series. Returns their number. */
size_t fault_splits_read(const struct run_bench *bench, const struct fault_group *group,
                         struct fault_split splits[FAULT_KINDS_MAX]);
