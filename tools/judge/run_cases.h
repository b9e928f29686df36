/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs, comparisons and limits as cases for a CI server.
 */
#pragma once

#include "tools/judge/ci_report.h"
#include "tools/judge/compare_views.h"
#include "tools/run/run.h"

/* A run as a suite, with properties that identify it: a case that the run is valid, and one for
 * each pass of a bench. OK passed, SKIP skipped, FAIL failed, ERROR and CRASH in error, each with
 * the bench's reason. The first case has the run's findings as its message. The time of a case is
 * that of the bench by the machine's clock, which is virtual in exact time. `reasons`: why the run
 * is not valid. */
void run_cases_add(struct ci_report *report, const char *name, const struct run *run,
                   const struct run_texts *reasons);

/*
 * A suite for each comparison, with a case for each metric: worse failed; unclear, and differs,
 * skipped, with the reason; better, same and changed passed. A suite for each run that limits are
 * for, with a case for each limit and metric: broken failed. A run that is not valid, and was
 * compared by --force, is a failed case of its suite.
 */
void compare_cases_add(struct ci_report *report, const struct compared *compared);
