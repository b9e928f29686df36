/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the figures of a run, for report and export. Each report plug-in
 * (tools/present/report_plugin.h) makes its own, and none if the run lacks its bench. A figure that
 * a bench should have but lacks is marked as missing, with the reason. Figures show only the first
 * pass of a bench; those of event counters compare passes.
 */
#pragma once

#include "tools/base/progress.h"
#include "tools/figure/figure.h"
#include "tools/run/run.h"

/* Adds all figures of the run. Shows the progress unless `progress` is NULL. */
void run_figures(struct figures *figures, const struct run *run, struct progress *progress);
