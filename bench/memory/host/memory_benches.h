/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What benches of memory/ report in curves of one load (bench/memory/chase.c, tlb.c).
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

/* Bench bandwidth's curves are OPERATION.SET. */
#define BANDWIDTH_OPERATIONS 5
#define BANDWIDTH_SETS       5
extern const char *const bandwidth_operations[BANDWIDTH_OPERATIONS];
extern const char *const bandwidth_sets[BANDWIDTH_SETS];

/* The name of the bench's curve number `index` in the order of the log; NULL: there are not so
 * many.
 */
const char *curve_name_at(const struct run_bench *bench, size_t index, char name[CURVE_NAME_MAX]);

/* curve_read() of tools/run/curves.h, but of none that has more than CURVE_POINTS_MAX points, which
 * no bench sends: what is made of a curve takes the square of their number. */
#define CURVE_POINTS_MAX 1024
bool memory_curve_read(const struct run_bench *bench, const char *name, struct curve *curve);
/* The median at x; NaN: the curve has no such point. */
double memory_median_at(const struct curve *curve, int64_t x);

/* Does memory not cost there what it costs? Where instructions are counted, and in an emulator that
 * models no caches: a level in a curve would be the emulator's own, or its host's. */
bool shows_no_caches(const struct run *run);

/* Levels of chase's curve in random order through write-back pages, of the largest that there are,
 * whose name is put into `name`; with the prefetchers as firmware left them. 0: none, or
 * shows_no_caches(). */
size_t chase_levels(const struct run *run, const struct run_bench *bench,
                    struct cache_level levels[LEVELS_MAX], char name[CURVE_NAME_MAX]);

/* Chase's curve of the same run that chase_levels() would look at. False: there is none. */
bool chase_read(const struct run *run, struct curve *curve);
/* What a load of so many lines one behind the other costs in caches alone, in ticks, by that curve;
 * NaN: not known. */
double chase_cost_of_lines(const struct curve *curve, int64_t lines);

/* Bench stride's curves, one a stride in bytes, all of as many points; how many. The caller frees
 * them. */
#define STRIDES_MAX 11
size_t stride_curves_read(const struct run_bench *bench, int64_t strides[STRIDES_MAX],
                          struct curve curves[STRIDES_MAX]);

/* Levels of a curve of tlb, without what caches add (chase_cost_of_lines), in pages; 0: none, or
 * the TSC counts instructions. `with_caches`: chase is not there to report, and steps may be the
 * caches'. */
size_t tlb_levels(const struct run *run, const struct run_bench *bench, const char *page,
                  struct cache_level levels[LEVELS_MAX], bool *with_caches);

/*
 * Where the time of page faults goes, as bench pagefault reports it (bench/memory/pagefault.c).
 */

#define FAULT_KINDS_MAX 4
#define FAULT_PARTS_MAX 5

/* Kinds of faults whose time has the same parts. */
struct fault_group {
    const char *const *kinds;
    size_t kind_count;
    const char *const *parts;
    size_t part_count;
};

extern const struct fault_group faults_of_memory; /* demand_zero minor protection copy_on_write */
extern const struct fault_group faults_of_file;   /* file soft: pages of a mapped file */

/* Medians in ticks, less that of `empty` each. The parts are of a run of their own, with stamps in
 * the kernel: their sum is beyond the whole by what it takes to keep these. */
struct fault_split {
    const char *kind;
    int64_t whole;
    int64_t parts[FAULT_PARTS_MAX];
    bool there[FAULT_PARTS_MAX]; /* `soft` has no device */
};

/* The kinds of which the bench has all, and how many. */
size_t fault_splits_read(const struct run_bench *bench, const struct fault_group *group,
                         struct fault_split splits[FAULT_KINDS_MAX]);
