/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/network/host/remote_files.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/disk/names.h"
#include "bench/network/host/paths.h"
#include "bench/network/host/splits.h"
#include "bench/network/names.h"
#include "tools/run/estimates.h"

#define REPORT_ROW "15"
#define BLOCKS     ((double)REMOTE_REPORT_BYTES / 4096) /* the row has the time of one */

const char *const remote_orders[REMOTE_ORDERS] = {ORDER_SEQUENTIAL_READ, ORDER_RANDOM_READ};

static size_t with_size(int64_t sizes[DISK_POINTS_MAX], size_t count, int64_t size)
{
    size_t at = 0;

    while (at < count && sizes[at] < size) {
        at++;
    }
    if ((at < count && sizes[at] == size) || count == DISK_POINTS_MAX) {
        return count;
    }
    memmove(&sizes[at + 1], &sizes[at], (count - at) * sizeof(sizes[0]));
    sizes[at] = size;
    return count + 1;
}

size_t remote_sizes(const struct run_bench *bench, int64_t sizes[DISK_POINTS_MAX])
{
    int64_t points[DISK_POINTS_MAX];
    char name[NETWORK_NAME_MAX];
    size_t count = 0;

    for (size_t i = 0; i < (size_t)REMOTE_ORDERS * NETWORK_PATHS; i++) {
        snprintf(name, sizeof(name), "%s.%s", remote_orders[i / NETWORK_PATHS],
                 network_paths[i % NETWORK_PATHS]);
        const size_t more = disk_points(bench, name, points);

        for (size_t k = 0; k < more; k++) {
            count = with_size(sizes, count, points[k]);
        }
    }
    return count;
}

static const struct run_fact *total_of(const struct run_bench *bench, const char *order,
                                       const char *path, int64_t bytes)
{
    char name[NETWORK_NAME_MAX];

    snprintf(name, sizeof(name), PREFIX_TOTAL "%s.%s.%" PRId64, order, path, bytes);
    return run_find_fact(bench, name);
}

bool remote_file_of(const struct run_bench *bench, const char *order, const char *path,
                    int64_t bytes, struct remote_file *file)
{
    char name[NETWORK_NAME_MAX];

    snprintf(name, sizeof(name), "%s.%s", order, path);
    const struct run_series *series = disk_series(bench, name, bytes);
    const struct run_fact *total = total_of(bench, order, path, bytes);
    const struct run_fact *local = total_of(bench, order, PATH_LOCAL, bytes);

    if (series == NULL || total == NULL) {
        return false;
    }
    *file = (struct remote_file){
        .n = series->n,
        .total = total->value,
        .of_local =
            local != NULL && local->value > 0 ? (double)total->value / (double)local->value : NAN,
    };
    statistics_of(series->samples, series->n, &file->block);
    return true;
}

double remote_report_ratio(void)
{
    const struct estimates_row *row;

    for (size_t i = 0; (row = estimates_row_at(i)) != NULL; i++) {
        for (size_t k = 0; strcmp(row->number, REPORT_ROW) == 0 && k < ESTIMATES_FILES; k++) {
            if (estimates_files[k].bytes == REMOTE_REPORT_BYTES) {
                return row->reported * BLOCKS / estimates_files[k].sequential_ns;
            }
        }
    }
    return NAN;
}
