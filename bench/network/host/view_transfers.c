/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints tables of bulk transfers with their bounds, of connections by parts, and of remote files.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/network/host/paths.h"
#include "bench/network/host/round_trips.h"
#include "bench/network/host/transfers.h"
#include "bench/network/names.h"
#include "tools/base/table.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"
#include "tools/run/estimates.h"

#define LOSSES_MAX 256

/* ---- netbandwidth ---- */

static void rate_cell(struct table *table, double rate, const struct transfer_scale *scale)
{
    table_real(table, rate * scale->per_rate);
}

static void add_transfer(struct table *table, const struct transfer *transfer,
                         const struct transfer_scale *scale)
{
    const enum transfer_bound binds = transfer_binds(transfer);
    char size[AMOUNT_MAX];

    table_named_row(table, transfer->path);
    table_text(table, network_bytes(transfer->window, size));
    table_text(table, network_bytes(transfer->message, size));
    rate_cell(table, transfer->rate, scale);
    for (enum transfer_bound i = 0; i < TRANSFER_BOUNDS; i++) {
        rate_cell(table, transfer->bound[i], scale);
    }
    if (binds == TRANSFER_BOUNDS) {
        table_text(table, NULL);
        table_text(table, NULL);
        return;
    }
    table_text(table, transfer_bounds[binds]);
    table_share(table, transfer->rate / transfer->bound[binds]);
}

static void add_blocks(struct table *table, const struct view *view,
                       const struct transfer *transfer)
{
    char size[AMOUNT_MAX];

    table_named_row(table, transfer->path);
    table_text(table, network_bytes(transfer->window, size));
    table_text(table, network_bytes(transfer->message, size));
    table_format(table, "%zu", transfer->block.n);
    statistics_cells(table, view, &transfer->block, network_cell);
    network_cell(table, view, transfer->shortest > 0 ? (double)transfer->shortest : (double)NAN);
    table_known(table, transfer->counted, transfer->outliers);
}

static void view_blocks(const struct view *view, const struct run_bench *bench,
                        const struct transfer *transfers, size_t count)
{
    char losses[LOSSES_MAX];
    struct table table;

    print_paragraph(view->out,
                    "each block of 64 KiB, in %s; shortest: from writing a byte to its "
                    "acknowledgement; outliers: blocks during which a segment was sent again",
                    network_length_note(view));
    table_open(&table, "lrrrrrrrr",
               "path\twindow\tmessage\tn\tmedian\tp99\tmax\tshortest\toutliers");
    for (size_t i = 0; i < count; i++) {
        add_blocks(&table, view, &transfers[i]);
    }
    view_table(view, &table);
    for (size_t i = 0; i < NETWORK_PATHS; i++) {
        if (transfer_losses(bench, network_paths[i], losses, sizeof(losses))) {
            print_paragraph(view->out, "%s", losses);
        }
    }
}

static void view_netbandwidth(const struct view *view, const struct run_bench *bench)
{
    const struct transfer_scale scale = transfer_scale(view->run);
    struct transfer transfers[TRANSFERS_MAX];
    const size_t count = transfers_read(view->run, bench, transfers);
    struct table table;

    print_paragraph(view->out, "bulk TCP transfers and their bounds, in %s%s", scale.unit,
                    view->ticks_per_instruction > 0 ? " of virtual time" : "");
    table_open(&table, "lrrrrrrrlr",
               "path\twindow\tmessage\trate\tby window\twire\tcopy\tstack\tbinds\tshare");
    for (size_t i = 0; i < count; i++) {
        add_transfer(&table, &transfers[i], &scale);
    }
    view_table(view, &table);
    print_paragraph(
        view->out,
        "by window: a window per shortest round trip; wire: a full segment per time that it takes "
        "on the wire; copy: a memcpy of the same number of bytes; stack: for a pair, the same "
        "transfer on "
        "loop-back, where one processor does the work of both ends. binds: the name of the lowest "
        "bound, which limits the transfer; share: the part of this bound that the transfer "
        "reached");
    view_blocks(view, bench, transfers, count);
    view_paths(view, bench);
}

/* ---- connection ---- */

static void add_part(struct table *table, const struct view *view, const char *path,
                     const char *name, const struct statistics *statistics)
{
    table_named_row(table, path);
    table_text(table, name);
    network_cells(table, view, statistics);
}

