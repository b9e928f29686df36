/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Figures as tab-separated values, and as scripts of gnuplot (5.4) that draw them from these:
 * ID.gp reads ID.tsv and writes ID.svg, all in the directory where gnuplot is run.
 *
 * Both begin with a line by which a former export is known (GNUPLOT_MARK). Values:
 *
 *     lines, steps, sticks, points   x, y and where there is a deviation low, high; a series is a
 *                                    block, and two empty lines part blocks
 *     histogram                      low, high, y; blocks likewise
 *     bars                           place, y, low, high, group; blocks likewise
 *     heat                           column, row, value, their names
 *     timeline                       begin, end, lane, its name; each state is a block
 *     table                          its heads, then its cells
 *
 * What is not there is NaN.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tools/figure/figure.h"

#define GNUPLOT_MARK "# tare export --format gnuplot"

void gnuplot_values(FILE *out, const struct figure *figure);
/* Is there something to draw? Not in tables, nor where no value can be placed on the axes. */
bool gnuplot_draws(const struct figure *figure);
void gnuplot_script(FILE *out, const struct figure *figure);

/* Did gnuplot_values(), gnuplot_script() or gnuplot itself make the file, going by its name and
 * what it begins with? */
bool gnuplot_is_own(const char *path);
