/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All statistics of each metric, as a table of the terminal and of the page.
 */
#pragma once

#include "tools/figure/figure.h"
#include "tools/present/metrics.h"
#include "tools/present/view.h"

/* What there is to know of each metric (metrics.h), of these benches or, of 0 of them, of
 * all; false where there is none. The table has no more than its heads then. */
#define STATISTICS_HOW                                                                            \
    "Values in the order in which they were taken, lengths less what is around them. Quantiles "  \
    "by nearest rank, reported where ten values lie above; 95 %: the median's interval, free of " \
    "any distribution, widened by correlation, none below ten values that vary; at: when the "    \
    "maximum came, or # its number; deviation: of a sample; MAD: median distance from the median."
bool statistics_table(struct table *table, const struct metrics *metrics,
                      const char *const *benches, size_t count);
bool view_statistics(const struct view *view, const char *const *benches, size_t count);

void figures_statistics(struct figures *figures, const struct run *run);
