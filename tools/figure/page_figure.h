/* SPDX-License-Identifier: BSD-2-Clause */
/* A figure as JSON, for the script of a page; arrays of numbers are texts. */
#pragma once

#include <stddef.h>

#include "tools/figure/figure.h"

struct json; /* tools/base/json.h */

/* About how many bytes it becomes, where it may have `most` points or spans. */
size_t page_figure_size(const struct figure *figure, size_t most);

/* Reduces it to about `most` points or spans, and writes it. The text of its threshold remains
 * that of all points: it is computed before, for thresholds that leave 1, 2, ... all of them above
 * (`thresholds`). */
void page_figure_write(struct json *json, struct figure *figure, size_t most);

/*
 * Arrays of numbers as short texts of ASCII, for the script of a page (tools/figure/page/report.js
 * reads them). A text is a letter, for one of them a number, a colon, and bytes in base 64:
 *
 *     i:      whole numbers: each the one before it (at first 0) and a difference, which is a
 *             zigzag LEB128
 *     qSTEP:  the same, in multiples of STEP, a power of 2
 *     f:      floats of 32 bits, little endian
 *     d:      floats of 64 bits, little endian
 */

enum page_precision {
    PAGE_VALUE, /* at least 7 significant digits of each number */
    PAGE_PLACE, /* PAGE_VALUE, and at least 2^-42 of the distance from the least to the greatest */
};

/* The caller frees the text. What is no number or infinite stays so. */
char *page_numbers(const double *values, size_t n, enum page_precision precision);
