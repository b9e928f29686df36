/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes what the network benches measured as JSON, in ticks: members "paths" of all of them,
 * "round_trips" of rtt, "transfers" of netbandwidth, "connections" of connection, "remote_files" of
 * remotefile, "under_load" of netload. Writes nothing for benches without series.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/disk/names.h"
#include "bench/network/host/paths.h"
#include "bench/network/host/round_trips.h"
#include "bench/network/host/transfers.h"
#include "bench/network/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/present/json_kit.h"
#include "tools/present/report_plugin.h"

#define DECIMALS 9

/* ---- values that may be missing ---- */

static void put_statistics(struct json *json, const char *key, const struct statistics *statistics)
{
    if (statistics->n == 0) {
        json_null(json, key);
        return;
    }
    json_object(json, key);
    json_statistics(json, statistics);
    json_close(json);
}

static void put_samples(struct json *json, const char *key, const int64_t *samples, size_t n)
{
    struct statistics statistics;

    statistics_of(samples, samples != NULL ? n : 0, &statistics);
    put_statistics(json, key, &statistics);
}

static void put_series(struct json *json, const struct run_bench *bench, const char *name,
                       const char *path)
{
    const struct run_series *series = series_of(bench, name, path);

    put_samples(json, name, series != NULL ? series->samples : NULL,
                series != NULL ? series->n : 0);
}

static void put_fact(struct json *json, const struct run_bench *bench, const char *name,
                     const char *path)
{
    int64_t value;
    const bool present = path_fact(bench, name, path, &value);

    json_optional(json, name, present, value);
}

/* Writes the whole under `key`, followed by its parts and the residual. */
static void put_split(struct json *json, const char *key, const struct split *split)
{
    struct statistics residual = {0};

    json_unsigned(json, "n", split->n);
    put_samples(json, key, split->whole, split->n);
    for (size_t i = 0; i < split->count; i++) {
        put_samples(json, split->names[i], split->part[i], split->n);
    }
    if (split_has_parts(split)) {
        split_residual(split, &residual);
    }
    put_statistics(json, "residual", &residual);
}

/* ---- paths ---- */

static void put_path(struct json *json, const struct run_bench *bench, const char *path)
{
    static const char *const texts[] = {FOUND_NICS, FOUND_MODELS, FOUND_INTERRUPT};
    static const char *const facts[] = {FACT_FRAMES_SENT,   FACT_FRAMES_RECEIVED, FACT_FRAMES_LOST,
                                        FACT_RETRANSMITTED, FACT_BYTES_CHECKED,   FACT_BYTES_WRONG,
                                        FACT_PACKET_NS,     FACT_BYTE_PS};

    json_object(json, NULL);
    json_text(json, "path", path);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        json_text(json, texts[i], path_found(bench, texts[i], path));
    }
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
        put_fact(json, bench, facts[i], path);
    }
    json_close(json);
}

static void put_paths(struct json *json, const struct run_bench *bench)
{
    json_array(json, "paths");
    for (size_t i = 0; i < NETWORK_PATHS; i++) {
        if (path_is_there(bench, network_paths[i])) {
            put_path(json, bench, network_paths[i]);
        }
    }
    json_close(json);
}

/* ---- benches ---- */

static void put_round_trip(struct json *json, const struct run_bench *bench, const char *path,
                           const char *protocol, int64_t bytes)
{
    static const char *const laws[RTT_WAYS] = {SERIES_LAW_THERE, SERIES_LAW_BACK};
    struct rtt_law law;
    struct split split;

    if (!rtt_of(bench, path, protocol, bytes, &split)) {
        return;
    }
    json_object(json, NULL);
    json_text(json, "path", path);
    json_text(json, "protocol", protocol);
    json_signed(json, "bytes", bytes);
    put_split(json, SERIES_RTT, &split);
    for (size_t way = 0; way < RTT_WAYS; way++) {
        const bool has = rtt_law_of(bench, path, protocol, bytes, way, &law);

        put_samples(json, laws[way], has ? law.law : NULL, split.n);
    }
    json_close(json);
}

