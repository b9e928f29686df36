/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Findings of a run (kernel/run/finding.h), with what only the host derives from a whole run.
 */
#pragma once

#include "kernel/run/finding.h"
#include "tools/run/run.h"

/* `reasons` are those of run_valid(). Texts of the findings live as long as the run. */
void run_findings(const struct run *run, const struct run_texts *reasons,
                  struct findings *findings);