static void add_split(struct table *table, const struct view *view, const char *path,
                      const char *name, const struct split *split)
{
    struct statistics statistics;

    statistics_of(split->whole, split->n, &statistics);
    add_part(table, view, path, name, &statistics);
    for (size_t i = 0; i < split->count; i++) {
        if (split->part[i] != NULL) {
            char part[AMOUNT_MAX];

            snprintf(part, sizeof(part), "  %s", split->names[i]);
            statistics_of(split->part[i], split->n, &statistics);
            add_part(table, view, "", part, &statistics);
        }
    }
    if (split_has_parts(split)) {
        split_residual(split, &statistics);
        add_part(table, view, "", "  residual", &statistics);
    }
}

static void add_connection(struct table *table, const struct view *view,
                           const struct run_bench *bench, const char *path)
{
    const struct run_series *teardown = series_of(bench, SERIES_TEARDOWN, path);
    struct statistics statistics;
    struct split split;

    if (connection_setup_of(bench, path, &split)) {
        add_split(table, view, path, SERIES_SETUP, &split);
    }
    if (teardown != NULL) {
        statistics_of(teardown->samples, teardown->n, &statistics);
        add_part(table, view, path, SERIES_TEARDOWN, &statistics);
    }
    if (connection_overhead_of(bench, path, &split)) {
        add_split(table, view, path, SERIES_TCP, &split);
    }
}

static void view_connection(const struct view *view, const struct run_bench *bench)
{
    const struct estimates_row *row = connection_report();
    char reported[DURATION_MAX];
    struct table table;

    print_paragraph(view->out, "TCP connections by parts, in %s", network_length_note(view));
    table_open(&table, "llrrrrr", "path\tpart\tn\tmin\tmedian\tp99\tmax");
    for (size_t i = 0; i < NETWORK_PATHS; i++) {
        add_connection(&table, view, bench, network_paths[i]);
    }
    view_table(view, &table);
    print_paragraph(
        view->out,
        "setup: until connected; teardown: until the peer's FIN arrives; tcp: connect, send one "
        "byte and receive one byte, close; raw: round trip of an IP packet of the same number of "
        "bytes; overhead: tcp minus raw, as the CSE 221 report of 2014 defines it");
    if (row != NULL) {
        print_paragraph(
            view->out, "the report of 2014 (section %s, OS X 10.10): %s; its estimate was %s",
            row->number, duration_text(row->reported, reported), row->reported_estimate);
    }
    view_paths(view, bench);
}

/* ---- remotefile ---- */

static void add_remote(struct table *table, const struct view *view, const struct run_bench *bench,
                       int64_t bytes, const char *order, const char *path)
{
    struct remote_file file;
    char size[AMOUNT_MAX];

    if (!remote_file_of(bench, order, path, bytes, &file)) {
        return;
    }
    table_named_row(table, disk_size(bytes, size));
    table_text(table, order);
    table_text(table, path);
    statistics_cells(table, view, &file.block, disk_cell);
    disk_cell(table, view, (double)file.total);
    table_real(table, strcmp(path, PATH_LOCAL) != 0 ? file.of_local : (double)NAN);
}

static void view_remotefile(const struct view *view, const struct run_bench *bench)
{
    int64_t sizes[DISK_POINTS_MAX];
    const size_t count = remote_sizes(bench, sizes);
    struct table table;
    char size[AMOUNT_MAX];

    print_paragraph(view->out,
                    "reads of blocks of 4 KiB of a file through an empty page cache, by its size, "
                    "order and path, in %s",
                    disk_time_note(view));
    table_open(&table, "rllrrrrr", "size\torder\tpath\tmedian\tp99\tmax\ttotal\ttotal / local");
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < REMOTE_ORDERS; k++) {
            for (size_t path = NETWORK_PATHS; path-- > 0;) {
                add_remote(&table, view, bench, sizes[i], remote_orders[k], network_paths[path]);
            }
        }
    }
    view_table(view, &table);
    print_paragraph(view->out,
                    "total / local: the total divided by the total of the local disk. The report "
                    "of 2014 (section 15) "
                    "expected %d times as long, and measured %.0f times as long for %s",
                    REMOTE_REPORT_ESTIMATE, remote_report_ratio(),
                    disk_size(REMOTE_REPORT_BYTES, size));
    view_paths(view, bench);
}

PLUGIN_OF(netbandwidth, .order = 200, .show = view_netbandwidth, .place = PLUGIN_FOR_SERIES,
          .shows_fact = transfer_shows_fact);
PLUGIN_OF(connection, .order = 200, .show = view_connection, .place = PLUGIN_FOR_SERIES,
          .shows_fact = path_shows_fact);
PLUGIN_OF(remotefile, .order = 200, .show = view_remotefile, .place = PLUGIN_FOR_SERIES,
          .shows_fact = transfer_shows_fact);
