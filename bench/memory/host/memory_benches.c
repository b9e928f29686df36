/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/memory/host/memory_benches.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/disk/names.h"
#include "bench/memory/names.h"
#include "kernel/cpu/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/run/run_kind.h"
#include "tools/stats/statistics.h"

#define LINE_BYTES 64

const char *const page_names[PAGE_SIZES] = {PAGE_NAME_4K, PAGE_NAME_2M, PAGE_NAME_1G};
const char *const bandwidth_operations[BANDWIDTH_OPERATIONS] = {
    OPERATION_READ, OPERATION_WRITE, OPERATION_COPY, OPERATION_WRITE_NT, OPERATION_COPY_NT};
const char *const bandwidth_sets[BANDWIDTH_SETS] = {SET_REP, SET_64, SIMD_NAME_SSE, SIMD_NAME_AVX2,
                                                    SIMD_NAME_AVX512};

const char *curve_name_at(const struct run_bench *bench, size_t index, char name[CURVE_NAME_MAX])
{
    for (size_t i = 0; i < bench->series_count; i++) {
        const char *full = bench->series[i].name;
        const size_t length = full != NULL ? strlen(full) : 0;

        if (length > 2 && length < CURVE_NAME_MAX && strcmp(full + length - 2, SUFFIX_X) == 0 &&
            index-- == 0) {
            memcpy(name, full, length - 2);
            name[length - 2] = '\0';
            return name;
        }
    }
    return NULL;
}

bool memory_curve_read(const struct run_bench *bench, const char *name, struct curve *curve)
{
    if (!curve_read(bench, name, curve)) {
        return false;
    }
    if (curve->points > CURVE_POINTS_MAX) {
        curve_free(curve);
        return false;
    }
    return true;
}

double memory_median_at(const struct curve *curve, int64_t x)
{
    for (size_t i = 0; i < curve->points; i++) {
        if (curve->x[i] == x) {
            return curve_median(curve, i);
        }
    }
    return NAN;
}

/* Returns the medians of a curve's points, `curve->points` of them; the caller frees the array. */
static double *curve_medians(const struct curve *curve)
{
    double *medians = alloc_zeroed((curve->points + 1) * sizeof(*medians));

    for (size_t i = 0; i < curve->points; i++) {
        medians[i] = curve_median(curve, i);
    }
    return medians;
}

bool shows_no_caches(const struct run *run)
{
    const enum run_time time = run_time(run);

    return run_counts_instructions(run) || time == RUN_TIME_EMULATED;
}

/* Reads the curve that chase_levels() describes; the caller frees it. */
static bool read_random(const struct run_bench *bench, struct curve *curve,
                        char name[CURVE_NAME_MAX])
{
    for (size_t page = PAGE_SIZES; page-- > 0;) {
        snprintf(name, CURVE_NAME_MAX, ORDER_RANDOM ".%s." TYPE_NAME_WB, page_names[page]);
        if (memory_curve_read(bench, name, curve)) {
            return true;
        }
    }
    return false;
}

/* Finds the levels and frees the medians and the curve. */
static size_t find_levels(struct curve *curve, double *medians,
                          struct cache_level levels[LEVELS_MAX])
{
    const size_t count = cache_levels_find(curve->x, medians, curve->points, levels);

    free(medians);
    curve_free(curve);
    return count;
}

size_t chase_levels(const struct run *run, const struct run_bench *bench,
                    struct cache_level levels[LEVELS_MAX], char name[CURVE_NAME_MAX])
{
    struct curve curve;

    if (shows_no_caches(run) || !read_random(bench, &curve, name)) {
        return 0;
    }
    return find_levels(&curve, curve_medians(&curve), levels);
}

bool chase_read(const struct run *run, struct curve *curve)
{
    const struct run_bench *chase = run_find_bench(run, BENCH_CHASE);
    char name[CURVE_NAME_MAX];

    return chase != NULL && read_random(chase, curve, name);
}

double chase_cost_of_lines(const struct curve *curve, int64_t lines)
{
    for (size_t i = 0; i < curve->points; i++) {
        const int64_t bytes = curve->x[i];

        /* Fewer lines than the smallest size cost the same as that size, because neither misses. */
        if (bytes / LINE_BYTES == lines || (i == 0 && bytes / LINE_BYTES > lines)) {
            return curve_median(curve, i);
        }
    }
    return NAN;
}

