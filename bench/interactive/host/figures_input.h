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
    /* The latency that is marked in the figures, in ticks: 100 ms, which users do not notice
     * (section 3.1), if some action takes longer, also in virtual time; otherwise a round length
     * below the longest. 0: no action takes longer than 0. */
    int64_t threshold;
    bool perceptible; /* `threshold` is 100 ms */
};

struct input_bench {
    const struct run_bench *bench;
    /* why the bench cannot be shown, with nothing but the next two set; NULL: it can be shown */
    const char *why;
    const struct interactive *interactive; /* from measure/input.h; NULL: it has no trace */
    const struct actions *actions;
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

/* Returns the scale for lengths: in exact time as virtual time, weighted time in cycles of the
 * model.
 */
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
/* Groups of actions, of which figures show a curve each (figures_curves.c). */
struct curves {
    const struct run *run;
    const struct latency_groups *groups;
    enum measure measure;
    double above_ms; /* the groups leave out actions that are not longer */
};

/* Draw the curves in a figure that has none: axes, numbers of actions, series. curves_profile()
 * draws sticks over `elapsed` ticks since groups->begin, and returns the units of axis y in a tick;
 * curves_histogram() draws bins, curves_cumulative() the sum of latencies: steps over the latency,
 * or lines over the number of actions. */
double curves_profile(struct figure *figure, const struct curves *curves, uint64_t elapsed);
void curves_histogram(struct figure *figure, const struct curves *curves, unsigned per_decade);
void curves_cumulative(struct figure *figure, const struct curves *curves);

/* Reads a bench; `why` tells whether there is anything to show. Call input_bench_free() when done.
 */
void input_bench_read(struct input_bench *input, const struct run *run,
                      const struct run_bench *bench);
void input_bench_free(struct input_bench *input);

/* Draws figures 1 to 12 and tables 1 and 2 of the paper (figures_paper.c). Draws nothing if the run
 * has none of their benches. */
void figures_paper(struct figures *figures, const struct run *run,
                   const struct input_benches *benches);

/* Draws all benches together: kinds, stages, classes, intervals (figures_latency.c). */
void figures_latency(struct figures *figures, const struct run *run,
                     const struct input_benches *benches);
