/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Shows response-time models in `tare show` and in figures: runs on the real kernel, and
 * replications of simulations.
 */
#pragma once

#include "tools/figure/figure.h"
#include "tools/present/view.h"

/* Shows responses and waits of the model, the kernel's own costs, and the order of services. */
void view_model(const struct view *view, const struct run_bench *bench);

void figures_model(struct figures *figures, const struct run *run);
