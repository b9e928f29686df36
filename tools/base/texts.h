/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts of any length, of numbers, and of sizes.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A text written piece by piece: for lists of thousands of items, none of which may be cut
 * silently. */
struct long_text {
    FILE *out; /* to write to */
    char *text;
    size_t length;
};

/* Begins an empty text; ends the program if memory is short. */
void long_text_open(struct long_text *text);
/* Ends the writing; the text stays until long_text_free(). */
const char *long_text_close(struct long_text *text);
void long_text_free(struct long_text *text);

/* A formatted text, which the caller frees. */
__attribute__((format(printf, 1, 2))) char *text_format(const char *format, ...);

#define SHORTEST_MAX 32

/* The shortest digits that parse back to the same finite double, such as "0.1" or "1e-10"; returns
 * `text`. */
const char *shortest_digits(double value, char text[SHORTEST_MAX]);
/* For tables: six digits, or all digits before the point if there are more: "2501467", "1000000.3",
 * "0.123457". */
const char *table_digits(double value, char text[SHORTEST_MAX]);

#define SIZE_TEXT_MAX 24

/* A size of memory: "24 KiB", "1.5 MiB" */
const char *size_text(int64_t bytes, char text[SIZE_TEXT_MAX]);
/* "64", "24K", "1.5M" */
const char *size_text_short(int64_t bytes, char text[SIZE_TEXT_MAX]);
