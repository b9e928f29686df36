/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the numbers of a figure as tab-separated values, for a plotting program or a spreadsheet.
 *
 * A file begins with a line that identifies exports of this kind (FIGURE_VALUES_MARK). Comments
 * with title, time base, method and axes follow, then the values:
 *
 *     lines, steps, sticks, points: x, y, and low, high if the series has ranges
 *     histogram: low, high, count
 *     bars: group, y, low, high
 *     heat map: row, column, value
 *     timeline: lane, state, begin, end
 *     table: the cells below the names of the columns
 *
 * Series follow each other after two empty lines, each below a comment with its name. A missing
 * number is NaN.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tools/figure/figure.h"

#define FIGURE_VALUES_MARK "# tare export --format tsv"

/* `base` describes the time base of the numbers; NULL: the file does not state it. */
void figure_values_write(FILE *out, const struct figure *figure, const char *base);

/* Returns whether figure_values_write() made the file, judged by its name and first line. */
bool figure_values_is_own(const char *path);
