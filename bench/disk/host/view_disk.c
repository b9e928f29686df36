/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints tables of reads that bypass the cache, one at a time and by many threads, and of files. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/disk/host/disk_load.h"
#include "bench/disk/host/disk_reads.h"
#include "bench/disk/host/file_reads.h"
#include "bench/disk/names.h"
#include "tools/base/texts.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/run/estimates.h"

#define WHAT_MAX     256
#define NS_OF_SECOND 1e9

static void print_what(const struct view *view, const struct run_bench *bench, const char *of)
{
    char what[WHAT_MAX];

    disk_what(bench, what, sizeof(what));
    print_paragraph(view->out, "%s, in %s; disk: %s", of, disk_time_note(view), what);
}

/* ---- one at a time ---- */

static void add_part(struct table *table, const struct view *view, const char *size,
                     const char *name, const struct statistics *statistics)
{
    table_named_row(table, size);
    table_text(table, name);
    table_format(table, "%zu", statistics->n);
    disk_cell(table, view, (double)statistics->min);
    statistics_cells(table, view, statistics, disk_cell);
}

static void span_cell(struct table *table, const struct view *view, double ticks)
{
    cell_span(table, view, isfinite(ticks), ticks);
}

static void add_size(struct table *table, const struct view *view, const char *size,
                     const struct disk_reads *reads)
{
    const struct split *split = &reads->split;
    const int64_t *device = split->part[DISK_DEVICE];
    struct statistics statistics;

    statistics_of(split->whole, split->n, &statistics);
    add_part(table, view, size, "read", &statistics);
    for (size_t i = 0; i < split->count; i++) {
        if (split->part[i] != NULL) {
            statistics_of(split->part[i], split->n, &statistics);
            add_part(table, view, "", split->names[i], &statistics);
        }
    }
    if (reads->law != NULL) {
        statistics_of(reads->law, split->n, &statistics);
        add_part(table, view, "", "law", &statistics);
        /* Without the span `device` there is no difference to the timing model. */
        split_difference(device != NULL ? device : reads->law, reads->law, split->n, &statistics);
        add_part(table, view, "", "device - law", &statistics);
        split_difference(split->whole, reads->law, split->n, &statistics);
        table_named_row(table, "");
        table_text(table, view->ticks_per_instruction > 0 ? "instructions" : "read - law");
        table_format(table, "%zu", statistics.n);
        cell_span(table, view, true, (double)statistics.min);
        statistics_cells(table, view, &statistics, span_cell);
    }
    if (split_has_parts(split)) {
        split_residual(split, &statistics);
        add_part(table, view, "", "residual", &statistics);
    }
}

/* Returns an explanation of the parts of a read. */
static const char *parts_text(bool by_law, bool by_spans)
{
    if (by_law) {
        return "residual: time of a read that no span covers; law: service time by the modelled "
               "disk's timing model; device - law: time that the disk took beyond law. read = law "
               "+ instructions: what the kernel executed for it";
    }
    return by_spans ? "residual: time of a read that no span covers; this disk has no timing "
                      "model, so device includes the disk's interrupt"
                    : "read: the whole read; the spans of the read are missing";
}

static void view_disklatency(const struct view *view, const struct run_bench *bench)
{
    int64_t points[DISK_POINTS_MAX];
    const size_t count = disk_points(bench, SERIES_READ, points, 0);
    char size[SIZE_TEXT_MAX];
    struct disk_reads reads;
    struct table table;
    bool by_law = false;
    bool by_spans = false;

    print_what(view, bench, "reads made one at a time, by size");
    table_open(&table, "rlrrrrr", "size\tspan\tn\tmin\tmedian\tp99\tmax");
    for (size_t i = 0; i < count; i++) {
        if (disk_reads_of(bench, points[i], &reads)) {
            add_size(&table, view, size_text(points[i], size), &reads);
            by_law = by_law || reads.law != NULL;
            by_spans = by_spans || split_has_parts(&reads.split);
        }
    }
    view_table(view, &table);
    print_paragraph(view->out, "%s", parts_text(by_law, by_spans));
}

/* ---- many threads ---- */

