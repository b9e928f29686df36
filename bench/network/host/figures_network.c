/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of the network: round trips by size and by spans, bandwidth with its bounds, connections
 * by parts, remote files, and latency under load. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/network/host/paths.h"
#include "bench/network/host/round_trips.h"
#include "bench/network/host/transfers.h"
#include "bench/network/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"
#include "tools/present/figure_kit.h"
#include "tools/present/report_plugin.h"

#define TEXT_MAX         256
#define PERCENT          100.0
#define LOGARITHMIC_FROM 20
/* Space left of the shortest sample, so that its line is not on the frame. */
#define MARGIN_OF_LEAST 0.02
#define MARGIN          0.02

static const char section[] = "Network";

static void put_absent(struct figures *figures, const struct run_bench *bench, const char *title)
{
    for (size_t i = 0; i < NETWORK_PATHS; i++) {
        const char *why = path_absence(bench, network_paths[i]);

        if (why != NULL) {
            figure_add_absent(figures, section, title, bench->name, "%s of bench %s: %s.",
                              network_paths[i], bench->name, why);
            return;
        }
    }
    figure_add_torn(figures, section, title, bench->name);
}

/* ---- round trips by size ---- */

/* Returns the longest median of a path, or 0 if it has none. */
static double longest_rtt(const struct run_bench *bench, const char *path)
{
    int64_t sizes[DISK_POINTS_MAX];
    struct split split;
    double longest = 0;

    for (size_t k = 0; k < RTT_PROTOCOLS; k++) {
        const size_t count = rtt_sizes(bench, path, rtt_protocols[k], sizes);

        for (size_t i = 0; i < count; i++) {
            if (rtt_of(bench, path, rtt_protocols[k], sizes[i], &split)) {
                longest = fmax(longest, (double)statistics_median(split.whole, split.n));
            }
        }
    }
    return longest;
}

static void add_protocol(struct figure *figure, const struct run_bench *bench, const char *path,
                         const char *protocol, const struct figure_scale *scale)
{
    int64_t sizes[DISK_POINTS_MAX];
    const size_t count = rtt_sizes(bench, path, protocol, sizes);
    struct figure_series *series = NULL;
    struct statistics statistics;
    struct split split;

    for (size_t i = 0; i < count; i++) {
        if (!rtt_of(bench, path, protocol, sizes[i], &split)) {
            continue;
        }
        series = series != NULL ? series : figure_add_series(figure, protocol);
        statistics_of(split.whole, split.n, &statistics);
        figure_add_range(series, (double)sizes[i], (double)statistics.median * scale->per_tick,
                         (double)statistics.min * scale->per_tick,
                         (double)statistics.max * scale->per_tick);
    }
}

static void draw_sizes(struct figures *figures, const struct run *run,
                       const struct run_bench *bench, const char *path, double longest)
{
    const struct figure_scale scale = figure_time_scale(run, longest);
    char title[TEXT_MAX];
    char what[TEXT_MAX];

    snprintf(title, sizeof(title), "Round trips by size and protocol, %s", path);
    struct figure *figure =
        figure_add(figures, FIGURE_LINES, section, title, "network-rtt-%s", path);

    figure_axes(figure, "payload", "bytes", "round trip", scale.unit);
    figure->x.logarithmic = true;
    for (size_t k = 0; k < RTT_PROTOCOLS; k++) {
        add_protocol(figure, bench, path, rtt_protocols[k], &scale);
    }
    path_what(bench, path, what, sizeof(what));
    figure_how(figure,
               "Medians of single round trips, each with min and max, in %s; %s. From the call "
               "that sends until its thread continues with the answer.",
               figure_time_label(run), what);
}

/* ---- round trips by spans ---- */

