/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Comparisons and limits as cases for a CI server.
 *
 * A suite for each comparison, with a case for each metric: worse failed; unclear, and differs,
 * skipped, with the reason; better, same and changed passed. A suite for each run that limits are
 * for, with a case for each limit and metric: broken failed. A run that is not valid, and was
 * compared by --force, is a failed case of its suite.
 */
#pragma once

#include "tools/judge/ci_report.h"
#include "tools/judge/compare_views.h"

void compare_cases_add(struct ci_report *report, const struct compared *compared);