static void put_round_trips(struct json *json, const struct run_bench *bench)
{
    int64_t sizes[DISK_POINTS_MAX];

    json_array(json, "round_trips");
    for (size_t i = 0; i < (size_t)NETWORK_PATHS * RTT_PROTOCOLS; i++) {
        const char *path = network_paths[i / RTT_PROTOCOLS];
        const char *protocol = rtt_protocols[i % RTT_PROTOCOLS];
        const size_t count = rtt_sizes(bench, path, protocol, sizes);

        for (size_t k = 0; k < count; k++) {
            put_round_trip(json, bench, path, protocol, sizes[k]);
        }
    }
    json_close(json);
}

static void put_transfers(struct json *json, const struct run *run, const struct run_bench *bench)
{
    struct transfer transfers[TRANSFERS_MAX];
    const size_t count = transfers_read(run, bench, transfers);

    json_array(json, "transfers");
    for (size_t i = 0; i < count; i++) {
        const enum transfer_bound binds = transfer_binds(&transfers[i]);

        json_object(json, NULL);
        json_text(json, "path", transfers[i].path);
        json_signed(json, "window", transfers[i].window);
        json_signed(json, "message", transfers[i].message);
        json_optional(json, "bytes", isfinite(transfers[i].rate), transfers[i].bytes);
        json_signed(json, "total", transfers[i].total);
        json_number(json, "bytes_per_tick", transfers[i].rate, DECIMALS);
        for (enum transfer_bound k = 0; k < TRANSFER_BOUNDS; k++) {
            static const char *const keys[] = {FACT_BOUND_WINDOW, FACT_BOUND_WIRE, FACT_BOUND_COPY,
                                               "bound_stack"};

            json_number(json, keys[k], transfers[i].bound[k], DECIMALS);
        }
        json_optional(json, "shortest", transfers[i].shortest > 0, transfers[i].shortest);
        json_optional(json, "outliers", transfers[i].counted, transfers[i].outliers);
        json_optional(json, "again", transfers[i].counted, transfers[i].again);
        json_text(json, "binds", binds < TRANSFER_BOUNDS ? transfer_bounds[binds] : NULL);
        put_statistics(json, "block", &transfers[i].block);
        json_close(json);
    }
    json_close(json);
}

static void put_connections(struct json *json, const struct run_bench *bench)
{
    struct split split;

    json_array(json, "connections");
    for (size_t i = 0; i < NETWORK_PATHS; i++) {
        const char *path = network_paths[i];

        if (!connection_setup_of(bench, path, &split)) {
            continue;
        }
        json_object(json, NULL);
        json_text(json, "path", path);
        put_split(json, SERIES_SETUP, &split);
        put_series(json, bench, SERIES_TEARDOWN, path);
        put_series(json, bench, SERIES_TCP, path);
        put_series(json, bench, SERIES_RAW, path);
        put_series(json, bench, SERIES_OVERHEAD, path);
        json_close(json);
    }
    json_close(json);
}

static void put_remote_file(struct json *json, const struct run_bench *bench, const char *order,
                            const char *path, int64_t bytes)
{
    struct remote_file file;

    if (!remote_file_of(bench, order, path, bytes, &file)) {
        return;
    }
    json_object(json, NULL);
    json_text(json, "path", path);
    json_text(json, "order", order);
    json_signed(json, "bytes", bytes);
    put_statistics(json, "block", &file.block);
    json_signed(json, "total", file.total);
    json_number(json, "of_local", file.of_local, DECIMALS);
    json_close(json);
}

static void put_remote_files(struct json *json, const struct run_bench *bench)
{
    int64_t sizes[DISK_POINTS_MAX];
    const size_t count = remote_sizes(bench, sizes);
    const size_t each = (size_t)REMOTE_ORDERS * NETWORK_PATHS;

    json_array(json, "remote_files");
    for (size_t i = 0; i < count * each; i++) {
        put_remote_file(json, bench, remote_orders[i % each / NETWORK_PATHS],
                        network_paths[i % NETWORK_PATHS], sizes[i / each]);
    }
    json_close(json);
}

static void put_loads(struct json *json, const struct run_bench *bench)
{
    json_array(json, "under_load");
    for (size_t i = 0; i < NETWORK_PATHS; i++) {
        const char *path = network_paths[i];

        if (series_of(bench, SERIES_UNLOADED, path) == NULL &&
            series_of(bench, SERIES_LOADED, path) == NULL) {
            continue;
        }
        json_object(json, NULL);
        json_text(json, "path", path);
        put_series(json, bench, SERIES_UNLOADED, path);
        put_series(json, bench, SERIES_LOADED, path);
        put_fact(json, bench, FACT_NET_BYTES, path);
        put_fact(json, bench, FACT_NET_TOTAL, path);
        json_close(json);
    }
    json_close(json);
}

