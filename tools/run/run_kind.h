/* SPDX-License-Identifier: BSD-2-Clause */
/* The kind of time and the ownership of a run, in words. */
#pragma once

#include "tools/run/run.h"

#define RUN_KIND_MAX 256

/* Is its time that of a model (tools/sim/results/sim_run.h)? */
bool run_is_simulated(const struct run *run);

/* "exact time: the TSC counts instructions, ...", "real time, emulated by TCG: ..." */
const char *run_kind_text(const struct run *run, char text[RUN_KIND_MAX]);

/* What that means for the figures, in one line; NULL: unknown. */
const char *run_ownership_text(const struct run *run, char text[RUN_KIND_MAX]);
