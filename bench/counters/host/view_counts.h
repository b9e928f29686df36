/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counted events in `tare show` and in figures: counters, counts of each series, ratios of counts.
 */
#pragma once

#include "tools/figure/figure.h"
#include "tools/present/view.h"

/* The counters that are not as they should be, and the events of the plan; nothing where the run
 * reports neither. */
void view_events(const struct view *view);
/* What was counted during each series; nothing where nothing was. */
void view_counts(const struct view *view, const struct run_bench *bench);
/* What was counted in each phase of an application; nothing where there are no such counts. */
void view_phase_counts(const struct view *view, const struct run_bench *bench);
/* Names the counts of the bench that no counter made: they must not pass for such. */
void print_count_sources(const struct view *view, const struct run_bench *bench);
/* Ratios of the counts of each series; nothing where none can be formed. */
void view_ratios(const struct view *view, const struct run_bench *bench);

/* Each kernel's counts against those by the manual. */
void view_counters(const struct view *view, const struct run_bench *bench);
void figures_counters(struct figures *figures, const struct run *run);