/* Explains the spans that the figure shows. */
static void explain_spans(struct figure *figure, const struct run *run)
{
    static const char *const what[RTT_SPANS] = {
        "until the NIC has the request (loop-back: until the call returns)",
        "until the request arrives",
        "until the handler has seen it",
        "until the peer's NIC has the answer",
        "until the answer arrives",
        "until the handler has seen it",
        "until the handler has seen the other machine's answer",
        "until the callback has the answer",
        "until the thread continues"};
    struct long_text text;

    long_text_open(&text);
    for (size_t i = 0; i < figure->states.count; i++) {
        for (size_t k = 0; k < RTT_SPANS; k++) {
            if (strcmp(figure->states.item[i], rtt_spans[k]) == 0) {
                fprintf(text.out, "%s%s: %s", i > 0 ? "; " : "", rtt_spans[k], what[k]);
            }
        }
    }
    figure_how(figure, "Medians of the consecutive spans of a round trip, in %s. %s.",
               figure_time_label(run), long_text_close(&text));
    long_text_free(&text);
}

static struct figure *start_spans(struct figures *figures, const struct run *run, const char *path,
                                  const struct figure_scale *scale)
{
    char title[TEXT_MAX];

    snprintf(title, sizeof(title), "Spans of a round trip, %s", path);
    struct figure *figure =
        figure_add(figures, FIGURE_TIMELINE, section, title, "network-spans-%s", path);

    figure_axes(figure, figure_time_label(run), scale->unit, NULL, NULL);
    return figure;
}

static void draw_spans(struct figures *figures, const struct run *run,
                       const struct run_bench *bench, const char *path, double longest)
{
    const struct figure_scale scale = figure_time_scale(run, longest);
    struct figure *figure = NULL;
    int64_t sizes[DISK_POINTS_MAX];
    char size[AMOUNT_MAX];
    char name[TEXT_MAX];
    struct split split;

    for (size_t k = 0; k < RTT_PROTOCOLS; k++) {
        const size_t count = rtt_sizes(bench, path, rtt_protocols[k], sizes);

        for (size_t i = 0; i < count; i++) {
            if (!rtt_of(bench, path, rtt_protocols[k], sizes[i], &split) ||
                !split_has_parts(&split)) {
                continue;
            }
            figure = figure != NULL ? figure : start_spans(figures, run, path, &scale);
            snprintf(name, sizeof(name), "%s, %s", rtt_protocols[k], network_bytes(sizes[i], size));
            split_add_lane(figure, name, SERIES_RTT, &split, &scale);
        }
    }
    if (figure == NULL) {
        return;
    }
    explain_spans(figure, run);
}

static void figures_rtt(struct figures *figures, const struct run *run,
                        const struct run_bench *bench)
{
    bool any = false;

    for (size_t i = 0; i < NETWORK_PATHS; i++) {
        const double longest = longest_rtt(bench, network_paths[i]);

        if (longest > 0) {
            draw_sizes(figures, run, bench, network_paths[i], longest);
            draw_spans(figures, run, bench, network_paths[i], longest);
            any = true;
        }
    }
    if (!any) {
        put_absent(figures, bench, "Round trips by size and protocol");
    }
}

/* ---- bandwidth ---- */

struct transfers {
    struct transfer item[TRANSFERS_MAX];
    size_t count;
    struct transfer_scale scale;
};

/* Returns true if the transfer is the first of its path with its message size. */
static bool is_new_message(const struct transfers *transfers, size_t at)
{
    return !SEARCH_ANY(i, at,
                       transfers->item[i].path == transfers->item[at].path &&
                           transfers->item[i].message == transfers->item[at].message);
}

static void add_message(struct figure *figure, const struct transfers *transfers, size_t first)
{
    const struct transfer *of = &transfers->item[first];
    struct figure_series *series = NULL;
    char size[AMOUNT_MAX];
    char name[TEXT_MAX];

    for (size_t i = first; i < transfers->count; i++) {
        const struct transfer *transfer = &transfers->item[i];

        if (transfer->path != of->path || transfer->message != of->message ||
            !isfinite(transfer->rate)) {
            continue;
        }
        if (series == NULL) {
            snprintf(name, sizeof(name), "messages of %s", network_bytes(of->message, size));
            series = figure_add_series(figure, name);
        }
        figure_add_point(series, (double)transfer->window,
                         transfer->rate * transfers->scale.per_rate);
    }
}

