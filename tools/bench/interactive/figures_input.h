/* SPDX-License-Identifier: BSD-2-Clause */
/* The benches of input events of a run, read once for all figures that are made of them. */
#pragma once

#include "kernel/input/event.h"
#include "tools/bench/interactive/interactive.h"
#include "tools/bench/interactive/interactive_summary.h"
#include "tools/bench/interactive/latency_events.h"
#include "tools/present/figure_kit.h"

#define INPUT_SECTION "Input events"

struct input_bench {
    const struct run_bench *bench;
    const char *why; /* it cannot be shown, and nothing below is set; NULL: it can */
    struct interactive interactive;
    struct latency_events events;      /* response times; more than 0 of them */
    struct interactive_summary *kinds; /* of all that came */
    size_t kind_count;
    int64_t longest; /* of them: ticks, above 0 */
    /* What is marked in its figures, in ticks: 100 ms, of which users take no notice (section
     * 3.1), where time is real and an event takes longer; else a round length that some exceed, at
     * least three if others do not exceed it. */
    int64_t threshold;
    bool perceptible; /* it is these 100 ms */
};

struct input_benches {
    struct input_bench *item;
    size_t count, capacity;
};

/* Is it one of the benches that are there for input events? */
bool input_is_interactive(const struct run_bench *bench);
/* Such a bench, or another that reports input events, in its first pass. */
bool input_is_shown(const struct run *run, const struct run_bench *bench);

/* The lengths of round numbers, in the unit of `scale`, below a length in ticks: the `back`-th
 * of ... 1, 2, 5, 10, ..., from the next below (0) on. */
int64_t input_round_below(int64_t length, const struct figure_scale *scale, unsigned back);

/* All benches that input_is_shown() names, those that cannot be shown too. */
void input_benches_read(struct input_benches *benches, const struct run *run);
void input_benches_free(struct input_benches *benches);

/* All benches side by side: figures 8, 11 and 12, table 2, kinds and stages (figures_latency.c). */
void figures_latency(struct figures *figures, const struct run *run,
                     const struct input_benches *benches);
