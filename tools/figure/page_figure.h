/* SPDX-License-Identifier: BSD-2-Clause */
/* A figure as JSON, for the script of a page; arrays of numbers are texts (page_numbers.h). */
#pragma once

#include <stddef.h>

#include "tools/base/json.h"
#include "tools/figure/figure.h"

/* About how many bytes it becomes, where it may have `most` points or spans. */
size_t page_figure_size(const struct figure *figure, size_t most);

/* Reduces it to about `most` points or spans, and writes it. The text of its threshold remains
 * that of all points: it is computed before, for thresholds that leave 1, 2, ... all of them above
 * (`thresholds`). */
void page_figure_write(struct json *json, struct figure *figure, size_t most);
