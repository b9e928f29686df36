/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers as a person reads them, in tables, sentences and pages. A number keeps its whole part,
 * and of its fraction what four significant digits leave: instructions are counted, so they are
 * never rounded to thousands. Five digits and more are separated by commas in thousands. No
 * exponent is printed. Exports and plans have raw numbers, which these functions do not write.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMBER_MAX 32

/* Writes a number: "0.1235", "14.62", "7812", "36,073", "2,501,537"; "n/a" if it is not finite, and
 * an SI prefix beyond 10^15 and below 10^-6 ("1.5 P", "20 n"). Returns `text`. */
const char *number_text(double value, char text[NUMBER_MAX]);
/* Writes an integer with all its digits: "36,073", "-9,223,372,036,854,775,808". */
const char *number_whole(int64_t value, char text[NUMBER_MAX]);
/* Does the same as number_text() with a sign: "+14.62", "-3"; "0" for zero. */
const char *number_signed(double value, char text[NUMBER_MAX]);
/* Writes a measured value, whose zeros at the end are digits too: "50.00", "118.0"; "0" for zero.
 */
const char *number_real(double value, char text[NUMBER_MAX]);
/* Writes a number of at least 10,000 with four digits and a prefix before the unit: "12.35 kHz",
 * "7.143 M"; smaller ones as above, "50 Hz". For rates, and where little room is left. */
const char *number_si(double value, const char *unit, char text[NUMBER_MAX]);
/* Writes a part of a whole, of 0 to 1, in percent, or in ppm below 0.1 %: "50.57 %", "100.0 %",
 * "62.38 ppm", "0". */
const char *share_text(double part, char text[NUMBER_MAX]);
/* Does the same with a sign: "+1.5 %", "-20 ppm". */
const char *share_signed(double part, char text[NUMBER_MAX]);

/* Copies a text of up to `size` - 1 bytes, and separates the thousands of its numbers; if
 * `is_rounded`, fractions lose what four significant digits do not leave. A number is a word of
 * digits with at most one point, and perhaps a sign. What belongs to a name, a version, a date, a
 * path, a setting ("ms=20000"), a list ("4096,65536") or a hexadecimal number stays as it is, and
 * so do digits after a leading 0. */
void number_copy(char *to, size_t size, const char *from, bool is_rounded);
