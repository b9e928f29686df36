/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the benches that a plan names, one after the other, and survives each.
 */
#pragma once

#include <stdbool.h>

#include "kernel/plan/plan.h"
#include "kernel/run/settings.h"

/* settings_read(), and each part of the runner has what concerns it. */
bool runner_read_plan(struct plan *plan, struct run_settings *settings, char error[PLAN_ERROR_MAX]);

/* Runs the benches, with their records, samples and one line of text each; `between` is called
 * behind each of them, with nothing running or open. */
void runner_run(const struct run_settings *settings, void (*between)(void));

/* Name of the bench that runs now, or NULL: for reports of exceptions. */
const char *runner_current(void);
