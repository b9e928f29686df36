/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes a figure as JSON for the script of a page; arrays of numbers become texts. */
#pragma once

#include <stddef.h>

#include "tools/figure/figure.h"

struct json; /* tools/base/json.h */

/* Returns about how many bytes the figure takes on the page if it is reduced to `most` points or
 * spans. */
size_t page_figure_size(const struct figure *figure, size_t most);

/* Reduces the figure to about `most` points or spans, and writes it without a table's cells, which
 * the page has as HTML (page.c). Counts above a threshold still
 * cover all points: before the figure is reduced, they are computed for thresholds that leave 1, 2,
 * ... all points above them. */
void page_figure_write(struct json *json, struct figure *figure, size_t most);

/*
 * Arrays of numbers as short ASCII texts for the script of a page (tools/figure/page/report.js
 * reads them). A text is a letter, for `q` also a number, a colon, and bytes in base 64:
 *
 *     i:      whole numbers: each is the one before it (at first 0) plus a difference, which is a
 *             zigzag LEB128
 *     qSTEP:  the same, in multiples of STEP, a power of 2
 *     f:      floats of 32 bits, little endian
 *     d:      floats of 64 bits, little endian
 */

enum page_precision {
    PAGE_VALUE, /* keeps at least 7 significant digits of each number */
    /* as PAGE_VALUE, and resolves at least 2^-42 of the range from the least to the greatest */
    PAGE_PLACE,
};

/* Encodes the numbers; NANs and infinities are kept. The caller frees the text. */
char *page_numbers(const double *values, size_t n, enum page_precision precision);
