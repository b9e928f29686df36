/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics of bench bandwidth: bytes a second, an instruction or a tick, where more is better.
 */
#include <math.h>

#include "bench/memory/names.h"
#include "kernel/run/names.h"
#include "tools/present/reading.h"

/* Ticks of so many bytes into bytes a second, an instruction or a tick. Trials that cost nothing
 * have no such. */
static void to_bandwidth(const struct metrics *metrics, const struct run_bench *bench,
                         struct metric *metric)
{
    const double bytes = metric->x;
    size_t kept = 0;

    (void)bench;
    if (isnan(bytes)) {
        return;
    }

    for (size_t i = 0; i < metric->n; i++) {
        const double ticks = metric->values[i];

        if (ticks <= 0) {
            continue;
        }
        metric->values[kept++] =
            metrics->ticks_per_instruction > 0 ? bytes * metrics->ticks_per_instruction / ticks
            : metrics->ns_per_tick > 0         ? bytes * 1e3 / (ticks * metrics->ns_per_tick)
                                               : bytes / ticks;
    }
    metric->n = kept;
    metric->better = METRIC_MORE;
    metric->unit = metrics->ticks_per_instruction > 0 ? "B/instruction"
                   : metrics->ns_per_tick > 0         ? UNIT_MB_PER_S
                                                      : "B/tick";
}

READING_REGISTER(bandwidth_metrics) = {
    .bench = BENCH_BANDWIDTH, .order = 500, .metrics = {.adjust = to_bandwidth}};
