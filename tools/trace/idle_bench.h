/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The benches `idle` and `load` of a run, joined for analysis: which interrupt lies in which
 * sample.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/stats/statistics.h"
#include "tools/trace/idle_analysis.h"

/* Interrupts against the idle samples that hold them. */
struct idle_bench {
    const struct run_series *samples;
    const struct run_series *entries;  /* time of each handler's entry since the first sample */
    const struct run_series *handlers; /* bracketed time of each */
    int64_t floor;
    struct idle_event *events;
    size_t event_count;
};

/* The floor of bench `idle`: the median of series floor, which needs no place in time, so that some
 * of it may be missing. False, with the reason in *why, where there is none. */
bool idle_bench_floor(const struct run_bench *bench, int64_t *floor, const char **why);

/* Bench `idle`: series floor, ticking, handler_start, handler. False, with the reason in *why,
 * where something it takes is missing or contradicts. idle_bench_free() afterwards in any case. */
bool idle_bench_ticks(const struct run_bench *bench, struct idle_bench *idle, const char **why);

/* Bench `load`: series samples, entry, work; and what was recovered, to what the image stated
 * before it ran. The same otherwise. */
bool idle_bench_load(const struct run_bench *bench, struct idle_bench *idle,
                     struct idle_recovery *recovery, const char **why);

#define IDLE_TOLERANCE_TEXT_MAX 192
/* What the tolerance is, and what of. */
const char *idle_tolerance_text(const struct idle_tolerance *tolerance,
                                char text[IDLE_TOLERANCE_TEXT_MAX]);

enum idle_column {
    IDLE_HANDLER,    /* bracketed time */
    IDLE_ELONGATION, /* of the sample that holds it */
    IDLE_OVERHEAD,   /* elongation beyond the handler: entry and exit of the interrupt */
};

int64_t idle_event_value(const struct idle_event *event, enum idle_column column);

/* One column over all events that a sample holds. */
void idle_bench_statistics(const struct idle_bench *idle, enum idle_column column,
                           struct statistics *statistics);

/* How far the total recovered is from the total injected, in millionths; NaN without work. */
double idle_recovery_ppm(const struct idle_recovery *recovery);

void idle_bench_free(struct idle_bench *idle);
