/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of disks: spans of a read, contention, files by size and order, and the knee of the page
 * cache. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/disk/host/disk_load.h"
#include "bench/disk/host/file_reads.h"
#include "bench/disk/names.h"
#include "kernel/block/disk_timing.h"
#include "tools/base/texts.h"
#include "tools/present/digest.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/run/estimates.h"

#define TEXT_MAX 256

static const char section[] = "Disks";

/* ---- spans of one read ---- */

static struct figure_scale spans_scale(const struct run *run, const struct run_bench *bench,
                                       const int64_t *points, size_t count)
{
    struct disk_reads reads;
    double longest = 0;

    for (size_t i = 0; i < count; i++) {
        if (disk_reads_of(bench, points[i], &reads)) {
            longest = fmax(longest, (double)statistics_median(reads.split.whole, reads.split.n));
        }
    }
    return figure_time_scale(run, longest);
}

/* Writes the reads of a modelled disk as law + instructions; empty for another disk. */
static void law_of_reads(const struct run *run, const struct run_bench *bench,
                         const int64_t *points, size_t count, char laws[TEXT_MAX])
{
    char size[SIZE_TEXT_MAX];
    char text[DIGEST_TEXT_MAX];
    struct statistics rest;
    struct disk_reads reads;
    struct view view;

    view_init(&view, NULL, run);
    laws[0] = '\0';
    for (size_t i = 0; i < count && view.ns_per_tick > 0; i++) {
        if (disk_reads_of(bench, points[i], &reads) && reads.law != NULL) {
            const size_t used = strlen(laws);

            split_difference(reads.split.whole, reads.law, reads.split.n, &rest);
            digest_law(&view,
                       (double)statistics_median(reads.law, reads.split.n) * view.ns_per_tick,
                       (double)rest.median * view.ns_per_tick, text);
            snprintf(laws + used, TEXT_MAX - used, "%s %s: %s",
                     used > 0 ? ";" : " A modelled read is", size_text(points[i], size), text);
        }
    }
}

static void figures_latency(struct figures *figures, const struct run *run,
                            const struct run_bench *bench)
{
    int64_t points[DISK_POINTS_MAX];
    const size_t count = disk_points(bench, SERIES_READ, points, 0);
    const struct figure_scale scale = spans_scale(run, bench, points, count);
    struct figure *figure = NULL;
    struct disk_reads reads;
    char size[SIZE_TEXT_MAX];
    char what[TEXT_MAX];
    char laws[TEXT_MAX];

    for (size_t i = 0; i < count; i++) {
        if (!disk_reads_of(bench, points[i], &reads) || !split_has_parts(&reads.split)) {
            continue;
        }
        if (figure == NULL) {
            figure = figure_add(figures, FIGURE_TIMELINE, section, "Spans of a read by size",
                                "disk-spans");
            figure_axes(figure, figure_time_label(run), scale.unit, NULL, NULL);
        }
        split_add_lane(figure, size_text(points[i], size), SERIES_READ, &reads.split, &scale);
    }
    if (figure == NULL) {
        figure_add_absent(figures, section, "Spans of a read by size", bench->name,
                          "Bench %s has no spans: `tare show` prints why.", bench->name);
        return;
    }
    disk_what(bench, what, sizeof(what));
    law_of_reads(run, bench, points, count, laws);
    figure_how(
        figure,
        "Medians of the consecutive spans of single reads, in %s; disk: %s. submit: until the "
        "device has the request; device: until the device has completed the request; interrupt: "
        "until the handler has seen the completion; wake: until the thread continues.%s",
        figure_time_label(run), what, laws);
}

/* ---- contention ---- */

struct contention {
    const struct run *run;
    const struct run_bench *bench;
    struct view view;
    struct disk_load loads[DISK_POINTS_MAX];
    size_t count;
    uint32_t servers;
    struct figure_scale scale;
};

static void add_loads(struct figure *figure, const struct contention *contention)
{
    struct figure_series *series = figure_add_series(figure, "measured");
    double ticks;

    for (size_t i = 0; i < contention->count; i++) {
        const struct disk_load *load = &contention->loads[i];

        figure_add_point(series, (double)load->threads, load->block * contention->scale.per_tick);
    }
    series = NULL;
    for (size_t i = 0; i < contention->count; i++) {
        const struct disk_load *load = &contention->loads[i];

        if (disk_load_expected(&contention->view, contention->bench, load, &ticks)) {
            series = series != NULL ? series : figure_add_reference(figure, "expected");
            figure_add_point(series, (double)load->threads, ticks * contention->scale.per_tick);
        }
    }
}

