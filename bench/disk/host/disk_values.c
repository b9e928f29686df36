/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes what the disk benches measured as JSON, in ticks: members "reads" of disklatency, "loads"
 * and "servers" of diskload, "files" of fileread, "caches" of filecache. Writes nothing for benches
 * without series.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/disk/host/disk_load.h"
#include "bench/disk/host/file_reads.h"
#include "bench/disk/names.h"
#include "tools/base/alloc.h"
#include "tools/present/json_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/run/run_kind.h"

#define DECIMALS 3

/* Writes null if there are no samples. */
static void put_statistics(struct json *json, const char *key, const struct statistics *statistics)
{
    if (statistics->n == 0) {
        json_null(json, key);
        return;
    }
    json_object(json, key);
    json_signed(json, "min", statistics->min);
    json_signed(json, "median", statistics->median);
    json_optional(json, "p99", statistics->has_p99, statistics->p99);
    json_signed(json, "max", statistics->max);
    json_close(json);
}

static void put_samples(struct json *json, const char *key, const int64_t *samples, size_t n)
{
    struct statistics statistics;

    statistics_of(samples, samples != NULL ? n : 0, &statistics);
    put_statistics(json, key, &statistics);
}

static void put_reads(struct json *json, const struct run_bench *bench)
{
    int64_t points[DISK_POINTS_MAX];
    const size_t count = disk_points(bench, SERIES_READ, points, 0);
    struct statistics residual;
    struct disk_reads reads;
    const struct split *split = &reads.split;

    json_array(json, "reads");
    for (size_t i = 0; i < count; i++) {
        if (!disk_reads_of(bench, points[i], &reads)) {
            continue;
        }
        json_object(json, NULL);
        json_signed(json, "bytes", points[i]);
        json_unsigned(json, "n", split->n);
        put_samples(json, "read", split->whole, split->n);
        for (size_t k = 0; k < split->count; k++) {
            put_samples(json, split->names[k], split->part[k], split->n);
        }
        put_samples(json, "law", reads.law, split->n);
        residual.n = 0;
        if (split_has_parts(split)) {
            split_residual(split, &residual);
        }
        put_statistics(json, "residual", &residual);
        json_close(json);
    }
    json_close(json);
}

static void put_loads(struct json *json, const struct run_bench *bench)
{
    struct disk_load loads[DISK_POINTS_MAX];
    const size_t count = disk_loads_read(bench, loads);
    const uint32_t servers = disk_servers(bench);
    struct disk_closed closed;

    json_optional(json, "servers", servers > 0, servers);
    json_array(json, "loads");
    for (size_t i = 0; i < count; i++) {
        json_object(json, NULL);
        json_signed(json, "threads", loads[i].threads);
        JSON_NUMBERS(json, DECIMALS, {"block", loads[i].block}, {"think", loads[i].think},
                     {"service", loads[i].service});
        put_statistics(json, "response", &loads[i].response);
        if (!disk_closed_of(bench, &loads[i], servers, &closed)) {
            closed = (struct disk_closed){NAN, NAN};
        }
        json_number(json, "closed_block", closed.block, DECIMALS);
        json_number(json, "closed_response", closed.response, DECIMALS);
        json_close(json);
    }
    json_close(json);
}

static void put_files(struct json *json, const struct run_bench *bench)
{
    int64_t sizes[DISK_POINTS_MAX];
    const size_t count = file_sizes(bench, sizes);
    const size_t each = (size_t)FILE_WAYS * FILE_ORDERS;
    struct file_reads reads;

    json_array(json, "files");
    for (size_t i = 0; i < count * each; i++) {
        const size_t way = i % each / FILE_ORDERS;
        const size_t order = i % FILE_ORDERS;

        if (!file_reads_of(bench, order, way, sizes[i / each], &reads)) {
            continue;
        }
        json_object(json, NULL);
        json_signed(json, "bytes", sizes[i / each]);
        json_text(json, "way", file_ways[way]);
        json_text(json, "order", file_orders[order]);
        json_unsigned(json, "n", reads.n);
        json_number(json, "mean", reads.mean, DECIMALS);
        put_statistics(json, "block", &reads.block);
        json_signed(json, "total", reads.total);
        json_close(json);
    }
    json_close(json);
}

