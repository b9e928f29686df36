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
    "Values in the order in which they were taken; lengths without measurement overhead. "        \
    "Quantiles by nearest rank, reported if ten values lie above; 95 %: interval of the median, " \
    "without assuming a distribution, wider if values are correlated, none for fewer than ten "   \
    "values that vary; at: when the maximum occurred, or # its index; deviation: standard "       \
    "deviation of the samples; MAD: median absolute deviation from the median."
bool statistics_table(struct table *table, const struct metrics *metrics,
                      const char *const *benches, size_t count);
bool view_statistics(const struct view *view, const char *const *benches, size_t count);

void figures_statistics(struct figures *figures, const struct run *run);