/* Adds the closed system and its bounds if the number of servers is known. */
static void add_closed(struct figure *figure, const struct contention *contention)
{
    struct disk_closed closed;

    if (contention->servers == 0) {
        return;
    }
    struct figure_series *series =
        figure_add_series(figure, "closed M/D/Q model, without the kernel");

    for (size_t i = 0; i < contention->count; i++) {
        const struct disk_load *load = &contention->loads[i];

        if (disk_closed_of(contention->bench, load, contention->servers, &closed)) {
            figure_add_point(series, (double)load->threads,
                             closed.block * contention->scale.per_tick);
        }
    }
    series = figure_add_reference(figure, "bound by servers");
    for (size_t i = 0; i < contention->count; i++) {
        figure_add_point(series, (double)contention->loads[i].threads,
                         disk_bound_servers(&contention->loads[i], contention->servers) *
                             contention->scale.per_tick);
    }
}

static void add_simulated(struct figure *figure, const struct contention *contention)
{
    struct figure_series *series = NULL;
    struct disk_closed closed;

    for (size_t i = 0; i < contention->count; i++) {
        const struct disk_load *load = &contention->loads[i];

        if (!disk_simulated(load, &contention->loads[0], contention->servers, &closed)) {
            continue;
        }
        series = series != NULL ? series : figure_add_series(figure, "tare sim, with the kernel");
        figure_add_point(series, (double)load->threads, closed.block * contention->scale.per_tick);
    }
}

static void add_thread_bound(struct figure *figure, const struct contention *contention)
{
    struct figure_series *series = figure_add_reference(figure, "bound by threads");

    for (size_t i = 0; i < contention->count; i++) {
        figure_add_point(series, (double)contention->loads[i].threads,
                         disk_bound_threads(&contention->loads[i]) * contention->scale.per_tick);
    }
}

/* Adds the report's disk, which is another one, if the rate of the ticks is known. */
static void add_reported(struct figure *figure, const struct contention *contention)
{
    const double ns_per_tick = run_ns_per_tick(contention->run);

    if (ns_per_tick <= 0) {
        return;
    }
    struct figure_series *series = figure_add_series(figure, "report of 2014");

    for (size_t i = 0; i < DISK_TIMING_QUEUE; i++) {
        figure_add_point(series, (double)i + 1,
                         disk_timing_named("ssd2014")->queue[i] / ns_per_tick *
                             contention->scale.per_tick);
    }
}

static void figures_load(struct figures *figures, const struct run *run,
                         const struct run_bench *bench)
{
    static const char title[] = "Time per block by number of threads";
    struct contention contention = {.run = run, .bench = bench};
    char what[TEXT_MAX];

    view_init(&contention.view, NULL, run);
    contention.count = disk_loads_read(bench, contention.loads);
    contention.servers = disk_servers(bench);
    if (contention.count == 0) {
        figure_add_torn(figures, section, title, bench->name);
        return;
    }
    contention.scale = figure_time_scale(run, contention.loads[0].block);
    struct figure *figure = figure_add(figures, FIGURE_LINES, section, title, "disk-contention");

    figure_axes(figure, "threads", NULL, "time per block", contention.scale.unit);
    figure->x.logarithmic = true;
    add_loads(figure, &contention);
    add_closed(figure, &contention);
    add_simulated(figure, &contention);
    add_thread_bound(figure, &contention);
    add_reported(figure, &contention);
    figure_choose_scale(figure);
    disk_what(bench, what, sizeof(what));
    figure_how(figure,
               "Time of the whole load divided by the number of its random reads, in %s; disk: %s. "
               "closed M/D/Q: "
               "one customer per thread, with the services and think times of the load, at Q "
               "servers, first come first served. tare sim: the same with the load's mean times, "
               "plus the work on one processor that a read of a single thread takes beyond its "
               "service. Bounds: service and think time divided by the threads; service divided by "
               "the servers. The report's disk is an Apple SSD under OS X 10.10.",
               figure_time_label(run), what);
}

/* ---- files ---- */

static void add_file_series(struct figure *figure, const struct run_bench *bench, size_t order,
                            size_t way, const struct figure_scale *scale)
{
    int64_t sizes[DISK_POINTS_MAX];
    const size_t count = file_sizes(bench, sizes);
    struct figure_series *series = NULL;
    struct file_reads reads;
    char name[DISK_NAME_MAX];

    for (size_t i = 0; i < count; i++) {
        if (!file_reads_of(bench, order, way, sizes[i], &reads)) {
            continue;
        }
        if (series == NULL) {
            snprintf(name, sizeof(name), "%s, %s", file_orders[order], file_ways[way]);
            series = figure_add_series(figure, name);
        }
        figure_add_point(series, (double)sizes[i], (double)reads.total * scale->per_tick);
    }
}

