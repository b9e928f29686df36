/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The mean excess of a law over a bound, E[max(X - x, 0)], which is the integral of its tail from x
 * on: the distribution of residual lives, and the masses of a law on a grid, are made of it.
 */
#pragma once

#include "tools/sim/model/law.h"

/* Of any x; below 0 it is mean - x. */
double sim_law_excess(const struct sim_law *law, double x);
