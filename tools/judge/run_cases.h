/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns runs, comparisons and limits into cases for a CI server.
 */
#pragma once

#include "tools/judge/ci_report.h"
#include "tools/judge/compare_views.h"
#include "tools/run/run.h"

/* Adds a run as a suite, with properties that identify it: one case for the validity of the run,
 * and one for each pass of a bench. OK is passed, SKIP skipped, FAIL failed, ERROR and CRASH in
 * error, each with the bench's reason. The message of the first case has the run's findings. The
 * time of a case is that of the bench by the machine's clock, which is virtual in exact time.
 * `reasons` state why the run is not valid. */
void run_cases_add(struct ci_report *report, const char *name, const struct run *run,
                   const struct run_texts *reasons);

/*
 * Adds a suite for each comparison, with a case for each metric: worse is failed; unclear and
 * differs are skipped, with the reason; better, same and changed are passed. Adds a suite for each
 * run with limits, with a case for each limit and metric: broken is failed. A run that is not
 * valid, but was compared by --force, is a failed case of its suite.
 */
void compare_cases_add(struct ci_report *report, const struct compared *compared);
