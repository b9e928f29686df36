/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/disk/host/file_reads.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/disk/names.h"

const char *const file_orders[FILE_ORDERS] = {ORDER_SEQUENTIAL_READ, ORDER_RANDOM_READ,
                                              ORDER_BACKWARDS};
const char *const file_ways[FILE_WAYS] = {WAY_DIRECT, WAY_CACHED};

size_t file_sizes(const struct run_bench *bench, int64_t sizes[DISK_POINTS_MAX])
{
    char name[DISK_NAME_MAX];
    size_t count = 0;

    for (size_t i = 0; i < (size_t)FILE_ORDERS * FILE_WAYS; i++) {
        snprintf(name, sizeof(name), "%s.%s", file_orders[i / FILE_WAYS], file_ways[i % FILE_WAYS]);
        count = disk_points(bench, name, sizes, count);
    }
    return count;
}

bool file_reads_of(const struct run_bench *bench, size_t order, size_t way, int64_t bytes,
                   struct file_reads *reads)
{
    char name[DISK_NAME_MAX];

    snprintf(name, sizeof(name), "%s.%s", file_orders[order], file_ways[way]);
    const struct run_series *series = disk_series(bench, name, bytes);
    const struct run_fact *fact = run_fact_named(bench, PREFIX_TOTAL "%s.%" PRId64, name, bytes);

    if (series == NULL || fact == NULL) {
        return false;
    }
    *reads = (struct file_reads){.n = series->n, .total = fact->value};
    reads->mean = disk_mean(series->samples, series->n);
    statistics_of(series->samples, series->n, &reads->block);
    return true;
}

#define PAGE      4096
#define AHEAD_MAX (1 << 20) /* in pages; a larger value is taken for an error */
#define APART_MIN 2         /* factor by which memory and disk must differ */

static bool read_counts(const struct run_bench *bench, const char *cache, struct file_again *file)
{
    const struct {
        const char *name;
        int64_t *value;
    } counts[] = {
        {SERIES_READS, &file->reads},         {SERIES_HITS, &file->hits},
        {SERIES_MISSES, &file->misses},       {SERIES_READ_AHEAD, &file->read_ahead},
        {SERIES_EVICTIONS, &file->evictions},
    };
    char name[DISK_NAME_MAX];

    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        snprintf(name, sizeof(name), "%s%s", cache, counts[i].name);
        if (!disk_value(bench, name, file->bytes, counts[i].value)) {
            return false;
        }
    }
    return true;
}

size_t file_again_read(const struct run_bench *bench, const char *cache,
                       struct file_again files[DISK_POINTS_MAX])
{
    int64_t points[DISK_POINTS_MAX];
    char name[DISK_NAME_MAX];
    size_t count = 0;

    snprintf(name, sizeof(name), "%s" SERIES_BLOCK, cache);
    const size_t all = disk_points(bench, name, points, 0);

    for (size_t i = 0; i < all; i++) {
        const struct run_series *block = disk_series(bench, name, points[i]);
        struct file_again *file = &files[count];

        if (block == NULL) {
            continue;
        }
        *file = (struct file_again){.bytes = points[i]};
        file->mean = disk_mean(block->samples, block->n);
        statistics_of(block->samples, block->n, &file->block);
        file->counted = read_counts(bench, cache, file);
        count++;
    }
    return count;
}

/* Reads the first BYTES of "cache.BYTES.block.BYTES". Returns false if the name has another form.
 */
static bool cache_of(const char *series, int64_t *bytes)
{
    static const size_t length = sizeof(PREFIX_CACHE) - 1;
    const char *at = series + length;

    return strncmp(series, PREFIX_CACHE, length) == 0 && read_number(&at, bytes) &&
           strncmp(at, "." SERIES_BLOCK ".", sizeof("." SERIES_BLOCK ".") - 1) == 0;
}

size_t file_caches(const struct run_bench *bench, int64_t caches[DISK_POINTS_MAX])
{
    size_t count = 0;

    for (size_t i = 0; i < bench->series_count; i++) {
        int64_t bytes;

        if (cache_of(bench->series[i].name, &bytes)) {
            count = disk_add_point(caches, count, bytes);
        }
    }
    return count;
}

bool file_knee_find(const struct file_again *files, size_t count, struct file_knee *knee)
{
    double least = INFINITY;
    double greatest = 0;
    size_t at = 0;

    for (size_t i = 0; i < count; i++) {
        least = fmin(least, files[i].mean);
        greatest = fmax(greatest, files[i].mean);
    }
    if (!(least > 0) || !(greatest >= APART_MIN * least)) {
        return false;
    }
    const double threshold = sqrt(least * greatest);

    while (at < count && files[at].mean < threshold) {
        at++;
    }
    for (size_t i = at; i < count; i++) {
        if (files[i].mean < threshold) {
            return false;
        }
    }
    if (at == 0 || at == count) {
        return false;
    }
    *knee = (struct file_knee){files[at - 1].bytes, files[at].bytes};
    return true;
}

bool file_knee_holds(const struct file_knee *knee, int64_t cache_bytes, int64_t ahead)
{
    return knee->low <= cache_bytes && cache_bytes - ahead < knee->high;
}

int64_t file_ahead(const struct run_bench *bench)
{
    const int64_t pages = run_fact_or(bench, FACT_AHEAD_PAGES, 0);

    return pages > 0 && pages <= AHEAD_MAX ? pages * PAGE : 0;
}
