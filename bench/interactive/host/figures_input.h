/* SPDX-License-Identifier: BSD-2-Clause */
/* The benches of input events of a run, read once for all figures that are made of them. */
#pragma once

#include "bench/interactive/host/measure/actions.h"
#include "bench/interactive/host/measure/interactive.h"
#include "bench/interactive/host/measure/interactive_summary.h"
#include "bench/interactive/host/measure/latency.h"
#include "tools/present/figure_kit.h"
#include "tools/present/view.h"

#define INPUT_SECTION  "Input events"
#define INPUT_NAME_MAX 192

/* Latencies of a bench by one measure. */
struct input_measure {
    size_t count;    /* of actions; 0: it is not known of any, and nothing below is set */
    int64_t longest; /* of them: ticks */
    /* What is marked in its figures, in ticks: 100 ms, of which users take no notice (section
     * 3.1), where an action takes longer, also of virtual time; else a round length that some
     * exceed, at least three if others do not exceed it. 0: none takes longer than 0. */
    int64_t threshold;
    bool perceptible; /* it is these 100 ms */
};

struct input_bench {
    const struct run_bench *bench;
    const char *why; /* it cannot be shown, and nothing below is set; NULL: it can */
    struct interactive interactive;
    struct actions actions;
    struct latency_groups groups;      /* a curve each */
    struct input_measure of[MEASURES]; /* some response time is above 0 */
    struct interactive_summary *kinds; /* of all that came */
    size_t kind_count;
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

/* "burst: human", "echo". */
const char *input_group_name(const struct input_bench *input, const struct latency_group *group,
                             char text[INPUT_NAME_MAX]);
/* "human [1.234 s]", "[23.45 s]": with the time that passed. */
const char *input_group_elapsed(const struct view *view, const struct latency_group *group,
                                char text[INPUT_NAME_MAX]);

/* A figure for one measure, of those that a page's reader chooses from: its title ends with the
 * measure, and its id, where another measure was chosen. */
__attribute__((format(printf, 6, 7))) struct figure *
input_add_figure(struct figures *figures, enum figure_kind kind, enum measure measure,
                 const char *section, const char *id, const char *title, ...);

/* One bench: profile, histogram and cumulative curves, a curve a group (figures_curves.c). */
void figures_curves(struct figures *figures, const struct run *run, const struct input_bench *input,
                    const char *section);
/* Marks the threshold of the bench: the 0.1 s line, where there is one. */
void input_mark_threshold(struct figure *figure, const struct input_measure *of, double per_tick);
/* A step for each latency, named "BENCH server [12.3 s], total 1.234 s"; or, with `scale` NULL, a
 * line over the number of actions: "server [12.3 s], 820 actions" where `bench` is "". */
void input_add_cumulative(struct figure *figure, const struct view *view, const char *bench,
                          const struct latency_group *group, enum measure measure,
                          const struct figure_scale *scale);

/* All benches side by side: figures 8, 11 and 12, table 2, kinds and stages (figures_latency.c). */
void figures_latency(struct figures *figures, const struct run *run,
                     const struct input_benches *benches);
