/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as a suite: a case that the run is valid, and one for each pass of a bench. OK passed, SKIP
 * skipped, FAIL failed, ERROR and CRASH in error, each with the bench's reason. The first case has
 * the run's findings as its message. The time of a case is that of the bench by the machine's
 * clock, which is virtual in exact time.
 */
#pragma once

#include "tools/judge/ci_report.h"
#include "tools/run/run.h"

/* What identifies a run: version of tare, kind of time, machine, firmware, emulator, image, plan.
 */
void run_properties_add(struct ci_suite *suite, const struct run *run);

/* `reasons`: why the run is not valid. */
void run_cases_add(struct ci_report *report, const char *name, const struct run *run,
                   const struct run_texts *reasons);
