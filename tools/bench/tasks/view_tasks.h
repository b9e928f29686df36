/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Benches of threads in `tare show`.
 */
#pragma once

#include "tools/present/view.h"

/* The order of services, in words. */
void view_order(const struct view *view, const struct run_bench *bench);

/* Of the benches of threads (task_benches.h): switches by the trace and by the bench; shares of the
 * processor, waits for a lock and records against what they must be. */
void view_switches(const struct view *view, const struct run_bench *bench);
void view_aliasing(const struct view *view, const struct run_bench *bench);
void view_inversion(const struct view *view, const struct run_bench *bench);
void view_overload(const struct view *view, const struct run_bench *bench);
