/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics of the network beyond the lengths of round trips: the rate of each bulk transfer,
 * "netbandwidth.rate[pair.65536.1460]", of which more is better. What a wire's law has and
 * what was sent again is no metric.
 *
 * Where the TSC counts instructions, lengths are ns of virtual time: a wait is none of them.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/network/host/transfers.h"
#include "bench/network/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/present/reading.h"

#define THOUSAND 1e3

static bool is_place(const char *series)
{
    static const char *const names[] = {SERIES_WIRE_LAW, SERIES_LAW_BACK, SERIES_SENT_AGAIN};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const size_t length = strlen(names[i]);

        if (strncmp(series, names[i], length) == 0 && series[length] == '.') {
            return true;
        }
    }
    return false;
}

/* Units as those of memory's bandwidth. */
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

READING_REGISTER(rtt_metrics) = {
    .bench = BENCH_RTT, .order = 500, .metrics = {.places = is_place, .adjust = metric_of_waits}};
READING_REGISTER(netbandwidth_metrics) = {
    .bench = BENCH_NETBANDWIDTH,
    .order = 500,
    .metrics = {.places = is_place, .adjust = metric_of_waits, .others = add_rates}};
READING_REGISTER(connection_metrics) = {
    .bench = BENCH_CONNECTION,
    .order = 500,
    .metrics = {.main = "setup.pair", .adjust = metric_of_waits}};
READING_REGISTER(remotefile_metrics) = {
    .bench = BENCH_REMOTEFILE, .order = 500, .metrics = {.adjust = metric_of_waits}};
READING_REGISTER(netload_metrics) = {.bench = BENCH_NETLOAD,
                                     .order = 500,
                                     .metrics = {.main = "loaded.pair", .adjust = metric_of_waits}};
