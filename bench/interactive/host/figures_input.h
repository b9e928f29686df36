/* SPDX-License-Identifier: BSD-2-Clause */
/* The benches of a run that have input events, read once for all their figures. */
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
    size_t count;    /* number of actions; 0: it is known of none, and nothing below is set */
    int64_t longest; /* longest latency, in ticks */
    /* The latency that is marked in the figures, in ticks. It is 100 ms, which users do not notice
     * (section 3.1), if some action takes longer, also in virtual time. Otherwise it is a round
     * length that at least three actions exceed but not all of them; if there is none, one that the
     * longest action exceeds. 0: no action takes longer than 0. */
    int64_t threshold;
    bool perceptible; /* `threshold` is 100 ms */
};

struct input_bench {
    const struct run_bench *bench;
    /* why the bench cannot be shown, with nothing below set; NULL: it can be shown */
    const char *why;
    struct interactive interactive;
    struct actions actions;
    struct latency_groups groups;      /* one curve for each group */
    struct input_measure of[MEASURES]; /* the longest response time is above 0 */
    struct interactive_summary *kinds; /* summaries of all events that came */
    size_t kind_count;
};

struct input_benches {
    struct input_bench *item;
    size_t count, capacity;
};

/* Returns whether the bench is one of those made for input events. */
bool input_is_interactive(const struct run_bench *bench);
/* Returns whether the bench is shown: in its first pass, and made for input events or reporting
 * some. */
bool input_is_shown(const struct run *run, const struct run_bench *bench);

/* Returns, in ticks, a round length (1, 2 or 5 times a power of ten, in the unit of `scale`) below
 * `length`: the next one for `back` = 0, and for each further `back` the next smaller one. */
int64_t input_round_below(int64_t length, const struct figure_scale *scale, unsigned back);

/* As figure_length_scale(); lengths of weighted time are in cycles of the model. */
struct figure_scale input_length_scale(const struct run *run, enum measure measure, double typical);

/* Writes a name such as "burst: human" or "echo". Returns `text`. */
const char *input_group_name(const struct input_bench *input, const struct latency_group *group,
                             char text[INPUT_NAME_MAX]);
/* Writes a name with the elapsed time, such as "human [1.234 s]" or "[23.45 s]". Returns `text`. */
const char *input_group_elapsed(const struct view *view, const struct latency_group *group,
                                char text[INPUT_NAME_MAX]);

/* Adds a figure for one measure, of which the reader of a page chooses one. The title ends with the
 * measure; so does the id, unless it is the chosen measure. */
__attribute__((format(printf, 6, 7))) struct figure *
input_add_figure(struct figures *figures, enum figure_kind kind, enum measure measure,
                 const char *section, const char *id, const char *title, ...);

/* Draws one bench: profile, histogram and cumulative curves, with a curve for each group
 * (figures_curves.c). */
void figures_curves(struct figures *figures, const struct run *run, const struct input_bench *input,
                    const char *section);
/* Marks the bench's threshold; labels it if it is 0.1 s. */
void input_mark_threshold(struct figure *figure, const struct input_measure *of, double per_tick);
/* Adds a cumulative curve to a figure. With `scale`, it is a step for each latency, named "BENCH
 * server [12.3 s], total 1.234 s". With `scale` NULL, it is a line over the number of actions,
 * named "BENCH server [12.3 s], 820 actions". `bench` may be "". */
void input_add_cumulative(struct figure *figure, const struct view *view, const char *bench,
                          const struct latency_group *group, enum measure measure,
                          const struct figure_scale *scale);

/* Draws all benches together: figures 8, 11 and 12, table 2, kinds and stages (figures_latency.c).
 */
void figures_latency(struct figures *figures, const struct run *run,
                     const struct input_benches *benches);