static void add_load(struct table *table, const struct view *view, const struct run_bench *bench,
                     const struct disk_load *load, uint32_t servers)
{
    struct disk_closed closed;
    const bool is_closed = disk_closed_of(bench, load, servers, &closed);
    const double block_ns = load->block * view->ns_per_tick;
    double expected;

    table_row(table);
    table_signed(table, load->threads);
    disk_cell(table, view, load->block);
    table_real(table, block_ns > 0 ? NS_OF_SECOND / block_ns : (double)NAN);
    disk_cell(table, view,
              disk_load_expected(view, bench, load, &expected) ? expected : (double)NAN);
    disk_cell(table, view, is_closed ? closed.block : (double)NAN);
    statistics_cells(table, view, &load->response, disk_cell);
}

static void view_diskload(const struct view *view, const struct run_bench *bench)
{
    struct disk_load loads[DISK_POINTS_MAX];
    const size_t count = disk_loads_read(bench, loads);
    const uint32_t servers = disk_servers(bench);
    struct table table;

    print_what(view, bench, "several threads that read at once: time per block and response time");
    table_open(&table, "rrrrrrrr",
               "threads\tper block\treads/s\texpected\tclosed\tmedian\tp99\tmax");
    for (size_t i = 0; i < count; i++) {
        add_load(&table, view, bench, &loads[i], servers);
    }
    view_table(view, &table);
    if (servers > 0) {
        print_paragraph(view->out,
                        "per block: time of the whole load divided by its reads, as in the report. "
                        "closed: one customer per thread at a disk of %" PRIu32
                        " server%s with the services and think times of this load, first come "
                        "first served, without a kernel. median, p99, max: response time of a read",
                        servers, servers == 1 ? "" : "s");
    } else {
        print_paragraph(view->out, "per block: time of the whole load divided by its reads, as in "
                                   "the report; median, p99, max: response time of a read. How "
                                   "many reads this disk serves at once is unknown");
    }
}

PLUGIN_OF(disklatency, .order = 200, .show = view_disklatency, .place = PLUGIN_FOR_SERIES);
PLUGIN_OF(diskload, .order = 200, .show = view_diskload, .place = PLUGIN_FOR_SERIES);

/* Tables of files: by order, size and way, and the knee of the page cache. */

#define BLOCK      4096
#define SEQUENTIAL 0

/* ---- fileread ---- */

static void add_reads(struct table *table, const struct view *view, const struct run_bench *bench,
                      int64_t bytes, size_t way, size_t order)
{
    struct file_reads sequential;
    struct file_reads reads;
    char size[AMOUNT_MAX];

    if (!file_reads_of(bench, order, way, bytes, &reads)) {
        return;
    }
    table_named_row(table, disk_size(bytes, size));
    table_text(table, file_ways[way]);
    table_text(table, file_orders[order]);
    statistics_cells(table, view, &reads.block, disk_cell);
    disk_cell(table, view, (double)reads.total);
    const bool has_ratio = order != SEQUENTIAL &&
                           file_reads_of(bench, SEQUENTIAL, way, bytes, &sequential) &&
                           sequential.total > 0;

    table_real(table, has_ratio ? (double)reads.total / (double)sequential.total : (double)NAN);
}

/* Prints the report's table (section 14): one disk, by size. */
static void print_report(const struct view *view)
{
    char text[DURATION_MAX];
    char size[AMOUNT_MAX];
    struct table table;

    print_paragraph(view->out,
                    "the report of 2014 (section 14: an Apple SSD, OS X 10.10, F_NOCACHE):");
    table_open(&table, "rrrrrr",
               "size\tsequential\tper block\trandom\tper block\trandom / sequential");
    for (size_t i = 0; i < ESTIMATES_FILES; i++) {
        const struct estimates_file *file = &estimates_files[i];
        const double blocks = (double)file->bytes / BLOCK;

        table_named_row(&table, disk_size(file->bytes, size));
        table_text(&table, duration_text(file->sequential_ns, text));
        table_text(&table, duration_text(file->sequential_ns / blocks, text));
        table_text(&table, duration_text(file->random_ns, text));
        table_text(&table, duration_text(file->random_ns / blocks, text));
        table_format(&table, "%.2f", file->random_ns / file->sequential_ns);
    }
    view_table(view, &table);
}

