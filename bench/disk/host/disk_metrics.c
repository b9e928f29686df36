/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics of disks beyond the times of reads: reads a second by the number of threads,
 * "diskload.rate[8]", and the share of reads that the page cache answers by the size of the file,
 * "filecache.found[4194304]", of which more is better. Where a read was, when, by whom, after what
 * think time and what the law asks for is no metric.
 *
 * Where the TSC counts instructions, times of reads are ns of virtual time: a wait is none of them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bench/disk/host/disk_load.h"
#include "bench/disk/host/file_knee.h"
#include "bench/disk/names.h"
#include "tools/base/alloc.h"
#include "tools/present/reading.h"

#define NS_OF_SECOND 1e9
#define PERCENT      100

static bool is_place(const char *series)
{
    static const char *const names[] = {SERIES_SECTOR, SERIES_SUBMITTED, SERIES_THREAD_OF,
                                        SERIES_THINK, SERIES_LAW};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const size_t length = strlen(names[i]);

        if (strncmp(series, names[i], length) == 0 && series[length] == '.') {
            return true;
        }
    }
    return false;
}

static void add_one(struct metrics *metrics, const struct run_bench *bench, const char *name,
                    int64_t x, const char *x_unit, const char *unit, double value)
{
    char text[METRIC_X_MAX];

    snprintf(text, sizeof(text), "%" PRId64, x);
    struct metric *metric = metrics_add(metrics, bench, name, text);

    metric->unit = unit;
    metric->better = METRIC_MORE;
    metric->x = (double)x;
    metric->x_unit = x_unit;
    metric->n = 1;
    metric->values = alloc_zeroed(sizeof(*metric->values));
    metric->values[0] = value;
}

static void add_rates(struct metrics *metrics, const struct run_bench *bench)
{
    struct disk_load loads[DISK_POINTS_MAX];
    const size_t count = disk_loads_read(bench, loads);

    for (size_t i = 0; i < count; i++) {
        if (metrics->ns_per_tick > 0 && loads[i].block > 0) {
            add_one(metrics, bench, "rate", loads[i].threads, "thread", "reads/s",
                    NS_OF_SECOND / (loads[i].block * metrics->ns_per_tick));
        }
    }
}

static void add_found(struct metrics *metrics, const struct run_bench *bench)
{
    struct file_again files[DISK_POINTS_MAX];
    const size_t count = file_again_read(bench, "", files);

    for (size_t i = 0; i < count; i++) {
        if (files[i].counted && files[i].reads > 0) {
            add_one(metrics, bench, "found", files[i].bytes, "byte", "%",
                    PERCENT * ((double)files[i].hits + (double)files[i].read_ahead) /
                        (double)files[i].reads);
        }
    }
}

READING_REGISTER(disklatency_metrics) = {
    .bench = BENCH_DISKLATENCY,
    .order = 500,
    .metrics = {.main = "read.4096", .places = is_place, .adjust = metric_of_waits}};
READING_REGISTER(diskload_metrics) = {
    .bench = BENCH_DISKLOAD,
    .order = 500,
    .metrics = {
        .main = "rate", .places = is_place, .adjust = metric_of_waits, .others = add_rates}};
READING_REGISTER(fileread_metrics) = {
    .bench = BENCH_FILEREAD, .order = 500, .metrics = {.adjust = metric_of_waits}};
READING_REGISTER(filecache_metrics) = {
    .bench = BENCH_FILECACHE,
    .order = 500,
    .metrics = {.main = "miss,block", .adjust = metric_of_waits, .others = add_found}};