static void network_json(struct json *json, const struct run *run, const struct run_bench *bench)
{
    if (bench->series_count == 0) {
        return;
    }
    if (strcmp(bench->name, BENCH_RTT) == 0) {
        put_paths(json, bench);
        put_round_trips(json, bench);
    } else if (strcmp(bench->name, BENCH_NETBANDWIDTH) == 0) {
        put_paths(json, bench);
        put_transfers(json, run, bench);
    } else if (strcmp(bench->name, BENCH_CONNECTION) == 0) {
        put_paths(json, bench);
        put_connections(json, bench);
    } else if (strcmp(bench->name, BENCH_REMOTEFILE) == 0) {
        put_paths(json, bench);
        put_remote_files(json, bench);
    } else if (strcmp(bench->name, BENCH_NETLOAD) == 0) {
        put_paths(json, bench);
        put_loads(json, bench);
    }
}

PLUGIN_REGISTER(network_json) = {.order = 66, .json = network_json};

/*
 * Metrics of the network besides the lengths of round trips: the rate of each bulk transfer,
 * "netbandwidth.rate[pair.65536.1460]"; more is better. What the link's timing model says and what
 * was sent again are no metrics.
 *
 * If the TSC counts instructions, lengths are ns of virtual time, because waiting executes no
 * instructions.
 */

#define THOUSAND 1e3

static bool is_place(const char *series)
{
    static const char *const names[] = {SERIES_LAW_THERE, SERIES_LAW_BACK, SERIES_SENT_AGAIN};

    return is_named(series, names, sizeof(names) / sizeof(names[0]));
}

/* Uses the units of memory bandwidth. */
static void set_rate(const struct metrics *metrics, struct metric *metric, double rate)
{
    metric->unit = metrics->ticks_per_instruction > 0 ? "B/instruction"
                   : metrics->ns_per_tick > 0         ? UNIT_MB_PER_S
                                                      : "B/tick";
    metric->better = METRIC_MORE;
    metric->n = 1;
    metric->values = alloc_zeroed(sizeof(*metric->values));
    metric->values[0] = metrics->ticks_per_instruction > 0 ? rate * metrics->ticks_per_instruction
                        : metrics->ns_per_tick > 0         ? rate * THOUSAND / metrics->ns_per_tick
                                                           : rate;
}

static void add_rates(struct metrics *metrics, const struct run_bench *bench)
{
    struct transfer transfers[TRANSFERS_MAX];
    const size_t count = transfers_read(metrics->run, bench, transfers);
    char x[METRIC_X_MAX];

    for (size_t i = 0; i < count; i++) {
        if (isfinite(transfers[i].rate)) {
            snprintf(x, sizeof(x), "%s.%" PRId64 ".%" PRId64, transfers[i].path,
                     transfers[i].window, transfers[i].message);
            set_rate(metrics, metrics_add(metrics, bench, "rate", x), transfers[i].rate);
        }
    }
}

/* Converts waits, and gives each round trip on a simulated link its law, there and back. */
static void adjust_trip(const struct metrics *metrics, const struct run_bench *bench,
                        struct metric *metric)
{
    static const char *const laws[] = {SERIES_LAW_THERE, SERIES_LAW_BACK};

    metric_of_law(metrics, bench, metric, SERIES_RTT, laws, 2);
}

PLUGIN_OF(rtt, .order = 500, .metrics = {.places = is_place, .adjust = adjust_trip});
PLUGIN_OF(netbandwidth, .order = 500,
          .metrics = {.places = is_place, .adjust = metric_of_device, .others = add_rates});
PLUGIN_OF(connection, .order = 500, .metrics = {.main = "setup.pair", .adjust = metric_of_device});
PLUGIN_OF(remotefile, .order = 500, .metrics = {.adjust = metric_of_device});
PLUGIN_OF(netload, .order = 500, .metrics = {.main = "loaded.pair", .adjust = metric_of_device});
