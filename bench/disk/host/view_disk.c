/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of reads past the cache: one at a time, and by many threads. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench/disk/host/disk_load.h"
#include "bench/disk/host/disk_reads.h"
#include "bench/disk/host/view_disk.h"
#include "bench/disk/names.h"
#include "tools/base/texts.h"
#include "tools/present/reading.h"
#include "tools/present/view.h"

#define WHAT_MAX     256
#define NS_OF_SECOND 1e9

static void time_cell(struct table *table, const struct view *view, double ticks)
{
    char text[AMOUNT_MAX];

    table_text(table, isfinite(ticks) ? disk_time(view, ticks, text) : NULL);
}

/* Median, p99 where enough samples lie above it, and max. */
static void statistics_cells(struct table *table, const struct view *view,
                             const struct statistics *statistics)
{
    const bool there = statistics->n > 0;

    time_cell(table, view, there ? (double)statistics->median : (double)NAN);
    time_cell(table, view, there && statistics->has_p99 ? (double)statistics->p99 : (double)NAN);
    time_cell(table, view, there ? (double)statistics->max : (double)NAN);
}

static void print_below(const struct view *view, struct table *table)
{
    fputc('\n', view->out);
    table_print(table, view->out, 2);
}

static void print_what(const struct view *view, const struct run_bench *bench, const char *of)
{
    char what[WHAT_MAX];

    disk_what(bench, what, sizeof(what));
    print_paragraph(view->out, "%s, in %s; of %s", of, disk_time_note(view), what);
}

/* ---- one at a time ---- */

static void add_part(struct table *table, const struct view *view, const char *name,
                     const struct statistics *statistics)
{
    table_row(table);
    table_text(table, "");
    table_text(table, name);
    table_format(table, "%zu", statistics->n);
    time_cell(table, view, (double)statistics->min);
    statistics_cells(table, view, statistics);
}

static void add_size(struct table *table, const struct view *view, const struct disk_reads *reads)
{
    struct statistics statistics;
    char size[SIZE_TEXT_MAX];

    statistics_of(reads->read, reads->n, &statistics);
    table_row(table);
    table_text(table, size_text(reads->point, size));
    table_text(table, "read");
    table_format(table, "%zu", statistics.n);
    time_cell(table, view, (double)statistics.min);
    statistics_cells(table, view, &statistics);
    for (size_t i = 0; i < DISK_SPANS; i++) {
        if (reads->span[i] != NULL) {
            statistics_of(reads->span[i], reads->n, &statistics);
            add_part(table, view, disk_spans[i], &statistics);
        }
    }
    if (reads->law != NULL) {
        statistics_of(reads->law, reads->n, &statistics);
        add_part(table, view, "law", &statistics);
        disk_derived(reads, disk_wait, &statistics);
        add_part(table, view, "device - law", &statistics);
    }
    if (disk_has_spans(reads)) {
        disk_derived(reads, disk_residual, &statistics);
        add_part(table, view, "residual", &statistics);
    }
}

/* What the parts of a read are. */
static const char *parts_text(bool by_law, bool by_spans)
{
    if (by_law) {
        return "residual: a read less its spans; law: the service that the modelled disk's law "
               "states, and device - law what the disk took beyond it";
    }
    return by_spans
               ? "residual: a read less its spans; this disk has no law: device is all that it "
                 "took, and its interrupt"
               : "read: all of it, whose spans are missing";
}

void view_disklatency(const struct view *view, const struct run_bench *bench)
{
    static const char *const heads[] = {"size", "span", "n", "min", "median", "p99", "max"};
    int64_t points[DISK_POINTS_MAX];
    const size_t count = disk_points(bench, SERIES_READ, points);
    struct disk_reads reads;
    struct table table;
    bool by_law = false;
    bool by_spans = false;

    print_what(view, bench, "reads one at a time, by size");
    table_head(&table, "rlrrrrr", heads);
    for (size_t i = 0; i < count; i++) {
        if (disk_reads_of(bench, points[i], &reads)) {
            add_size(&table, view, &reads);
            by_law = by_law || reads.law != NULL;
            by_spans = by_spans || disk_has_spans(&reads);
        }
    }
    print_below(view, &table);
    print_paragraph(view->out, "%s", parts_text(by_law, by_spans));
}

/* ---- many threads ---- */

/* Reads a second. */
static void rate_cell(struct table *table, const struct view *view, double block)
{
    if (view->ns_per_tick > 0 && block > 0) {
        table_format(table, "%.0f", NS_OF_SECOND / (block * view->ns_per_tick));
    } else {
        table_text(table, NULL);
    }
}

static void add_load(struct table *table, const struct view *view, const struct run_bench *bench,
                     const struct disk_load *load, uint32_t servers)
{
    struct disk_closed closed;
    const bool is_closed = disk_closed_of(bench, load, servers, &closed);
    double expected;

    table_row(table);
    table_signed(table, load->threads);
    time_cell(table, view, load->block);
    rate_cell(table, view, load->block);
    time_cell(table, view,
              disk_load_expected(view, bench, load, &expected) ? expected : (double)NAN);
    time_cell(table, view, is_closed ? closed.block : (double)NAN);
    statistics_cells(table, view, &load->response);
}

void view_diskload(const struct view *view, const struct run_bench *bench)
{
    static const char *const heads[] = {"threads", "a block", "reads/s", "expected",
                                        "closed",  "median",  "p99",     "max"};
    struct disk_load loads[DISK_POINTS_MAX];
    const size_t count = disk_loads_read(bench, loads);
    const uint32_t servers = disk_servers(bench);
    struct table table;

    print_what(view, bench, "threads that read at once: time per block and response");
    table_head(&table, "rrrrrrrr", heads);
    for (size_t i = 0; i < count; i++) {
        add_load(&table, view, bench, &loads[i], servers);
    }
    print_below(view, &table);
    if (servers > 0) {
        print_paragraph(
            view->out,
            "a block: time of the whole load by its reads, as the report has it. closed: "
            "so many customers at a disk of %" PRIu32
            " server%s with the services and think times of this load, first come "
            "first served, and no kernel. median, p99, max: of the response",
            servers, servers == 1 ? "" : "s");
    } else {
        print_paragraph(
            view->out,
            "a block: time of the whole load by its reads, as the report has it; median, "
            "p99, max: of the response. How many reads this disk serves at once is "
            "unknown");
    }
}

READING_REGISTER(disklatency_view) = {.bench = BENCH_DISKLATENCY,
                                      .order = 200,
                                      .show = view_disklatency,
                                      .place = READING_FOR_SERIES};
READING_REGISTER(diskload_view) = {
    .bench = BENCH_DISKLOAD, .order = 200, .show = view_diskload, .place = READING_FOR_SERIES};
