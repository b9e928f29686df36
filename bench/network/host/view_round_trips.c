/* SPDX-License-Identifier: BSD-2-Clause */
/* Prints tables of round trips: by path, protocol and size with their spans, and under load. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench/network/host/paths.h"
#include "bench/network/host/round_trips.h"
#include "bench/network/host/transfers.h"
#include "bench/network/names.h"
#include "tools/base/table.h"
#include "tools/present/report_plugin.h"
#include "tools/present/view.h"

#define NAME_MAX    64
#define COLUMNS_MAX (TABLE_COLUMNS_MAX - 1)

/* ---- rtt: a table for each path and protocol, a column for each size ---- */

struct sizes {
    const struct run_bench *bench;
    const char *path, *protocol;
    size_t count;
    int64_t bytes[COLUMNS_MAX];
    struct split split[COLUMNS_MAX];
};

static void read_sizes(const struct run_bench *bench, const char *path, const char *protocol,
                       struct sizes *sizes)
{
    int64_t bytes[DISK_POINTS_MAX];
    const size_t count = rtt_sizes(bench, path, protocol, bytes);

    *sizes = (struct sizes){.bench = bench, .path = path, .protocol = protocol};
    for (size_t i = 0; i < count && sizes->count < COLUMNS_MAX; i++) {
        if (rtt_of(bench, path, protocol, bytes[i], &sizes->split[sizes->count])) {
            sizes->bytes[sizes->count++] = bytes[i];
        }
    }
}

/* a row of statistics, one for each size; n = 0: there are none for that size */
struct row {
    const char *name;
    struct statistics of[COLUMNS_MAX];
};

/* Adds one line of a row; NAN where a size has no value. */
static void add_line(struct table *table, const struct view *view, const char *name,
                     const double *values, size_t count)
{
    table_named_row(table, name);
    for (size_t i = 0; i < count; i++) {
        network_cell(table, view, values[i]);
    }
}

/* Adds the median, and below it p99 and max if samples differ. */
static void add_row(struct table *table, const struct view *view, const struct row *row,
                    size_t count)
{
    double median[COLUMNS_MAX];
    double p99[COLUMNS_MAX];
    double max[COLUMNS_MAX];
    bool is_there = false;
    bool varies = false;
    bool has_p99 = false;

    for (size_t i = 0; i < count; i++) {
        const struct statistics *of = &row->of[i];
        const bool there = of->n > 0;

        median[i] = there ? (double)of->median : (double)NAN;
        p99[i] = there && of->has_p99 ? (double)of->p99 : (double)NAN;
        max[i] = there ? (double)of->max : (double)NAN;
        is_there = is_there || there;
        varies = varies || (there && of->min != of->max);
        has_p99 = has_p99 || (there && of->has_p99);
    }
    if (is_there) {
        add_line(table, view, row->name, median, count);
    }
    if (varies && has_p99) {
        add_line(table, view, "  p99", p99, count);
    }
    if (varies) {
        add_line(table, view, "  max", max, count);
    }
}

static void add_spans(struct table *table, const struct view *view, const struct sizes *sizes)
{
    for (size_t k = 0; k < RTT_SPANS; k++) {
        struct row row = {.name = rtt_spans[k]};

        for (size_t i = 0; i < sizes->count; i++) {
            const struct split *split = &sizes->split[i];

            if (split->part[k] != NULL) {
                statistics_of(split->part[k], split->n, &row.of[i]);
            }
        }
        add_row(table, view, &row, sizes->count);
    }
}

static void add_residual(struct table *table, const struct view *view, const struct sizes *sizes)
{
    struct row row = {.name = "residual"};

    for (size_t i = 0; i < sizes->count; i++) {
        if (split_has_parts(&sizes->split[i])) {
            split_residual(&sizes->split[i], &row.of[i]);
        }
    }
    add_row(table, view, &row, sizes->count);
}

/* Adds the time of one way by the timing model, and the time that the link took in addition. */
static void add_law(struct table *table, const struct view *view, const struct sizes *sizes,
                    size_t way)
{
    char name[NAME_MAX] = "";
    struct row by_law = {0};
    struct row beyond = {.name = name};
    struct rtt_law law;

    for (size_t i = 0; i < sizes->count; i++) {
        if (rtt_law_of(sizes->bench, sizes->path, sizes->protocol, sizes->bytes[i], way, &law)) {
            by_law.name = law.name;
            snprintf(name, sizeof(name), "%s - law", law.span);
            statistics_of(law.law, sizes->split[i].n, &by_law.of[i]);
            split_difference(law.wire, law.law, sizes->split[i].n, &beyond.of[i]);
        }
    }
    add_row(table, view, &by_law, sizes->count);
    add_row(table, view, &beyond, sizes->count);
}

/* If lengths are in instructions, also adds a row with the medians converted to times. */
static void add_time(struct table *table, const struct view *view, const struct row *row,
                     size_t count)
{
    char text[AMOUNT_MAX];

    if (view->ticks_per_instruction <= 0 || view->ns_per_tick <= 0) {
        return;
    }
    table_named_row(table, "  in time");
    for (size_t i = 0; i < count; i++) {
        table_text(table, disk_time(view, (double)row->of[i].median, text));
    }
}

