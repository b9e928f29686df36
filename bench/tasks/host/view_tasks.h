/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Benches of threads in `tare show`.
 */
#pragma once

#include "tools/present/view.h"

/* The order of services, in words. */
void view_order(const struct view *view, const struct run_bench *bench);
