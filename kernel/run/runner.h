/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the benches that a plan names, one after the other. A bench that crashes does not end the
 * run.
 */
#pragma once

#include <stdbool.h>

#include "kernel/plan/plan.h"
#include "kernel/run/settings.h"

/* Reads and checks the plan (settings_read()), and passes the settings on to each part of the
 * runner. Returns false with `error` set if the plan is wrong. */
bool runner_read_plan(struct plan *plan, struct run_settings *settings, char error[PLAN_ERROR_MAX]);

/* Runs the benches, with records, samples and one line of text for each. Calls `between` after each
 * bench, when nothing runs and nothing is open, and `round` between the rounds of a bench; NULL:
 * nothing is saved there. */
void runner_run(const struct run_settings *settings, void (*between)(void), void (*round)(void));

/* Calls `round` of runner_run(), unless the plan counts events: the counters run then. The time
 * base is verified before, and again from then on, because firmware may change the reference
 * clocks. */
void runner_save_round(void);

/* Returns the name of the bench that runs now, or NULL: for reports of exceptions. */
const char *runner_current(void);
