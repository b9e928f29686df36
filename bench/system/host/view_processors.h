/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Benches of several processors in `tare show` and in figures.
 */
#pragma once

#include "tools/figure/figure.h"
#include "tools/present/view.h"

/* Of the benches of several processors: the matrix of cache lines from core to core, locks and a
 * barrier by who wants them, interrupts to others and skews. */
void view_lines(const struct view *view, const struct run_bench *bench);
void view_contention(const struct view *view, const struct run_bench *bench);
void view_ipi(const struct view *view, const struct run_bench *bench);

void figures_processors(struct figures *figures, const struct run *run);
