/* SPDX-License-Identifier: BSD-2-Clause */
/* The figures and tables of Endo et al. (OSDI '96) from several runs of the same benches. */
#pragma once

#include <stddef.h>

#include "tools/run/run.h"

#define FIGURES_PAPER_RUNS 5 /* most runs of a report: as many as the paper had of each task */

/* Shows these runs as well in the curves and tables of the paper, as mean and deviation or as
 * curves of their own; at most FIGURES_PAPER_RUNS - 1. The runs must outlive the making of the
 * figures. */
void figures_paper_runs(const struct run *runs, size_t count);
