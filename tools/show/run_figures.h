/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The figures of a run, for report and export: each source file figures_*.c makes those of one
 * question, and adds nothing where the run has no bench of it. A figure that a bench should have
 * and has not stands as absent, with the reason.
 *
 * Lengths are in instructions where time is exact and a tick counts such, else in units of time;
 * axes say which. Figures of a later pass of a bench are left out but where they are what is asked
 * for (counters).
 */
#pragma once

#include "tools/figure/figure.h"
#include "tools/run/curves.h"
#include "tools/run/run.h"

/* Who is to be told how far it is, in parts; `tell` NULL: nobody. */
struct figures_progress {
    void (*tell)(void *context, size_t done, size_t parts);
    void *context;
};

void run_figures(struct figures *figures, const struct run *run,
                 const struct figures_progress *progress);

/* The parts, in this order. */
void figures_system(struct figures *figures, const struct run *run);     /* figures_system.c */
void figures_idle(struct figures *figures, const struct run *run);       /* figures_idle.c */
void figures_events(struct figures *figures, const struct run *run);     /* figures_events.c */
void figures_think_wait(struct figures *figures, const struct run *run); /* figures_think_wait.c */
void figures_counters(struct figures *figures, const struct run *run);   /* figures_counters.c */
void figures_threads(struct figures *figures, const struct run *run);    /* figures_threads.c */
void figures_noise(struct figures *figures, const struct run *run);      /* figures_noise.c */
void figures_memory(struct figures *figures, const struct run *run);     /* figures_memory.c */
void figures_processors(struct figures *figures, const struct run *run); /* figures_processors.c */
void figures_replications(struct figures *figures,
                          const struct run *run);                   /* figures_replications.c */
void figures_sweep(struct figures *figures, const struct run *run); /* figures_sweep.c */
void figures_model(struct figures *figures, const struct run *run); /* figures_model.c */
void figures_statistics(struct figures *figures, const struct run *run); /* figures_statistics.c */

/* Shared by them: a run's ticks in figures. */
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

/* A curve's medians, each with the middle half of its trials: from the first quartile to the third.
 */
void figure_add_curve(struct figure_series *series, const struct curve *curve,
                      const struct figure_scale *scale);

/* Makes y logarithmic where all that is there is above 0 and differs by more than a factor of 20.
 */
void figure_choose_scale(struct figure *figure);

/* The bench's first pass. NULL: it is not in the run, or it has no samples at all; then a figure
 * says why. */
const struct run_bench *figures_find_bench(struct figures *figures, const struct run *run,
                                           const char *section, const char *title,
                                           const char *name);
/* In the place of a figure of a bench whose samples did not all arrive. */
void figure_add_torn(struct figures *figures, const char *section, const char *title,
                     const char *name);