static void put_cache(struct json *json, const struct run_bench *bench, const char *prefix,
                      int64_t bytes)
{
    struct file_again files[DISK_POINTS_MAX];
    const size_t count = file_again_read(bench, prefix, files);
    struct file_knee knee;

    json_object(json, NULL);
    json_signed(json, "bytes", bytes);
    json_array(json, "files");
    for (size_t i = 0; i < count; i++) {
        json_object(json, NULL);
        json_signed(json, "bytes", files[i].bytes);
        json_number(json, "mean", files[i].mean, DECIMALS);
        put_statistics(json, "block", &files[i].block);
        json_close(json);
    }
    json_close(json);
    if (file_knee_find(files, count, &knee)) {
        json_object(json, "knee");
        json_signed(json, "low", knee.low);
        json_signed(json, "high", knee.high);
        json_bool(json, "agrees", file_knee_holds(&knee, bytes, file_ahead(bench)));
        json_close(json);
    } else {
        json_null(json, "knee");
    }
    json_close(json);
}

static void put_caches(struct json *json, const struct run_bench *bench)
{
    int64_t caches[DISK_POINTS_MAX];
    const size_t count = file_caches(bench, caches);
    char prefix[DISK_NAME_MAX];

    json_array(json, "caches");
    put_cache(json, bench, "", run_fact_or(bench, FACT_CACHE_BYTES, 0));
    for (size_t i = 0; i < count; i++) {
        snprintf(prefix, sizeof(prefix), PREFIX_CACHE "%" PRId64 ".", caches[i]);
        put_cache(json, bench, prefix, caches[i]);
    }
    json_close(json);
}

static void disk_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    (void)run;
    if (bench->series_count == 0) {
        return;
    }
    if (strcmp(bench->name, BENCH_DISKLATENCY) == 0) {
        put_reads(json, bench);
    } else if (strcmp(bench->name, BENCH_DISKLOAD) == 0) {
        put_loads(json, bench);
    } else if (strcmp(bench->name, BENCH_FILEREAD) == 0) {
        put_files(json, bench);
    } else if (strcmp(bench->name, BENCH_FILECACHE) == 0) {
        put_caches(json, bench);
    }
}

PLUGIN_REGISTER(disk_json) = {.order = 65, .json = disk_json};

/*
 * Metrics of disks besides the times of reads: reads per second by the number of threads,
 * "diskload.rate[8]", and the share of reads that the page cache answers by the size of the file,
 * "filecache.found[4194304]"; of both more is better. Series that say where, when and by whom a
 * read was made, its think time, and the timing model's service are no metrics.
 *
 * If the TSC counts instructions, times of reads are ns of virtual time, because waiting executes
 * no instructions.
 */

#define NS_OF_SECOND 1e9
#define PERCENT      100

static bool is_place(const char *series)
{
    static const char *const names[] = {SERIES_SECTOR, SERIES_SUBMITTED, SERIES_THREAD_OF,
                                        SERIES_THINK, SERIES_LAW};

    return is_named(series, names, sizeof(names) / sizeof(names[0]));
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
            metrics->item[metrics->count - 1].modelled = run_is_modelled(bench);
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

/* Converts waits, and gives each read of a modelled disk its law. */
static void adjust_read(const struct metrics *metrics, const struct run_bench *bench,
                        struct metric *metric)
{
    static const char *const laws[] = {SERIES_LAW};

    metric_of_law(metrics, bench, metric, SERIES_READ, laws, 1);
}

PLUGIN_OF(disklatency, .order = 500,
          .metrics = {.main = "read.4096", .places = is_place, .adjust = adjust_read});
PLUGIN_OF(diskload, .order = 500,
          .metrics = {
              .main = "rate", .places = is_place, .adjust = adjust_read, .others = add_rates});
PLUGIN_OF(fileread, .order = 500, .metrics = {.adjust = metric_of_device});
PLUGIN_OF(filecache, .order = 500,
          .metrics = {.main = "miss,block", .adjust = metric_of_device, .others = add_found});
