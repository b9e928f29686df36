/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The numbers of a figure as tab-separated values, for a plotting program or a spreadsheet.
 *
 * A file begins with a line by which a former export is known (FIGURE_VALUES_MARK), then title,
 * method, and axes as comments. Values:
 *
 *     lines, steps, sticks, points: x, y, and where the series has a range low, high
 *     histogram: low, high, count
 *     bars: group, y, low, high
 *     heat map: row, column, value
 *     time line: lane, state, begin, end
 *     table: the cells below the names of the columns
 *
 * Series follow each other after two empty lines, each below a comment with its name. A missing
 * number is NaN.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tools/lib/figure.h"

#define FIGURE_VALUES_MARK "# tare export --format tsv"

void figure_values_write(FILE *out, const struct figure *figure);

/* Did figure_values_write() make the file, going by its name and first line? */
bool figure_values_is_own(const char *path);