static void view_fileread(const struct view *view, const struct run_bench *bench)
{
    int64_t sizes[DISK_POINTS_MAX];
    const size_t count = file_sizes(bench, sizes);
    struct table table;

    print_what(view, bench, "blocks of 4 KiB by size of the file, way and order");
    table_open(&table, "rllrrrrr", "size\tway\torder\tmedian\tp99\tmax\ttotal\ttotal / sequential");
    for (size_t i = 0; i < count; i++) {
        for (size_t way = 0; way < FILE_WAYS; way++) {
            for (size_t order = 0; order < FILE_ORDERS; order++) {
                add_reads(&table, view, bench, sizes[i], way, order);
            }
        }
    }
    view_table(view, &table);
    print_report(view);
}

/* ---- filecache ---- */

static void add_file(struct table *table, const struct view *view, const struct file_again *file)
{
    char size[AMOUNT_MAX];

    table_named_row(table, disk_size(file->bytes, size));
    disk_cell(table, view, file->mean);
    disk_cell(table, view, (double)file->block.max);
    if (!file->counted || file->reads <= 0) {
        for (size_t i = 0; i < 6; i++) {
            table_text(table, NULL);
        }
        return;
    }
    table_share(table, ((double)file->hits + (double)file->read_ahead) / (double)file->reads);
    table_signed(table, file->reads);
    table_signed(table, file->hits);
    table_signed(table, file->misses);
    table_signed(table, file->read_ahead);
    table_signed(table, file->evictions);
}

static void print_knee(const struct view *view, const struct file_again *files, size_t count,
                       int64_t cache_bytes, int64_t ahead)
{
    struct file_knee knee;
    char less[AMOUNT_MAX];
    char low[AMOUNT_MAX];
    char high[AMOUNT_MAX];
    char expected[AMOUNT_MAX];

    if (!file_knee_find(files, count, &knee)) {
        print_paragraph(
            view->out,
            "knee: none found: the times of small and large files do not separate at one size");
        return;
    }
    print_paragraph(view->out,
                    "knee: files of %s fit, files of %s do not; expected at %s%s%s%s: %s",
                    disk_size(knee.low, low), disk_size(knee.high, high),
                    cache_bytes > 0 ? disk_size(cache_bytes, expected) : "unknown",
                    ahead > 0 ? ", less up to " : "", ahead > 0 ? disk_size(ahead, less) : "",
                    ahead > 0 ? " that read-ahead brings in beyond the file" : "",
                    cache_bytes <= 0                             ? "no comparison"
                    : file_knee_holds(&knee, cache_bytes, ahead) ? "agrees"
                                                                 : "DIFFERS");
}

static void print_cache(const struct view *view, const struct run_bench *bench, const char *prefix,
                        int64_t cache_bytes)
{
    struct file_again files[DISK_POINTS_MAX];
    const size_t count = file_again_read(bench, prefix, files);
    char size[AMOUNT_MAX];
    struct table table;

    print_paragraph(view->out, "a cache of %s:",
                    cache_bytes > 0 ? disk_size(cache_bytes, size) : "unknown size");
    table_open(&table, "rrrrrrrrr", "file\tmean\tmax\tfound\treads\thits\tmisses\tahead\tevicted");
    for (size_t i = 0; i < count; i++) {
        add_file(&table, view, &files[i]);
    }
    view_table(view, &table);
    print_knee(view, files, count, cache_bytes, file_ahead(bench));
}

static void view_filecache(const struct view *view, const struct run_bench *bench)
{
    int64_t caches[DISK_POINTS_MAX];
    const size_t count = file_caches(bench, caches);
    char prefix[DISK_NAME_MAX];

    print_what(view, bench, "time per block of 4 KiB during the second backward read of a file");
    print_cache(view, bench, "", run_fact_or(bench, FACT_CACHE_BYTES, 0));
    for (size_t i = 0; i < count; i++) {
        snprintf(prefix, sizeof(prefix), PREFIX_CACHE "%" PRId64 ".", caches[i]);
        print_cache(view, bench, prefix, caches[i]);
    }
    print_paragraph(view->out,
                    "found: share of the reads of both passes whose page was in the cache; ahead: "
                    "number of cache hits whose page read-ahead had brought in");
}

static bool is_total(const struct run_fact *fact)
{
    return strncmp(fact->name, PREFIX_TOTAL, sizeof(PREFIX_TOTAL) - 1) == 0;
}

PLUGIN_OF(fileread, .order = 200, .show = view_fileread, .place = PLUGIN_FOR_SERIES,
          .shows_fact = is_total);
PLUGIN_OF(filecache, .order = 200, .show = view_filecache, .place = PLUGIN_FOR_SERIES);
