/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What figures of a run share: scales for ticks, curves, and missing figures. In exact time lengths
 * are in instructions, otherwise in units of time; axes name the unit.
 */
#pragma once

#include "tools/figure/figure.h"
#include "tools/present/view.h"
#include "tools/run/curves.h"
#include "tools/run/run.h"

/* How a run's ticks are scaled in figures. */
struct figure_scale {
    double per_tick;  /* units per tick */
    const char *unit; /* "ns", "us", "ms", "s", "instructions" or "ticks" */
};

/* Returns the scale for lengths of about `typical` ticks, with the unit that reads best. */
struct figure_scale figure_length_scale(const struct run *run, double typical);
/* Returns the scale for places in time of up to `longest` ticks. In exact time they are virtual
 * time. If the rate of the TSC is unknown or not verified, they stay in ticks. */
struct figure_scale figure_time_scale(const struct run *run, double longest);
/* Returns "virtual time" for exact time, shared or not, "time of the emulator" for emulated time,
 * "simulated time" for a model, otherwise "time". */
const char *figure_time_label(const struct run *run);

/* Adds a figure with title "BENCH: TITLE" and id "BENCH-ID". */
struct figure *figure_add_of(struct figures *figures, enum figure_kind kind, const char *section,
                             const struct run_bench *bench, const char *title, const char *id);

/* Add cells to a table: span_text(), and amount_text() of ticks; "n/a" if unknown. */
void figure_span(struct figure *figure, const struct view *view, bool known, double ticks);
void figure_amount(struct figure *figure, const struct view *view, bool known, int64_t ticks);

/* Writes "CPU 3". */
const char *processor_text(uint64_t number, char text[AMOUNT_MAX]);

/* Adds a curve's medians, each with the middle half of its trials: from the first quartile to the
 * third. */
void figure_add_curve(struct figure_series *series, const struct curve *curve,
                      const struct figure_scale *scale);

/* Makes y logarithmic if all values are positive and differ by more than a factor of 20. */
void figure_choose_scale(struct figure *figure);

/* Returns the bench's first pass. If the bench is not in the run, or has no samples at all, returns
 * NULL; in the second case adds a figure with the reason. */
const struct run_bench *figures_find_bench(struct figures *figures, const struct run *run,
                                           const char *section, const char *title,
                                           const char *name);
/* Adds, in place of a figure, that not all samples of the bench arrived. */
void figure_add_torn(struct figures *figures, const char *section, const char *title,
                     const char *name);
