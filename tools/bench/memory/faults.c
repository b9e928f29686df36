/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/bench/memory/faults.h"

#include <stdio.h>

#include "bench/memory/names.h"
#include "kernel/run/names.h"
#include "tools/stats/statistics.h"

#define NAME_MAX_BYTES 64

const char *const fault_splits[FAULT_SPLITS] = {KIND_DEMAND_ZERO, KIND_MINOR, KIND_PROTECTION,
                                                KIND_COPY_ON_WRITE};
const char *const fault_parts[FAULT_PARTS] = {PART_ENTRY, PART_WALK, PART_FILL, PART_RETURN};

/* False: there are no samples, or not all of them. */
static bool median_of(const struct run_bench *bench, const char *name, int64_t *median)
{
    const struct run_series *series = run_find_series(bench, name);

    if (series == NULL || series->n == 0 || !run_series_whole(series)) {
        return false;
    }
    *median = statistics_median(series->samples, series->n);
    return true;
}

static bool part_of(const struct run_bench *bench, const char *kind, size_t part, int64_t *median)
{
    char name[NAME_MAX_BYTES];

    snprintf(name, sizeof(name), "%s.%s", kind, fault_parts[part]);
    return median_of(bench, name, median);
}

bool fault_split_read(const struct run_bench *bench, const char *kind, struct fault_split *split)
{
    int64_t empty;

    if (!median_of(bench, SERIES_EMPTY, &empty) || !median_of(bench, kind, &split->whole)) {
        return false;
    }
    split->whole -= empty;
    for (size_t i = 0; i < FAULT_PARTS; i++) {
        if (!part_of(bench, kind, i, &split->parts[i])) {
            return false;
        }
        split->parts[i] -= empty;
    }
    return true;
}
