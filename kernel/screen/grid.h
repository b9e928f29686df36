/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The screen's page in memory: cells of one character each, and which font and how many of them a
 * screen takes. Whatever is asked for, only cells of the grid are written. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/screen/surface.h"

/*
 * The font of the screen's page: Spleen, in the sizes that screens of today need. The build makes
 * the glyphs of the installed package (tools/build/spleen.sh). Pure.
 */

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

#define GRID_COLUMNS_MAX 240
#define GRID_ROWS_MAX    96

enum grid_ink {
    INK_PLAIN,
    INK_DIM,
    INK_STRONG,
    INK_GOOD,
    INK_DOUBTFUL,
    INK_BAD,
    GRID_INKS,
};

#define GRID_BAR 200 /* a glyph of so much and N: of a bar, filled for N eighths of the cell */

struct grid_cell {
    uint8_t glyph; /* glyph_next(); or GRID_BAR to GRID_BAR + 8 */
    uint8_t ink;
};

struct grid {
    int columns, rows;
    struct grid_cell cell[GRID_ROWS_MAX][GRID_COLUMNS_MAX];
};

/* Where a text goes: its cells are from `column` on, `width` of them. */
struct grid_place {
    int row, column, width;
};

/* Blank, of at most the largest size. */
void grid_init(struct grid *grid, int columns, int rows);
void grid_clear(struct grid *grid, int row, int rows);

/* One line. Where it is longer than the place, an ellipsis ends it. Returns its cells. */
int grid_text(struct grid *grid, struct grid_place place, enum grid_ink ink, const char *text);
/* The same at the right end of the place. */
void grid_text_right(struct grid *grid, struct grid_place place, enum grid_ink ink,
                     const char *text);
/* On at most `rows` rows, broken at blanks; those behind the first begin `indent` cells further to
 * the right. Where it is longer, an ellipsis ends it. Returns the rows that it takes. `grid` NULL:
 * nothing is written. */
int grid_wrap(struct grid *grid, struct grid_place place, int rows, int indent, enum grid_ink ink,
              const char *text);
/* A bar as wide as the place, filled for `done` of `total` > 0. */
void grid_bar(struct grid *grid, struct grid_place place, uint64_t done, uint64_t total);
void grid_rule(struct grid *grid, int row);

/* ---- on a screen ---- */

/* The font, each of its pixels a square of `scale`, and the cells that have room; left and top are
 * pixels of margin. */
struct grid_fit {
    const struct glyph_font *font;
    int scale;
    int columns, rows; /* may be 0 */
    int left, top;
};

/* The largest font that leaves as many cells as 800 by 600 pixels have of the smallest. */
struct grid_fit grid_fit(int width, int height);

/* Draws the cells that differ from those of `drawn`, which then has the same. Both are of the fit's
 * size, and the surface of the pixels that it was made for. */
void grid_draw(const struct grid *grid, struct grid *drawn, const struct surface *surface,
               const struct grid_fit *fit);

/* Colours: of the page; of bars, which nothing else has. */
#define GRID_PAPER     0x00101418u
#define GRID_BAR_FULL  0x005b9bd5u
#define GRID_BAR_EMPTY 0x002b333bu