/* Subtracts what the caches add to the cost of the first point. Returns false if chase has no
 * result. */
static bool take_off_caches(const struct run *run, const struct curve *curve, double *medians)
{
    struct curve caches;

    if (!chase_read(run, &caches)) {
        return false;
    }
    const double first = chase_cost_of_lines(&caches, curve->x[0]);

    for (size_t i = 0; i < curve->points; i++) {
        medians[i] -= chase_cost_of_lines(&caches, curve->x[i]) - first;
    }
    curve_free(&caches);
    return true;
}

size_t tlb_levels(const struct run *run, const struct run_bench *bench, const char *page,
                  struct cache_level levels[LEVELS_MAX], bool *with_caches)
{
    struct curve curve;

    if (shows_no_caches(run) || !memory_curve_read(bench, page, &curve)) {
        return 0;
    }
    double *medians = curve_medians(&curve);

    *with_caches = !take_off_caches(run, &curve, medians);
    return find_levels(&curve, medians, levels);
}

/* Returns the stride in a curve's name, or 0 if it has none. */
static int64_t stride_of(const char *name)
{
    static const char prefix[] = CURVE_STRIDE;

    return strncmp(name, prefix, sizeof(prefix) - 1) == 0
               ? strtoll(name + sizeof(prefix) - 1, NULL, 10)
               : 0;
}

size_t stride_curves_read(const struct run_bench *bench, int64_t strides[STRIDES_MAX],
                          struct curve curves[STRIDES_MAX])
{
    char name[CURVE_NAME_MAX];
    size_t count = 0;

    for (size_t i = 0; count < STRIDES_MAX && curve_name_at(bench, i, name) != NULL; i++) {
        if (stride_of(name) <= 0 || !memory_curve_read(bench, name, &curves[count])) {
            continue;
        }
        if (count > 0 && curves[count].points != curves[0].points) {
            curve_free(&curves[count]);
            continue;
        }
        strides[count++] = stride_of(name);
    }
    return count;
}

#define NAME_MAX_BYTES 64

static const char *const memory_kinds[] = {KIND_DEMAND_ZERO, KIND_MINOR, KIND_PROTECTION,
                                           KIND_COPY_ON_WRITE};
static const char *const memory_parts[] = {PART_ENTRY, PART_WALK, PART_FILL, PART_RETURN};
static const char *const file_kinds[] = {KIND_FILE, KIND_SOFT};
static const char *const file_parts[] = {PART_ENTRY, PART_LOOKUP, PART_DEVICE, PART_FILL,
                                         PART_RETURN};

const struct fault_group faults_of_memory = {memory_kinds, 4, memory_parts, 4};
const struct fault_group faults_of_file = {file_kinds, 2, file_parts, 5};

/* Returns false if there are no samples, or not all of them. */
static bool median_of(const struct run_bench *bench, const char *name, int64_t *median)
{
    const struct run_series *series = run_find_series(bench, name);

    if (series == NULL || series->n == 0 || !run_series_whole(series)) {
        return false;
    }
    *median = statistics_median(series->samples, series->n);
    return true;
}

static bool read_split(const struct run_bench *bench, const struct fault_group *group,
                       const char *kind, struct fault_split *split)
{
    char name[NAME_MAX_BYTES];
    int64_t empty;

    *split = (struct fault_split){.kind = kind};
    if (!median_of(bench, SERIES_EMPTY, &empty) || !median_of(bench, kind, &split->whole)) {
        return false;
    }
    split->whole -= empty;
    for (size_t i = 0; i < group->part_count; i++) {
        const bool is_device = strcmp(group->parts[i], PART_DEVICE) == 0;

        snprintf(name, sizeof(name), "%s.%s", kind, group->parts[i]);
        split->there[i] = median_of(bench, name, &split->parts[i]);
        if (split->there[i]) {
            split->parts[i] -= empty;
        } else if (!is_device || strcmp(kind, KIND_SOFT) != 0) {
            return false;
        }
    }
    return true;
}

size_t fault_splits_read(const struct run_bench *bench, const struct fault_group *group,
                         struct fault_split splits[FAULT_KINDS_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < group->kind_count; i++) {
        count += read_split(bench, group, group->kinds[i], &splits[count]);
    }
    return count;
}
