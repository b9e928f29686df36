/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the findings of a run (kernel/run/finding.h), including those that only the host can derive
 * from a whole run.
 */
#pragma once

#include "kernel/run/finding.h"
#include "tools/run/run.h"

/* Makes the findings. `reasons` are those of run_valid(). The texts live as long as the run. */
void run_findings(const struct run *run, const struct run_texts *reasons,
                  struct findings *findings);
