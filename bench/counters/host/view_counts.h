/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Views and figures of counted events: counters, counts of each series, ratios of counts.
 */
#pragma once

#include "tools/figure/figure.h"
#include "tools/present/view.h"

/* Prints the counters that do not work as they should, and the events of the plan. Prints nothing
 * if the run reports neither. */
void view_events(const struct view *view);
/* Prints what was counted during each series. Prints nothing if nothing was counted. */
void view_counts(const struct view *view, const struct run_bench *bench);
/* Prints what was counted in each phase of an application. Prints nothing if there are no such
 * counts. */
void view_phase_counts(const struct view *view, const struct run_bench *bench);
/* Prints which counts of the bench come from another source than a counter, so that they are not
 * taken for counted ones. */
void print_count_sources(const struct view *view, const struct run_bench *bench);
/* Prints ratios of the counts of each series. Prints nothing if none can be formed. */
void view_ratios(const struct view *view, const struct run_bench *bench);

/* Prints each kernel's counts and those expected by the manual. */
void view_counters(const struct view *view, const struct run_bench *bench);
void figures_counters(struct figures *figures, const struct run *run);
