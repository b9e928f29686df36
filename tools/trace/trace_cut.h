/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run without what lies outside a window of time: --from and --to of show, export and report.
 *
 * A trace becomes one that begins where the window does. It begins with events that state what ran
 * (trace_state.h), which cost nothing (run_trace.restated), and has the records of the window as
 * they were. Times of the window count as time_window.h has it. A trace that lies outside is gone.
 * Series with times are cut as well (tools/run/series_cut.h); other series and all facts stay those
 * of the whole run.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/run/run.h"

/* [from, to) in ticks; `text` describes it. False: packets cannot be read or kept, with a line in
 * run->losses. */
bool run_cut(struct run *run, uint64_t from, uint64_t to, const char *text);
