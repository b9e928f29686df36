/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as text: verdict, what is wrong with it, machine, clocks, and each bench with the tables
 * that are its own (tools/present/reading.h).
 */
#pragma once

#include <stdio.h>

#include "tools/present/view.h"
#include "tools/run/run.h"

/* Valid or not, why not, and the kind of time. */
void view_verdict(FILE *out, const struct run *run, const struct run_texts *reasons);
/* How each clock was measured by another; `rate` heads the column of its rate. */
void view_estimates_table(struct table *table, const struct run *run, const char *rate);
/* How many benches ended in a state. */
size_t view_count_state(const struct run *run, const char *state);
void view_bench(const struct view *view, const struct run_bench *bench);
/* All of it; `reasons` are those of run_valid(). */
void view_run(const struct view *view, const struct run_texts *reasons);

/*
 * A run in brief: findings, verdict on the data, what identifies the run, one line a bench, and
 * which commands show more.
 */

/* `reasons` are those of run_valid(); `path` is the run file, for the commands. `has_page`: the
 * report is written, and needs no command. */
void view_digest(const struct view *view, const struct run_texts *reasons, const char *path,
                 bool has_page);
