/* SPDX-License-Identifier: BSD-2-Clause */
#include "bench/network/host/round_trips.h"
#include "bench/disk/names.h"

#include <inttypes.h>
#include <stdio.h>

#include "bench/network/host/paths.h"
#include "bench/network/names.h"
#include "kernel/run/names.h"

const char *const rtt_protocols[RTT_PROTOCOLS] = {PROTOCOL_ICMP, PROTOCOL_UDP, PROTOCOL_TCP};

const char *const rtt_spans[RTT_SPANS] = {SPAN_SEND, SPAN_WIRE,      SPAN_INTERRUPT,
                                          SPAN_PEER, SPAN_WIRE_BACK, SPAN_INTERRUPT_BACK,
                                          SPAN_AWAY, SPAN_STACK,     SPAN_WAKE};

size_t rtt_sizes(const struct run_bench *bench, const char *path, const char *protocol,
                 int64_t sizes[DISK_POINTS_MAX])
{
    char name[NETWORK_NAME_MAX];

    snprintf(name, sizeof(name), SERIES_RTT ".%s.%s", path, protocol);
    return disk_points(bench, name, sizes);
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
    static const char *const names[RTT_WAYS] = {SERIES_WIRE_LAW, SERIES_LAW_BACK};
    static const char *const spans[RTT_WAYS] = {SPAN_WIRE, SPAN_WIRE_BACK};
    char of[NETWORK_NAME_MAX];

    of_text(path, protocol, bytes, of);
    const struct run_series *by_law = network_series(bench, names[way], of);
    const struct run_series *wire = network_series(bench, spans[way], of);
    const struct run_series *rtt = network_series(bench, SERIES_RTT, of);

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
        if (path_is_fact_of(&bench->facts[i], &name, 1)) {
            sum += (uint64_t)bench->facts[i].value;
        }
    }
    return (int64_t)sum;
}

bool rtt_shows_fact(const struct run_fact *fact)
{
    static const char *const names[] = {FACT_TRIPS_LOST, FACT_TRIPS_RESENT};

    return path_shows_fact(fact) || path_is_fact_of(fact, names, sizeof(names) / sizeof(names[0]));
}
