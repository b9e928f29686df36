/* SPDX-License-Identifier: BSD-2-Clause */
/* What tests ask of a law (tools/sim/law.h) and simulations do not. */
#pragma once

#include <stdbool.h>

#include "tools/sim/law.h"

/* P(X <= x). */
double law_below(const struct sim_law *law, double x);
/* Are they the same, to the last bit? */
bool laws_equal(const struct sim_law *law, const struct sim_law *other);
