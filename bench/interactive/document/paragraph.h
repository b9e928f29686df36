/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Layout of a paragraph in a proportional font, justified: as many words in a line as fit, the rest
 * of its width is shared out to its blanks. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct paragraph_style {
    int32_t width;  /* of a line, in pixels */
    unsigned scale; /* of the font */
};

struct paragraph_line {
    uint32_t first;  /* character */
    uint32_t count;  /* without the blank or newline that ends it */
    uint32_t blanks; /* within */
    int32_t spare;   /* pixels that its blanks share; 0: it is not justified */
};

#define PARAGRAPH_END SIZE_MAX

/* The line that begins at `first`; where the next one does, or PARAGRAPH_END. A word that is wider
 * than a line is broken. */
size_t paragraph_next_line(const char *text, size_t length, size_t first,
                           const struct paragraph_style *style, struct paragraph_line *line);
/* Lines of the text, at the most `capacity`; how many there are. A text without characters has
 * one. */
size_t paragraph_lay_out(const char *text, size_t length, const struct paragraph_style *style,
                         struct paragraph_line *lines, size_t capacity);
/* Pixels from the line's left edge to a character of it, from 0 to its count. */
int32_t paragraph_x(const char *text, const struct paragraph_line *line, size_t index,
                    const struct paragraph_style *style);
