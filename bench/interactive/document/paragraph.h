/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Layout of a justified paragraph in a proportional font: each line takes as many words as fit, and
 * the rest of its width is distributed among its blanks. Pure.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct paragraph_style {
    int32_t width;  /* width of a line, in pixels */
    unsigned scale; /* scale of the font */
};

struct paragraph_line {
    uint32_t first;  /* index of the first character */
    uint32_t count;  /* characters, without the blank or newline that ends the line */
    uint32_t blanks; /* number of blanks within the line */
    int32_t spare;   /* pixels to distribute among the blanks; 0: the line is not justified */
};

#define PARAGRAPH_END SIZE_MAX

/* Lays out the line that begins at `first`. Returns where the next line begins, or PARAGRAPH_END.
 * Breaks a word that is wider than a line. */
size_t paragraph_next_line(const char *text, size_t length, size_t first,
                           const struct paragraph_style *style, struct paragraph_line *line);
/* Lays out the text into at most `capacity` lines. Returns the number of lines written. A text
 * without characters has one line. */
size_t paragraph_lay_out(const char *text, size_t length, const struct paragraph_style *style,
                         struct paragraph_line *lines, size_t capacity);
/* Returns the pixels from the left edge of the line to character `index` of it (0 to its count). */
int32_t paragraph_x(const char *text, const struct paragraph_line *line, size_t index,
                    const struct paragraph_style *style);
