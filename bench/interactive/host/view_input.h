/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input events in `tare show` and in figures: latencies, think and wait.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bench/interactive/host/measure/interactive.h"
#include "bench/interactive/host/measure/latency_events.h"
#include "bench/interactive/host/measure/think_wait.h"
#include "bench/interactive/host/measure/thresholds.h"
#include "kernel/input/event.h"
#include "tools/figure/figure.h"
#include "tools/present/view.h"

/* What is to be shown of a bench's input events. */
struct input_wish {
    bool events;                   /* each of them, and the measures of all */
    bool fsm;                      /* think and wait */
    const double *interarrival_ms; /* thresholds of the table of interarrivals */
    size_t interarrival_count;
    struct threshold_set thresholds; /* of responsiveness */
    size_t longest;                  /* so many of the longest actions by name; 0: none */
};

/* Does the bench report input events, by the names of its series or of objects in its traces? */
bool view_has_input(const struct run_bench *bench);
/* Reads the traces and shows it; NULL, or why something could not be shown, which is printed in its
 * place. */
const char *view_input(const struct view *view, const struct run_bench *bench,
                       const struct input_wish *wish);
/* The same in a paragraph. */
void view_input_summary(const struct view *view, const struct run_bench *bench);

/* The parts of view_input(). */
/* `shown`: of each event, whether it is to be in the list; NULL: all are. */
void view_input_list(const struct view *view, const struct interactive *interactive,
                     const bool *shown);
void view_interactive(const struct view *view, const struct run_bench *bench,
                      const struct interactive *interactive, const struct actions *actions);
void view_latency(const struct view *view, const struct run_bench *bench,
                  const struct actions *actions, const struct latency_groups *groups,
                  const struct input_wish *wish);
void view_interarrivals(const struct view *view, const struct latency_groups *groups,
                        const struct input_wish *wish);
/* `most`: how many transitions are listed, at most. */
void view_think_wait(const struct view *view, const struct think_wait *think_wait, size_t most);

void figures_events(struct figures *figures, const struct run *run);
void figures_think_wait(struct figures *figures, const struct run *run);
