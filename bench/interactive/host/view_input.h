/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input events in `tare show` and in figures: latencies, think and wait.
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

/*
 * The longest actions by name, the systems of each driver beside each other: as text, as JSON, and
 * as a table of the report (Endo et al. 1996, table 1). A length is of the chosen measure, and in
 * time, also where that is virtual: a disk counts no instructions.
 */

struct json;

#define LONGEST_SHOWN 6 /* of the report and of JSON: as many as the paper's table has */

void view_longest(const struct view *view, const struct actions *actions, size_t most);
/* The member `longest`; nothing where no action waited for a disk. */
void longest_json(struct json *json, const struct actions *actions);
/* The same in the report. */
void figure_longest(struct figures *figures, const struct run *run, const struct run_bench *bench,
                    const struct actions *actions, const char *section);

/*
 * Utilisation of the processor by the idle loop's samples (Endo et al. 1996, section 2.5, figures
 * 1, 3 and 4), for the parts of run_figures.h that show it.
 */

/* A whole bench: of each sample, and averaged over 10 and 100 ms. Nothing where the bench has no
 * such samples; absent where they did not arrive. */
void figure_utilisation(struct figures *figures, const struct run *run,
                        const struct run_bench *bench, const char *section);

/* The same of samples that have no place in a trace, from the first one's begin on. */
void figure_utilisation_of(struct figures *figures, const struct run *run,
                           const struct run_bench *bench, const char *section,
                           const struct idle_bench *idle);

/* Around the longest action, which begins at `begin` (TSC) and takes `length` ticks: of each
 * sample, and by the trace, or over 10 ms where it is long. Nothing of one shorter than a sample,
 * nor where it would be most of the bench. */
void figure_close_up(struct figures *figures, const struct run *run, const struct run_bench *bench,
                     const char *section, uint64_t begin, int64_t length);
