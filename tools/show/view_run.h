/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints a run as text: verdict, problems, machine, clocks, and each bench with the tables that its
 * report plug-in (tools/present/report_plugin.h) makes.
 */
#pragma once

#include <stdio.h>

#include "tools/present/view.h"
#include "tools/run/run.h"
#include "tools/trace/view_trace.h"

/* Prints whether the run is valid, the reasons if it is not, and the time base. */
void view_verdict(FILE *out, const struct run *run, const struct run_texts *reasons);
/* Makes the table of clocks, each measured by another; `rate` is the heading of the column with its
 * rate. */
void view_estimates_table(struct table *table, const struct run *run, const char *rate);
/* Returns the number of benches that ended in this state. */
size_t view_count_state(const struct run *run, const char *state);
extern const struct trace_wish view_bench_wish; /* what view_bench() shows of traces */
void view_bench(const struct view *view, const struct run_bench *bench);
/* Prints the whole run; `reasons` are those of run_valid(). */
void view_run(const struct view *view, const struct run_texts *reasons);

/*
 * A run in brief: findings, verdict on the data, what identifies the run, one line for each bench,
 * and the commands that show more.
 */

/* Prints a run in brief. `reasons` are those of run_valid(); `path` is the run file, for the
 * commands. `has_page`: the page is already written, and its command is left out. */
void view_digest(const struct view *view, const struct run_texts *reasons, const char *path,
                 bool has_page);
