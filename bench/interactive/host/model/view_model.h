/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Response-time models in `tare show` and in figures: on the real kernel, and replications.
 */
#pragma once

#include "tools/figure/figure.h"
#include "tools/present/view.h"

/* Responses and waits of the model, the kernel's own costs, and the order of services. */
void view_model(const struct view *view, const struct run_bench *bench);

void figures_model(struct figures *figures, const struct run *run);
