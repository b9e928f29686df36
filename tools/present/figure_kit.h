/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What figures of a run share: scales for ticks, curves, and figures that are absent. Lengths are
 * in instructions where time is exact and a tick counts such, else in units of time; axes name the
 * unit.
 */
#pragma once

#include "tools/figure/figure.h"
#include "tools/present/view.h"
#include "tools/run/curves.h"
#include "tools/run/run.h"

/* A run's ticks in figures. */
struct figure_scale {
    double per_tick;  /* units a tick */
    const char *unit; /* "ns", "us", "ms", "s", "instructions" or "ticks" */
};

/* For lengths of about `typical` ticks: the unit in which such are best read. */
struct figure_scale figure_length_scale(const struct run *run, double typical);
/* For places in time of up to `longest` ticks: of virtual time where time is exact, else ticks
 * where the rate of the TSC is not known or not believed. */
struct figure_scale figure_time_scale(const struct run *run, double longest);
/* "virtual time" where time is exact, "simulated time" of a model, else "time". */
const char *figure_time_label(const struct run *run);

/* A figure "BENCH: TITLE", whose id is "BENCH-ID". */
struct figure *figure_add_of(struct figures *figures, enum figure_kind kind, const char *section,
                             const struct run_bench *bench, const char *title, const char *id);

/* Cells of a table: span_text(), amount_text() of ticks, and mean_text(); "n/a" where it is not
 * known. */
void figure_span(struct figure *figure, const struct view *view, bool known, double ticks);
void figure_amount(struct figure *figure, const struct view *view, bool known, int64_t ticks);
void figure_mean(struct figure *figure, const struct view *view, bool known, double ticks);

/* "processor 3" */
const char *processor_text(uint64_t number, char text[AMOUNT_MAX]);

/* A curve's medians, each with the middle half of its trials: from the first quartile to the third.
 */
void figure_add_curve(struct figure_series *series, const struct curve *curve,
                      const struct figure_scale *scale);

/* Makes y logarithmic where all that is there is above 0 and differs by more than a factor of 20.
 */
void figure_choose_scale(struct figure *figure);

/* The bench's first pass. NULL: it is not in the run, or it has no samples at all; then a figure
 * gives the reason. */
const struct run_bench *figures_find_bench(struct figures *figures, const struct run *run,
                                           const char *section, const char *title,
                                           const char *name);
/* In the place of a figure of a bench whose samples did not all arrive. */
void figure_add_torn(struct figures *figures, const char *section, const char *title,
                     const char *name);
