/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows input events in `tare show` and in figures: latencies, think and wait.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bench/interactive/host/measure/actions.h"
#include "bench/interactive/host/measure/interactive.h"
#include "bench/interactive/host/measure/latency.h"
#include "bench/interactive/host/measure/think_wait.h"
#include "bench/interactive/host/measure/thresholds.h"
#include "tools/figure/figure.h"
#include "tools/present/view.h"
#include "tools/trace/idle_bench.h"

/* What the user wants to see of a bench's input events. */
struct input_wish {
    bool events;                   /* every event, and the measures over all events */
    bool fsm;                      /* think and wait */
    const double *interarrival_ms; /* thresholds for the table of intervals */
    size_t interarrival_count;
    struct threshold_set thresholds; /* thresholds of responsiveness */
    bool by_action;                  /* every action with its counts */
    uint64_t longest;                /* number of longest actions to list by name; 0: none */
};

/* Returns whether the bench reports input events, by the names of its series or of objects in its
 * traces. */
bool view_has_input(const struct run_bench *bench);
/* Reads the traces and shows what is wished. Returns NULL on success, otherwise the reason why
 * something could not be shown, which it also prints. */
const char *view_input(const struct view *view, const struct run_bench *bench,
                       const struct input_wish *wish);
/* Prints the claims of the paper (claims.h) and what the run answers. Returns false after an error,
 * which it prints, or if a verdict is not the declared one. */
bool view_claims(const struct view *view);
/* Shows a short summary. */
void view_input_summary(const struct view *view, const struct run_bench *bench);

/* Returns the note after the name of a measure: span_note(), or the unit of the model. */
const char *measure_note(const struct view *view, enum measure measure);
/* Adds a length that `n` of `all` have, with n in brackets if not all do; "-" if none does. */
void cell_subset(struct table *table, const struct view *view, size_t n, size_t all, double ticks);

/* Parts of view_input(). */
void view_interactive(const struct view *view, const struct run_bench *bench,
                      const struct interactive *interactive, const struct actions *actions);
void view_latency(const struct view *view, const struct run_bench *bench,
                  const struct actions *actions, const struct latency_groups *groups,
                  const struct input_wish *wish);
void view_actions(const struct view *view, const struct interactive *interactive,
                  const struct actions *actions);
void view_interarrivals(const struct view *view, const struct latency_groups *groups,
                        const struct input_wish *wish);
/* Lists at most `most` transitions. */
void view_think_wait(const struct view *view, const struct think_wait *think_wait, size_t most);

void figures_events(struct figures *figures, const struct run *run);
void figures_think_wait(struct figures *figures, const struct run *run);

/*
 * The longest actions by name, with the systems of one driver next to each other: as text and as
 * JSON (Endo et al. 1996, table 1). Lengths are of the chosen measure. They are times even if time
 * is virtual, because a disk does not count instructions.
 */

struct json;

#define LONGEST_SHOWN 6 /* number of actions in the report and in JSON, as in the paper's table */

void view_longest(const struct view *view, const struct actions *actions, size_t most);
/* Writes the member `longest`. Writes nothing if no action waited for a disk. */
void longest_json(struct json *json, const struct actions *actions);

/*
 * Utilisation of the processor by the idle loop's samples (Endo et al. 1996, section 2.5, figures
 * 1, 3 and 4), for the figures that show it.
 */

/* Draws the whole bench: each sample, and averages over windows (10 ms or longer). Draws nothing if
 * the bench publishes no such samples; if they did not arrive, says so in the figure's place. */
void figure_utilisation(struct figures *figures, const struct run *run,
                        const struct run_bench *bench, const char *section);

/* Draws the same for samples without a place in a trace; time starts at the first sample. */
void figure_utilisation_of(struct figures *figures, const struct run *run,
                           const struct run_bench *bench, const char *section,
                           const struct idle_bench *idle);

/* Sets the axes of a figure, and draws the utilisation for `length` ticks from `from` (TSC) on:
 * each sample, or with `ms` above 0 averages over windows of that length. Call it only if
 * reconcile_init() finds samples. */
void figure_add_utilisation(struct figure *figure, const struct run *run,
                            const struct run_bench *bench, uint64_t from, uint64_t length,
                            double ms);
