/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The font of the screen's page: Spleen, in the sizes that screens of today need. The build makes
 * the glyphs of the installed package (tools/build/spleen.sh). Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define GLYPH_FONTS  3
#define GLYPH_OTHERS 10

#define GLYPH_FIRST ' ' /* of ASCII, */
#define GLYPH_LAST  '~'
/* and behind these glyph_others. */
#define GLYPH_COUNT (GLYPH_LAST - GLYPH_FIRST + 1 + GLYPH_OTHERS)

struct glyph_font {
    uint8_t width, height; /* pixels */
    const uint8_t *rows;   /* of GLYPH_COUNT glyphs; a row is whole bytes, the leftmost pixel in the
                              highest bit of the first */
};

/* Smallest first. */
extern const struct glyph_font glyph_fonts[GLYPH_FONTS];
/* Code points that are not ASCII. */
extern const uint16_t glyph_others[GLYPH_OTHERS];

/* The number of the glyph for the character at *text, in UTF-8, and *text behind it. What has none,
 * and each byte that is no UTF-8, is that of '?'. Not at the text's end. */
uint8_t glyph_next(const char **text);
/* How many glyphs the text takes. */
int glyph_length(const char *text);

/* Is there ink at column x of row y, both within the glyph? */
bool glyph_ink(const struct glyph_font *font, uint8_t glyph, int x, int y);
