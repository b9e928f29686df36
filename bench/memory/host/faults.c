/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/memory/host/faults.h"

#include <stdio.h>
#include <string.h>

#include "bench/disk/names.h"
#include "bench/memory/names.h"
#include "kernel/run/names.h"
#include "tools/stats/statistics.h"

#define NAME_MAX_BYTES 64

const char *const fault_splits[FAULT_SPLITS] = {KIND_DEMAND_ZERO, KIND_MINOR, KIND_PROTECTION,
                                                KIND_COPY_ON_WRITE};
const char *const fault_parts[FAULT_PARTS] = {PART_ENTRY, PART_WALK, PART_FILL, PART_RETURN};
const char *const mapped_splits[MAPPED_SPLITS] = {KIND_FILE, KIND_SOFT};
const char *const mapped_parts[MAPPED_PARTS] = {PART_ENTRY, PART_LOOKUP, PART_DEVICE, PART_FILL,
                                                PART_RETURN};

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

static bool part_of(const struct run_bench *bench, const char *kind, const char *part,
                    int64_t *median)
{
    char name[NAME_MAX_BYTES];

    snprintf(name, sizeof(name), "%s.%s", kind, part);
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
        if (!part_of(bench, kind, fault_parts[i], &split->parts[i])) {
            return false;
        }
        split->parts[i] -= empty;
    }
    return true;
}

bool mapped_split_read(const struct run_bench *bench, const char *kind, struct mapped_split *split)
{
    int64_t empty;

    *split = (struct mapped_split){0};
    if (!median_of(bench, SERIES_EMPTY, &empty) || !median_of(bench, kind, &split->whole)) {
        return false;
    }
    split->whole -= empty;
    for (size_t i = 0; i < MAPPED_PARTS; i++) {
        const bool is_device = strcmp(mapped_parts[i], PART_DEVICE) == 0;

        split->there[i] = part_of(bench, kind, mapped_parts[i], &split->parts[i]);
        if (split->there[i]) {
            split->parts[i] -= empty;
        } else if (!is_device || strcmp(kind, KIND_SOFT) != 0) {
            return false;
        }
    }
    return true;
}
