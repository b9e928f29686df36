/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Metrics of phases of input events: how long each took, from its first event's arrival to its last
 * one's effect, and how long of that the processor was busy: "burst.elapsed[fast]",
 * "burst.busy[fast]"; of a bench without phases "echo.elapsed".
 */
#include <string.h>

#include "bench/interactive/host/measure/interactive.h"
#include "bench/interactive/names.h"
#include "tools/base/alloc.h"
#include "tools/present/reading.h"

static struct metric *add_phase(struct metrics *metrics, const struct run_bench *bench,
                                const struct interactive_phase *phase, const char *series,
                                uint64_t ticks)
{
    struct metric *metric = metrics_add(metrics, bench, series, phase->name);

    metric->series = series;
    metric->values = alloc_zeroed(sizeof(*metric->values));
    metric->values[metric->n++] = (double)ticks;
    return metric;
}

/* Elapsed time is the script's as much as the system's: more of it is neither good nor bad. */
static void add_elapsed(struct metrics *metrics, const struct run_bench *bench,
                        const struct interactive_phase *phase)
{
    uint64_t ticks;

    if (phase->known && interactive_elapsed(phase, &ticks)) {
        add_phase(metrics, bench, phase, FACT_ELAPSED, ticks)->better = METRIC_NEITHER;
        add_phase(metrics, bench, phase, FACT_BUSY, phase->busy);
    }
}

static void add_phases(struct metrics *metrics, const struct run_bench *bench)
{
    struct interactive interactive;

    if (bench->group == NULL || strcmp(bench->group, GROUP_INTERACTIVE) != 0 ||
        bench->trace_count == 0) {
        return;
    }
    const bool good = interactive_read(&interactive, bench);

    if (good && interactive.phase_count == 0) {
        add_elapsed(metrics, bench, &interactive.all);
    }
    for (size_t i = 0; good && i < interactive.phase_count; i++) {
        if (interactive.phases[i].name != NULL) {
            add_elapsed(metrics, bench, &interactive.phases[i]);
        }
    }
    interactive_free(&interactive);
}

READING_REGISTER(elapsed_metrics) = {.order = 510, .metrics = {.others = add_phases}};
