/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Texts of any length, and texts for numbers and sizes.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A text written piece by piece, for lists of thousands of items that must not be cut silently. */
struct long_text {
    FILE *out; /* stream to write the text to */
    char *text;
    size_t length;
};

/* Begins an empty text. Ends the program if memory runs out. */
void long_text_open(struct long_text *text);
/* Ends the writing and returns the text, which stays valid until long_text_free(). */
const char *long_text_close(struct long_text *text);
void long_text_free(struct long_text *text);

/* Returns a formatted text, which the caller frees. */
__attribute__((format(printf, 1, 2))) char *text_format(const char *format, ...);

/* Does the text end so? */
bool text_ends(const char *text, const char *ending);
/* Reads the first line of a small file, without its end. Returns false if there is none. */
bool text_first_line(const char *path, char *line, size_t size);
/* Appends to a text in a buffer of `size` bytes as much as fits. */
__attribute__((format(printf, 3, 4))) void text_append(char *text, size_t size, const char *format,
                                                       ...);

/* Reads the end of a file, at most `size` - 1 bytes; "" if it cannot be read. */
void file_end_text(const char *path, char *text, size_t size);

/* Formats the cells of a row; a tab in the format separates two cells. Returns them one after the
 * other, each ended by a NUL, and stores their number in *count. The caller frees them. */
char *cells_text(const char *format, va_list values, size_t *count);

#define SHORTEST_MAX 32

/* Writes the shortest digits that parse back to the same finite double, such as "0.1" or "1e-10".
 * Returns `text`. */
const char *shortest_digits(double value, char text[SHORTEST_MAX]);

#define SIZE_TEXT_MAX 24

/* Writes a size of memory: "24 KiB", "1.5 MiB". Returns `text`. */
const char *size_text(int64_t bytes, char text[SIZE_TEXT_MAX]);
/* Writes a size in short form: "64", "24K", "1.5M". Returns `text`. */
const char *size_text_short(int64_t bytes, char text[SIZE_TEXT_MAX]);
