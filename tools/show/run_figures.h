/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The figures of a run, for report and export: each reading (tools/present/reading.h) makes its
 * own, and adds nothing where the run has no bench of it. A figure that a bench should have and has
 * not stands as absent, with the reason. Figures of a later pass of a bench are left out, except of
 * the counters, where passes are what is compared.
 */
#pragma once

#include "tools/base/progress.h"
#include "tools/figure/figure.h"
#include "tools/run/run.h"

/* Shows the progress, in parts; NULL: it shows none. */
void run_figures(struct figures *figures, const struct run *run, struct progress *progress);