static void add_reported_files(struct figure *figure, const struct run *run,
                               const struct figure_scale *scale)
{
    const double ns_per_tick = run_ns_per_tick(run);

    for (size_t order = 0; order < 2 && ns_per_tick > 0; order++) {
        struct figure_series *series = figure_add_series(
            figure, order == 0 ? "sequential, report of 2014" : "random, report of 2014");

        for (size_t i = 0; i < ESTIMATES_FILES; i++) {
            const double ns =
                order == 0 ? estimates_files[i].sequential_ns : estimates_files[i].random_ns;

            figure_add_point(series, (double)estimates_files[i].bytes,
                             ns / ns_per_tick * scale->per_tick);
        }
    }
}

static void figures_files(struct figures *figures, const struct run *run,
                          const struct run_bench *bench)
{
    static const char title[] = "Time to read a file by its size";
    int64_t sizes[DISK_POINTS_MAX];
    struct file_reads reads;
    char what[TEXT_MAX];
    const size_t count = file_sizes(bench, sizes);

    if (count == 0 || !file_reads_of(bench, 0, 0, sizes[count - 1], &reads)) {
        figure_add_torn(figures, section, title, bench->name);
        return;
    }
    const struct figure_scale scale = figure_time_scale(run, (double)reads.total);
    struct figure *figure = figure_add(figures, FIGURE_LINES, section, title, "file-read");

    figure_axes(figure, "size of the file", "bytes", "time to read the whole file", scale.unit);
    figure->x.logarithmic = true;
    figure->y.logarithmic = true;
    for (size_t way = 0; way < FILE_WAYS; way++) {
        for (size_t order = 0; order < FILE_ORDERS; order++) {
            add_file_series(figure, bench, order, way, &scale);
        }
    }
    add_reported_files(figure, run, &scale);
    disk_what(bench, what, sizeof(what));
    figure_how(
        figure,
        "Sum of the times of all 4 KiB reads of a file, each block read once, in %s; disk: %s. "
        "direct: bypassing the page cache; "
        "cached: through an empty page cache. The report's disk is an Apple SSD under OS X 10.10.",
        figure_time_label(run), what);
}

/* ---- the page cache ---- */

/* Adds the expected end of the cache as a line that extends beyond the measured range. */
static void add_expected_place(struct figure *figure, double x, double low, double high)
{
    struct figure_series *series = figure_add_reference(figure, "end of the cache, expected");

    figure_add_point(series, x, low);
    figure_add_point(series, x, high);
}

static void figures_cache(struct figures *figures, const struct run *run,
                          const struct run_bench *bench)
{
    static const char title[] = "Time per block when a file is read again, by size of the file";
    const int64_t cache_bytes = run_fact_or(bench, FACT_CACHE_BYTES, 0);
    struct file_again files[DISK_POINTS_MAX];
    const size_t count = file_again_read(bench, "", files);
    struct file_knee knee;
    char what[TEXT_MAX];
    char found[TEXT_MAX] =
        " No size was found at which the file stops fitting into the cache (knee).";
    char low[AMOUNT_MAX];
    char high[AMOUNT_MAX];

    if (count == 0) {
        figure_add_torn(figures, section, title, bench->name);
        return;
    }
    const struct figure_scale scale = figure_time_scale(run, files[count - 1].mean);
    struct figure *figure = figure_add(figures, FIGURE_LINES, section, title, "file-cache");
    struct figure_series *series = figure_add_series(figure, "mean");
    double least = INFINITY;
    double greatest = 0;

    figure_axes(figure, "size of the file", "bytes", "time per block of 4 KiB", scale.unit);
    figure->x.logarithmic = true;
    for (size_t i = 0; i < count; i++) {
        const double mean = files[i].mean * scale.per_tick;

        figure_add_point(series, (double)files[i].bytes, mean);
        least = fmin(least, mean);
        greatest = fmax(greatest, mean);
    }
    if (cache_bytes > 0) {
        add_expected_place(figure, (double)cache_bytes, least / 2, greatest * 1.1);
    }
    figure_choose_scale(figure);
    if (file_knee_find(files, count, &knee)) {
        snprintf(found, sizeof(found), " Files of %s fit into the cache, files of %s do not.",
                 disk_size(knee.low, low), disk_size(knee.high, high));
    }
    disk_what(bench, what, sizeof(what));
    figure_how(figure,
               "The file is read backwards twice, in blocks of 4 KiB; means of the second pass, in "
               "%s; disk: %s.%s",
               figure_time_label(run), what, found);
}

PLUGIN_OF(disklatency, .order = 390, .bench_figures = figures_latency);
PLUGIN_OF(diskload, .order = 391, .bench_figures = figures_load);
PLUGIN_OF(fileread, .order = 392, .bench_figures = figures_files);
PLUGIN_OF(filecache, .order = 393, .bench_figures = figures_cache);