/* Returns the greatest bound of a window with any message size, or NaN if it is unknown. */
static double greatest_bound(const struct transfers *transfers, const struct transfer *of,
                             enum transfer_bound bound)
{
    double greatest = NAN;

    for (size_t i = 0; i < transfers->count; i++) {
        const struct transfer *transfer = &transfers->item[i];

        if (transfer->path == of->path && transfer->window == of->window) {
            greatest = fmax(greatest, transfer->bound[bound]);
        }
    }
    return greatest;
}

static void add_bound(struct figure *figure, const struct transfers *transfers, const char *path,
                      enum transfer_bound bound)
{
    static const char *const names[TRANSFER_BOUNDS] = {
        "bound: window per round trip", "bound: wire", "bound: copy", "bound: stack"};
    struct figure_series *series = NULL;
    int64_t window = -1;

    for (size_t i = 0; i < transfers->count; i++) {
        const struct transfer *transfer = &transfers->item[i];
        const double rate = greatest_bound(transfers, transfer, bound);

        if (transfer->path != path || transfer->window == window || !isfinite(rate)) {
            continue;
        }
        series = series != NULL ? series : figure_add_reference(figure, names[bound]);
        figure_add_point(series, (double)transfer->window, rate * transfers->scale.per_rate);
        window = transfer->window;
    }
}

static void draw_bandwidth(struct figures *figures, const struct run *run,
                           const struct run_bench *bench, const struct transfers *transfers,
                           const char *path)
{
    struct figure *figure = NULL;
    char title[TEXT_MAX];
    char what[TEXT_MAX];

    for (size_t i = 0; i < transfers->count; i++) {
        if (transfers->item[i].path != path || !is_new_message(transfers, i)) {
            continue;
        }
        if (figure == NULL) {
            snprintf(title, sizeof(title), "Bandwidth by window, %s", path);
            figure =
                figure_add(figures, FIGURE_LINES, section, title, "network-bandwidth-%s", path);
            figure_axes(figure, "window", "bytes", "TCP payload", transfers->scale.unit);
            figure->x.logarithmic = true;
        }
        add_message(figure, transfers, i);
    }
    if (figure == NULL) {
        return;
    }
    for (enum transfer_bound i = 0; i < TRANSFER_BOUNDS; i++) {
        add_bound(figure, transfers, path, i);
    }
    figure_choose_scale(figure);
    path_what(bench, path, what, sizeof(what));
    figure_how(
        figure,
        "Bytes of a bulk transfer divided by its time, from the first byte sent to the last one "
        "acknowledged, in %s; %s. Bounds: a window per shortest round trip; a full segment per "
        "time that it takes on the wire; a memcpy of the same number of bytes; for a pair also the "
        "same transfer "
        "on loop-back, where one processor does the work of both ends.",
        figure_time_label(run), what);
}

static void figures_bandwidth(struct figures *figures, const struct run *run,
                              const struct run_bench *bench)
{
    struct transfers *transfers = alloc_zeroed(sizeof(*transfers));

    transfers->count = transfers_read(run, bench, transfers->item);
    transfers->scale = transfer_scale(run);
    if (transfers->count == 0) {
        put_absent(figures, bench, "Bandwidth by window");
    }
    for (size_t i = 0; i < NETWORK_PATHS; i++) {
        draw_bandwidth(figures, run, bench, transfers, network_paths[i]);
    }
    free(transfers);
}

/* ---- connections ---- */

static double longest_connection(const struct run_bench *bench)
{
    double longest = 0;
    struct split split;

    for (size_t i = 0; i < NETWORK_PATHS; i++) {
        if (connection_setup_of(bench, network_paths[i], &split)) {
            longest = fmax(longest, (double)statistics_median(split.whole, split.n));
        }
        if (connection_overhead_of(bench, network_paths[i], &split)) {
            longest = fmax(longest, (double)statistics_median(split.whole, split.n));
        }
    }
    return longest;
}

