/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/disk/host/file_reads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/disk/names.h"

const char *const file_orders[FILE_ORDERS] = {ORDER_SEQUENTIAL_READ, ORDER_RANDOM_READ,
                                              ORDER_BACKWARDS};
const char *const file_ways[FILE_WAYS] = {WAY_DIRECT, WAY_CACHED};

static void add_size(int64_t sizes[DISK_POINTS_MAX], size_t *count, int64_t size)
{
    size_t at = 0;

    while (at < *count && sizes[at] < size) {
        at++;
    }
    if ((at < *count && sizes[at] == size) || *count == DISK_POINTS_MAX) {
        return;
    }
    memmove(&sizes[at + 1], &sizes[at], (*count - at) * sizeof(sizes[0]));
    sizes[at] = size;
    (*count)++;
}

size_t file_sizes(const struct run_bench *bench, int64_t sizes[DISK_POINTS_MAX])
{
    int64_t points[DISK_POINTS_MAX];
    char name[DISK_NAME_MAX];
    size_t count = 0;

    for (size_t i = 0; i < (size_t)FILE_ORDERS * FILE_WAYS; i++) {
        snprintf(name, sizeof(name), "%s.%s", file_orders[i / FILE_WAYS], file_ways[i % FILE_WAYS]);
        const size_t more = disk_points(bench, name, points);

        for (size_t k = 0; k < more; k++) {
            add_size(sizes, &count, points[k]);
        }
    }
    return count;
}

bool file_reads_of(const struct run_bench *bench, size_t order, size_t way, int64_t bytes,
                   struct file_reads *reads)
{
    char name[DISK_NAME_MAX];
    char total[DISK_NAME_MAX];

    snprintf(name, sizeof(name), "%s.%s", file_orders[order], file_ways[way]);
    snprintf(total, sizeof(total), PREFIX_TOTAL "%s.%s.%" PRId64, file_orders[order],
             file_ways[way], bytes);
    const struct run_series *series = disk_series(bench, name, bytes);
    const struct run_fact *fact = run_find_fact(bench, total);

    if (series == NULL || fact == NULL) {
        return false;
    }
    *reads = (struct file_reads){.n = series->n, .total = fact->value};
    reads->mean = disk_mean(series->samples, series->n);
    statistics_of(series->samples, series->n, &reads->block);
    return true;
}
