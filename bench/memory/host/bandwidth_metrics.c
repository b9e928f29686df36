/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics of benches bandwidth and together: bytes a second, an instruction or a tick, where more
 * is better.
 */
#include <math.h>

#include "bench/memory/names.h"
#include "kernel/run/names.h"
#include "tools/present/reading.h"

#define TOGETHER_BYTES 1024 /* of a repetition */

/* Ticks of so many bytes into bytes a second, an instruction or a tick. Trials that cost nothing
 * have no such. */
static void convert(const struct metrics *metrics, double bytes, struct metric *metric)
{
    size_t kept = 0;

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

/* Of an array of x bytes. */
static void to_bandwidth(const struct metrics *metrics, const struct run_bench *bench,
                         struct metric *metric)
{
    (void)bench;
    if (!isnan(metric->x)) {
        convert(metrics, metric->x, metric);
    }
}

/* Of x processors. */
static void to_bandwidth_together(const struct metrics *metrics, const struct run_bench *bench,
                                  struct metric *metric)
{
    (void)bench;
    if (!isnan(metric->x)) {
        convert(metrics, TOGETHER_BYTES, metric);
    }
}

READING_REGISTER(bandwidth_metrics) = {
    .bench = BENCH_BANDWIDTH, .order = 500, .metrics = {.adjust = to_bandwidth}};

READING_REGISTER(together_metrics) = {
    .bench = BENCH_TOGETHER, .order = 500, .metrics = {.adjust = to_bandwidth_together}};
