/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes the table of all statistics of each metric, for the terminal and for the page.
 */
#pragma once

#include "tools/figure/figure.h"
#include "tools/present/metrics.h"
#include "tools/present/view.h"

/* Make and print the table of statistics of each metric (metrics.h) of the `count` benches; 0: of
 * all. Return false if there are no metrics; the table then has only its headings. */
#define STATISTICS_HOW                                                                            \
    "Values in the order in which they were taken, lengths less what is around them. Quantiles "  \
    "by nearest rank, reported where ten values lie above; 95 %: the median's interval, free of " \
    "any distribution, widened by correlation, none below ten values that vary; at: when the "    \
    "maximum came, or # its number; deviation: of a sample; MAD: median distance from the median."
bool statistics_table(struct table *table, const struct metrics *metrics,
                      const char *const *benches, size_t count);
bool view_statistics(const struct view *view, const char *const *benches, size_t count);

void figures_statistics(struct figures *figures, const struct run *run);