static void view_protocol(const struct view *view, const struct sizes *sizes)
{
    struct row whole = {.name = SERIES_RTT};
    char size[AMOUNT_MAX];
    char alignment[TABLE_COLUMNS_MAX + 1] = "l";
    struct table table;

    for (size_t i = 0; i < sizes->count; i++) {
        alignment[i + 1] = 'r';
        alignment[i + 2] = '\0';
        statistics_of(sizes->split[i].whole, sizes->split[i].n, &whole.of[i]);
    }
    table_init(&table, alignment);
    table_row(&table);
    table_format(&table, "%s, %s", sizes->path, sizes->protocol);
    for (size_t i = 0; i < sizes->count; i++) {
        table_text(&table, network_bytes(sizes->bytes[i], size));
    }
    add_row(&table, view, &whole, sizes->count);
    add_time(&table, view, &whole, sizes->count);
    add_spans(&table, view, sizes);
    add_residual(&table, view, sizes);
    for (size_t way = 0; way < RTT_WAYS; way++) {
        add_law(&table, view, sizes, way);
    }
    view_table(view, &table);
}

static void view_rtt(const struct view *view, const struct run_bench *bench)
{
    struct sizes sizes;

    print_paragraph(view->out,
                    "round trips by bytes of payload, in %s: medians, and also p99 and max if the "
                    "samples differ",
                    network_length_note(view));
    for (size_t i = 0; i < NETWORK_PATHS; i++) {
        for (size_t k = 0; k < RTT_PROTOCOLS; k++) {
            read_sizes(bench, network_paths[i], rtt_protocols[k], &sizes);
            if (sizes.count > 0) {
                view_protocol(view, &sizes);
            }
        }
    }
    print_paragraph(
        view->out,
        "residual: time of a round trip that no span covers. law, law_back: time by the timing "
        "model of the simulated link, each way. Without an answer: %" PRId64
        " trips, which give no samples; with a TCP segment that was sent again: %" PRId64,
        rtt_facts(bench, FACT_TRIPS_LOST), rtt_facts(bench, FACT_TRIPS_RESENT));
    view_paths(view, bench);
}

/* ---- netload ---- */

static void ratio_cell(struct table *table, bool known, int64_t loaded, int64_t idle)
{
    table_real(table, known && idle > 0 ? (double)loaded / (double)idle : (double)NAN);
}

static void add_loaded(struct table *table, const struct view *view, const struct run_bench *bench,
                       const char *path)
{
    static const char *const names[] = {SERIES_UNLOADED, SERIES_LOADED};
    struct statistics of[2] = {{0}};

    for (size_t i = 0; i < 2; i++) {
        const struct run_series *series = series_of(bench, names[i], path);

        if (series == NULL) {
            continue;
        }
        statistics_of(series->samples, series->n, &of[i]);
        table_named_row(table, path);
        table_text(table, i == 0 ? "without" : "bulk TCP");
        network_cells(table, view, &of[i]);
    }
    if (of[0].n == 0 || of[1].n == 0) {
        return;
    }
    table_named_row(table, "");
    table_text(table, "times");
    table_text(table, "");
    ratio_cell(table, true, of[1].min, of[0].min);
    ratio_cell(table, true, of[1].median, of[0].median);
    ratio_cell(table, of[1].has_p99 && of[0].has_p99, of[1].p99, of[0].p99);
    ratio_cell(table, true, of[1].max, of[0].max);
}

static int64_t unanswered(const struct run_bench *bench, const char *path)
{
    static const char *const names[] = {FACT_UNANSWERED "." SERIES_UNLOADED,
                                        FACT_UNANSWERED "." SERIES_LOADED};
    int64_t idle;
    int64_t loaded;

    path_fact(bench, names[0], path, &idle);
    path_fact(bench, names[1], path, &loaded);
    return idle + loaded;
}

static void print_bulk(const struct view *view, const struct run_bench *bench, const char *path)
{
    const struct transfer_scale scale = transfer_scale(view->run);
    char size[AMOUNT_MAX];
    char time[AMOUNT_MAX];
    int64_t bytes;
    int64_t total;

    if (path_fact(bench, FACT_MEANWHILE, path, &bytes)) {
        print_paragraph(view->out,
                        "%s: %" PRId64 " bytes of the bulk transfer were acknowledged during round "
                        "trips; %" PRId64 " round trips took more than 2 s and give no samples",
                        path, bytes, unanswered(bench, path));
    }
    if (path_fact(bench, FACT_NET_BYTES, path, &bytes) &&
        path_fact(bench, FACT_NET_TOTAL, path, &total) && total > 0) {
        print_paragraph(view->out, "%s: the bulk transfer moved %s in %s: %.4g %s", path,
                        disk_size(bytes, size), disk_time(view, (double)total, time),
                        (double)bytes / (double)total * scale.per_rate, scale.unit);
    }
}

static void view_netload(const struct view *view, const struct run_bench *bench)
{
    struct table table;

    print_paragraph(view->out,
                    "UDP round trips of 64 bytes without and with a bulk TCP transfer in the same "
                    "direction, in %s",
                    network_length_note(view));
    table_open(&table, "llrrrrr", "path\tload\tn\tmin\tmedian\tp99\tmax");
    for (size_t i = 0; i < NETWORK_PATHS; i++) {
        add_loaded(&table, view, bench, network_paths[i]);
    }
    view_table(view, &table);
    for (size_t i = 0; i < NETWORK_PATHS; i++) {
        print_bulk(view, bench, network_paths[i]);
    }
    view_paths(view, bench);
}

PLUGIN_OF(rtt, .order = 200, .show = view_rtt, .place = PLUGIN_FOR_SERIES,
          .shows_fact = rtt_shows_fact);
PLUGIN_OF(netload, .order = 200, .show = view_netload, .place = PLUGIN_FOR_SERIES,
          .shows_fact = transfer_shows_fact);
