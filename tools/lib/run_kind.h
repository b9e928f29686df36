/* SPDX-License-Identifier: BSD-2-Clause */
/* What the ticks of a run are, in words. */
#pragma once

#include "tools/lib/run.h"

#define RUN_KIND_MAX 256

/* Is its time that of a model (tools/sim/sim_run.h)? */
bool run_is_simulated(const struct run *run);

/* "exact time: the TSC counts instructions, ...", "real time, emulated by TCG: ..." */
const char *run_kind_text(const struct run *run, char text[RUN_KIND_MAX]);

/* "own" or "borrow" (kernel/base/handoff.h); NULL: the run does not say. */
const char *run_ownership(const struct run *run);

/* What that means for the figures, in one line; NULL where the run does not say. */
const char *run_ownership_text(const struct run *run, char text[RUN_KIND_MAX]);
