/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Builds runs from given values, for tests of code that reads runs. Texts are not copied.
 */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "kernel/trace/packet.h"
#include "tools/base/alloc.h"
#include "tools/base/trace_bytes.h"
#include "tools/run/run.h"

/* Adds a complete series; of, event: NULL, or the series and event that it counts. */
static inline struct run_series *build_series(struct run_bench *bench, const char *name,
                                              const char *of, const char *event,
                                              const int64_t *samples, size_t n)
{
    struct run_series *series = run_add_series(bench);

    *series = (struct run_series){
        .name = name,
        .unit = event != NULL ? "count" : "tick",
        .of = of,
        .event = event,
        .n = (uint32_t)n,
        .received = n,
        .samples = alloc_zeroed(n * sizeof(*samples)),
        .ranges = alloc_zeroed(sizeof(*series->ranges)),
        .range_count = n > 0,
    };
    if (n > 0) {
        memcpy(series->samples, samples, n * sizeof(*samples));
        series->ranges[0] = (struct run_range){0, (uint32_t)n};
    }
    return series;
}

/* Removes sample `index` of a complete series, which must not be its first or last. */
static inline void build_hole(struct run_series *series, uint32_t index)
{
    free(series->ranges);
    series->ranges = alloc_zeroed(2 * sizeof(*series->ranges));
    series->ranges[0] = (struct run_range){0, index};
    series->ranges[1] = (struct run_range){index + 1, series->n - index - 1};
    series->range_count = 2;
    memmove(series->samples + index, series->samples + index + 1,
            (series->n - index - 1) * sizeof(*series->samples));
    series->received--;
}

static inline void build_fact(struct run_bench *bench, const char *name, int64_t value)
{
    *run_add_fact(bench) = (struct run_fact){name, value, "count"};
}

static inline struct run_bench *build_bench(struct run *run, const char *name, uint32_t pass)
{
    struct run_bench *bench = run_add_bench(run, name);

    bench->state = "OK";
    bench->pass = pass;
    return bench;
}

/* Adds the next part of the bench's trace, with complete packets, which are copied; the caller sets
 * the other members. */
static inline struct run_trace *build_trace(struct run_bench *bench, const void *packets,
                                            size_t count)
{
    struct run_trace *trace = run_add_trace(bench);

    *trace = (struct run_trace){
        .part = (uint32_t)bench->trace_count,
        .mode = "stop",
        .packet_bytes = TRACE_PACKET_BYTES,
        .claimed = (uint64_t)count * TRACE_PACKET_BYTES,
        .packets = trace_bytes_memory(packets, count * TRACE_PACKET_BYTES),
    };
    return trace;
}

static inline void build_object(struct run_bench *bench, const char *kind, uint32_t id,
                                const char *name)
{
    *run_add_object(bench) = (struct run_object){.kind = kind, .id = id, .name = name};
}
