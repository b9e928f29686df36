/* SPDX-License-Identifier: BSD-2-Clause */
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
#pragma once

#include <stddef.h>

enum page_precision {
    PAGE_VALUE, /* at least 7 significant digits of each number */
    PAGE_PLACE, /* PAGE_VALUE, and at least 2^-42 of the distance from the least to the greatest */
};

/* The caller frees the text. What is no number or infinite stays so. */
char *page_numbers(const double *values, size_t n, enum page_precision precision);
