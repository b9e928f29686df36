/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/network/host/splits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/disk/host/disk_reads.h"
#include "tools/base/alloc.h"
#include "tools/base/texts.h"

#define KIB 1024

const struct run_series *network_series(const struct run_bench *bench, const char *name,
                                        const char *of)
{
    char text[NETWORK_NAME_MAX];

    snprintf(text, sizeof(text), "%s.%s", name, of);
    const struct run_series *series = run_find_series(bench, text);

    return series != NULL && series->n > 0 && run_series_whole(series) ? series : NULL;
}

bool split_of(const struct run_bench *bench, const char *whole, const char *const *names,
              size_t count, const char *of, struct split *split)
{
    const struct run_series *series = network_series(bench, whole, of);

    *split = (struct split){.count = count, .names = names};
    if (series == NULL) {
        return false;
    }
    split->n = series->n;
    split->whole = series->samples;
    for (size_t i = 0; i < count; i++) {
        series = network_series(bench, names[i], of);
        if (series != NULL && series->n != split->n) {
            return false;
        }
        split->part[i] = series != NULL ? series->samples : NULL;
    }
    return true;
}

bool split_has_parts(const struct split *split)
{
    for (size_t i = 0; i < split->count; i++) {
        if (split->part[i] != NULL) {
            return true;
        }
    }
    return false;
}

/* Of any samples that a run may hold: what exceeds 64 bits wraps. */
static int64_t less(int64_t from, int64_t what)
{
    return (int64_t)((uint64_t)from - (uint64_t)what);
}

void split_residual(const struct split *split, struct statistics *statistics)
{
    int64_t *rest = alloc_zeroed(split->n * sizeof(*rest));

    for (size_t i = 0; i < split->n; i++) {
        rest[i] = split->whole[i];
        for (size_t k = 0; k < split->count; k++) {
            rest[i] = less(rest[i], split->part[k] != NULL ? split->part[k][i] : 0);
        }
    }
    statistics_of(rest, split->n, statistics);
    free(rest);
}

void split_difference(const int64_t *from, const int64_t *what, size_t n,
                      struct statistics *statistics)
{
    int64_t *values = alloc_zeroed(n * sizeof(*values));

    for (size_t i = 0; i < n; i++) {
        values[i] = less(from[i], what[i]);
    }
    statistics_of(values, n, statistics);
    free(values);
}

const char *network_length(const struct view *view, double ticks, char text[AMOUNT_MAX])
{
    return isfinite(ticks) ? span_text(view, ticks, text) : NULL;
}

const char *network_bytes(int64_t bytes, char text[AMOUNT_MAX])
{
    char size[SIZE_TEXT_MAX];

    if (bytes == 0 || bytes % KIB != 0) {
        snprintf(text, AMOUNT_MAX, "%" PRId64 " B", bytes);
    } else {
        snprintf(text, AMOUNT_MAX, "%s", size_text(bytes, size));
    }
    return text;
}

const char *network_length_note(const struct view *view)
{
    return view->ticks_per_instruction > 0 ? "instructions of virtual time" : disk_time_note(view);
}