static void add_connection(struct figure *figure, const struct run_bench *bench, const char *path,
                           const struct figure_scale *scale)
{
    const struct run_series *series = series_of(bench, SERIES_TEARDOWN, path);
    char name[TEXT_MAX];
    struct split split;

    if (connection_setup_of(bench, path, &split)) {
        snprintf(name, sizeof(name), "%s, %s", path, SERIES_SETUP);
        split_add_lane(figure, name, SERIES_SETUP, &split, scale);
    }
    if (series != NULL) {
        split = (struct split){.n = series->n, .whole = series->samples};
        snprintf(name, sizeof(name), "%s, %s", path, SERIES_TEARDOWN);
        split_add_lane(figure, name, SERIES_TEARDOWN, &split, scale);
    }
    if (connection_overhead_of(bench, path, &split)) {
        snprintf(name, sizeof(name), "%s, %s", path, SERIES_TCP);
        split_add_lane(figure, name, SERIES_TCP, &split, scale);
    }
}

static void figures_connection(struct figures *figures, const struct run *run,
                               const struct run_bench *bench)
{
    static const char title[] = "Time of a TCP connection, by parts";
    const double longest = longest_connection(bench);
    const struct figure_scale scale = figure_time_scale(run, longest);

    if (longest <= 0) {
        put_absent(figures, bench, title);
        return;
    }
    struct figure *figure =
        figure_add(figures, FIGURE_TIMELINE, section, title, "network-connection");

    figure_axes(figure, figure_time_label(run), scale.unit, NULL, NULL);
    for (size_t i = 0; i < NETWORK_PATHS; i++) {
        add_connection(figure, bench, network_paths[i], &scale);
    }
    figure_how(figure,
               "Medians of the consecutive parts, in %s. syn: until the NIC has the SYN; answer: "
               "until the handler has seen SYN-ACK; established: until the callback. tcp: connect, "
               "send one byte and receive one byte, close. It has two parts: raw is the round trip "
               "of an IP packet of the same number of bytes, and overhead is the rest (definition "
               "of the CSE 221 report, 2014).",
               figure_time_label(run));
}

/* ---- remote files ---- */

static void add_file(struct figure *figure, const struct run_bench *bench, const char *order,
                     const char *path, const struct figure_scale *scale)
{
    int64_t sizes[DISK_POINTS_MAX];
    const size_t count = remote_sizes(bench, sizes);
    struct figure_series *series = NULL;
    struct remote_file file;
    char name[TEXT_MAX];

    for (size_t i = 0; i < count; i++) {
        if (!remote_file_of(bench, order, path, sizes[i], &file)) {
            continue;
        }
        if (series == NULL) {
            snprintf(name, sizeof(name), "%s, %s", order, path);
            series = figure_add_series(figure, name);
        }
        figure_add_point(series, (double)sizes[i], (double)file.total * scale->per_tick);
    }
}

static double longest_file(const struct run_bench *bench)
{
    int64_t sizes[DISK_POINTS_MAX];
    const size_t count = remote_sizes(bench, sizes);
    struct remote_file file;
    double longest = 0;

    for (size_t i = 0; i < count * NETWORK_PATHS; i++) {
        if (remote_file_of(bench, remote_orders[0], network_paths[i % NETWORK_PATHS],
                           sizes[i / NETWORK_PATHS], &file)) {
            longest = fmax(longest, (double)file.total);
        }
    }
    return longest;
}

static void figures_files(struct figures *figures, const struct run *run,
                          const struct run_bench *bench)
{
    static const char title[] = "Time to read a remote file and a local one";
    const double longest = longest_file(bench);
    const struct figure_scale scale = figure_time_scale(run, longest);

    if (longest <= 0) {
        put_absent(figures, bench, title);
        return;
    }
    struct figure *figure =
        figure_add(figures, FIGURE_LINES, section, title, "network-remote-file");

    figure_axes(figure, "size of the file", "bytes", "time to read the whole file", scale.unit);
    figure->x.logarithmic = true;
    figure->y.logarithmic = true;
    for (size_t i = NETWORK_PATHS; i-- > 0;) {
        for (size_t k = 0; k < REMOTE_ORDERS; k++) {
            add_file(figure, bench, remote_orders[k], network_paths[i], &scale);
        }
    }
    figure_how(figure,
               "Sum of the times of all 4 KiB reads of a file through an empty page cache, in %s. "
               "local: the disk of this machine; other paths: a remote file, by NBD. The report of "
               "2014 expected a remote file to take %d "
               "times as long as a local one, and measured %.0f times for 32 MiB.",
               figure_time_label(run), REMOTE_REPORT_ESTIMATE, remote_report_ratio());
}

