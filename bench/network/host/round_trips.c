/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/network/host/round_trips.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/disk/names.h"
#include "bench/network/names.h"
#include "tools/run/estimates.h"

const char *const rtt_protocols[RTT_PROTOCOLS] = {PROTOCOL_ICMP, PROTOCOL_UDP, PROTOCOL_TCP};

const char *const rtt_spans[RTT_SPANS] = {SPAN_SEND, SPAN_WIRE,      SPAN_INTERRUPT,
                                          SPAN_PEER, SPAN_WIRE_BACK, SPAN_INTERRUPT_BACK,
                                          SPAN_AWAY, SPAN_STACK,     SPAN_WAKE};

size_t rtt_sizes(const struct run_bench *bench, const char *path, const char *protocol,
                 int64_t sizes[DISK_POINTS_MAX])
{
    char name[NETWORK_NAME_MAX];

    snprintf(name, sizeof(name), SERIES_RTT ".%s.%s", path, protocol);
    return disk_points(bench, name, sizes, 0);
}

static const char *of_text(const char *path, const char *protocol, int64_t bytes,
                           char text[NETWORK_NAME_MAX])
{
    snprintf(text, NETWORK_NAME_MAX, "%s.%s.%" PRId64, path, protocol, bytes);
    return text;
}

bool rtt_of(const struct run_bench *bench, const char *path, const char *protocol, int64_t bytes,
            struct split *split)
{
    char of[NETWORK_NAME_MAX];

    return split_of(bench, SERIES_RTT, rtt_spans, RTT_SPANS, of_text(path, protocol, bytes, of),
                    split);
}

bool rtt_law_of(const struct run_bench *bench, const char *path, const char *protocol,
                int64_t bytes, size_t way, struct rtt_law *law)
{
    static const char *const names[RTT_WAYS] = {SERIES_LAW_THERE, SERIES_LAW_BACK};
    static const char *const spans[RTT_WAYS] = {SPAN_WIRE, SPAN_WIRE_BACK};
    char of[NETWORK_NAME_MAX];

    of_text(path, protocol, bytes, of);
    const struct run_series *by_law = series_of(bench, names[way], of);
    const struct run_series *wire = series_of(bench, spans[way], of);
    const struct run_series *rtt = series_of(bench, SERIES_RTT, of);

    if (by_law == NULL || wire == NULL || rtt == NULL || by_law->n != rtt->n || wire->n != rtt->n) {
        return false;
    }
    *law = (struct rtt_law){names[way], spans[way], by_law->samples, wire->samples};
    return true;
}

int64_t rtt_facts(const struct run_bench *bench, const char *name)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < bench->fact_count; i++) {
        if (is_named(bench->facts[i].name, &name, 1)) {
            sum += (uint64_t)bench->facts[i].value;
        }
    }
    return (int64_t)sum;
}

bool rtt_shows_fact(const struct run_fact *fact)
{
    static const char *const names[] = {FACT_TRIPS_LOST, FACT_TRIPS_RESENT};

    return path_shows_fact(fact) || is_named(fact->name, names, sizeof(names) / sizeof(names[0]));
}

#define CONNECTION_ROW "12"

#define OF_SETUP(part) SERIES_SETUP "." part

static const char *const setup_series[SETUP_PARTS] = {OF_SETUP(PART_SYN), OF_SETUP(PART_ANSWER),
                                                      OF_SETUP(PART_ESTABLISHED)};
static const char *const setup_parts[SETUP_PARTS] = {PART_SYN, PART_ANSWER, PART_ESTABLISHED};
static const char *const overhead_parts[OVERHEAD_PARTS] = {SERIES_RAW, SERIES_OVERHEAD};

bool connection_setup_of(const struct run_bench *bench, const char *path, struct split *split)
{
    const bool there = split_of(bench, SERIES_SETUP, setup_series, SETUP_PARTS, path, split);

    split->names = setup_parts;
    return there;
}

bool connection_overhead_of(const struct run_bench *bench, const char *path, struct split *split)
{
    return split_of(bench, SERIES_TCP, overhead_parts, OVERHEAD_PARTS, path, split);
}

const struct estimates_row *connection_report(void)
{
    const struct estimates_row *row;

    for (size_t i = 0; (row = estimates_row_at(i)) != NULL; i++) {
        if (strcmp(row->number, CONNECTION_ROW) == 0) {
            return row;
        }
    }
    return NULL;
}

#define REMOTE_FILE_ROW "15"
/* number of blocks; the row has the time of one block */
#define BLOCKS ((double)REMOTE_REPORT_BYTES / 4096)

const char *const remote_orders[REMOTE_ORDERS] = {ORDER_SEQUENTIAL_READ, ORDER_RANDOM_READ};

size_t remote_sizes(const struct run_bench *bench, int64_t sizes[DISK_POINTS_MAX])
{
    char name[NETWORK_NAME_MAX];
    size_t count = 0;

    for (size_t i = 0; i < (size_t)REMOTE_ORDERS * NETWORK_PATHS; i++) {
        snprintf(name, sizeof(name), "%s.%s", remote_orders[i / NETWORK_PATHS],
                 network_paths[i % NETWORK_PATHS]);
        count = disk_points(bench, name, sizes, count);
    }
    return count;
}

static const struct run_fact *total_of(const struct run_bench *bench, const char *order,
                                       const char *path, int64_t bytes)
{
    return run_fact_named(bench, PREFIX_TOTAL "%s.%s.%" PRId64, order, path, bytes);
}

bool remote_file_of(const struct run_bench *bench, const char *order, const char *path,
                    int64_t bytes, struct remote_file *file)
{
    char name[NETWORK_NAME_MAX];

    snprintf(name, sizeof(name), "%s.%s", order, path);
    const struct run_series *series = disk_series(bench, name, bytes);
    const struct run_fact *total = total_of(bench, order, path, bytes);
    const struct run_fact *local = total_of(bench, order, PATH_LOCAL, bytes);

    if (series == NULL || total == NULL) {
        return false;
    }
    *file = (struct remote_file){
        .total = total->value,
        .of_local =
            local != NULL && local->value > 0 ? (double)total->value / (double)local->value : NAN,
    };
    statistics_of(series->samples, series->n, &file->block);
    return true;
}

double remote_report_ratio(void)
{
    const struct estimates_row *row;

    for (size_t i = 0; (row = estimates_row_at(i)) != NULL; i++) {
        for (size_t k = 0; strcmp(row->number, REMOTE_FILE_ROW) == 0 && k < ESTIMATES_FILES; k++) {
            if (estimates_files[k].bytes == REMOTE_REPORT_BYTES) {
                return row->reported * BLOCKS / estimates_files[k].sequential_ns;
            }
        }
    }
    return NAN;
}