/* ---- latency under load ---- */

/* Draws the share of round trips that are not longer, from `begin` to the longest of all. */
static void add_distribution(struct figure *figure, const char *name,
                             const struct run_series *series, double begin, double longest,
                             const struct figure_scale *scale)
{
    int64_t *sorted = alloc_zeroed(series->n * sizeof(*sorted));
    struct figure_series *curve = figure_add_series(figure, name);

    memcpy(sorted, series->samples, series->n * sizeof(*sorted));
    sort_integers(sorted, series->n);
    figure_add_point(curve, begin * scale->per_tick, 0);
    for (size_t i = 0; i < series->n; i++) {
        if (i + 1 == series->n || sorted[i + 1] != sorted[i]) {
            figure_add_point(curve, (double)sorted[i] * scale->per_tick,
                             PERCENT * (double)(i + 1) / (double)series->n);
        }
    }
    if ((double)sorted[series->n - 1] < longest) {
        figure_add_point(curve, longest * scale->per_tick, PERCENT);
    }
    free(sorted);
}

static bool draw_load(struct figures *figures, const struct run *run, const struct run_bench *bench,
                      const char *path)
{
    const struct run_series *idle = series_of(bench, SERIES_UNLOADED, path);
    const struct run_series *loaded = series_of(bench, SERIES_LOADED, path);
    struct statistics without;
    struct statistics with;
    char title[TEXT_MAX];
    char what[TEXT_MAX];

    if (idle == NULL || loaded == NULL) {
        return false;
    }
    statistics_of(idle->samples, idle->n, &without);
    statistics_of(loaded->samples, loaded->n, &with);
    const double longest = fmax((double)without.max, (double)with.max);
    const double least = fmin((double)without.min, (double)with.min);
    const struct figure_scale scale = figure_time_scale(run, (double)with.median);

    snprintf(title, sizeof(title), "Round trips under load, %s", path);
    struct figure *figure =
        figure_add(figures, FIGURE_STEPS, section, title, "network-load-%s", path);

    figure_axes(figure, "round trip", scale.unit, "share of round trips that are not longer", "%");
    figure->x.logarithmic = least > 0 && longest > LOGARITHMIC_FROM * least;

    const double begin = least - fmax(least * MARGIN_OF_LEAST, (longest - least) * MARGIN);

    add_distribution(figure, "no bulk transfer", idle, begin, longest, &scale);
    add_distribution(figure, "with a bulk TCP transfer", loaded, begin, longest, &scale);
    path_what(bench, path, what, sizeof(what));
    figure_how(figure,
               "UDP round trips of 64 bytes, without and with a bulk TCP transfer in the same "
               "direction, in %s; %s.",
               figure_time_label(run), what);
    return true;
}

static void figures_load(struct figures *figures, const struct run *run,
                         const struct run_bench *bench)
{
    bool any = false;

    for (size_t i = 0; i < NETWORK_PATHS; i++) {
        any = draw_load(figures, run, bench, network_paths[i]) || any;
    }
    if (!any) {
        put_absent(figures, bench, "Round trips under load");
    }
}

PLUGIN_OF(rtt, .order = 394, .bench_figures = figures_rtt);
PLUGIN_OF(netbandwidth, .order = 395, .bench_figures = figures_bandwidth);
PLUGIN_OF(connection, .order = 396, .bench_figures = figures_connection);
PLUGIN_OF(remotefile, .order = 397, .bench_figures = figures_files);
PLUGIN_OF(netload, .order = 398, .bench_figures = figures_load);
