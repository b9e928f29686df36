/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The screen's page in memory: cells of one character each, and the choice of font and number of
 * cells for a screen. Whatever is requested, only cells of the grid are written. Pure: compiled for
 * the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/screen/surface.h"

/*
 * The font of the screen's page: Spleen, in the sizes that current screens need. The build
 * generates the glyphs from the installed package (tools/build/spleen.sh). Pure.
 */

#define GLYPH_FONTS  3
#define GLYPH_OTHERS 9

#define GLYPH_FIRST ' ' /* first ASCII character with a glyph; the last one follows */
#define GLYPH_LAST  '~'
/* The glyphs of glyph_others come after those of ASCII. */
#define GLYPH_COUNT (GLYPH_LAST - GLYPH_FIRST + 1 + GLYPH_OTHERS)

struct glyph_font {
    uint8_t width, height; /* pixels */
    /* rows of GLYPH_COUNT glyphs; a row has whole bytes, the leftmost pixel in the highest bit of
     * the first */
    const uint8_t *rows;
};

/* The fonts, smallest first. */
extern const struct glyph_font glyph_fonts[GLYPH_FONTS];
/* Code points of the glyphs that are not ASCII. */
extern const uint16_t glyph_others[GLYPH_OTHERS];

/* Returns the glyph number for the UTF-8 character at *text, and moves *text past it. The blocks
 * U+2581 to U+2588 are GRID_COLUMN + 1 to + 8: the grid draws them, the font lacks them. A
 * character without a glyph, and each byte that is not UTF-8, becomes '?'. Do not call at the end
 * of the text. */
uint8_t glyph_next(const char **text);
/* Returns how many glyphs the text takes. */
int glyph_length(const char *text);

/* Returns whether the glyph has ink at column x of row y, which must be within the glyph. */
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

/* Glyph GRID_COLUMN + N is a block that fills N eighths of the cell's height, in the ink of a good,
 * doubtful or bad figure, by its height. */
#define GRID_COLUMN 190
/* Glyph GRID_BAR + N is a cell of a bar, filled for N eighths of its width. */
#define GRID_BAR 200

struct grid_cell {
    uint8_t glyph; /* from glyph_next(), or GRID_BAR to GRID_BAR + 8 */
    uint8_t ink;
};

struct grid {
    int columns, rows;
    struct grid_cell cell[GRID_ROWS_MAX][GRID_COLUMNS_MAX];
};

/* The place of a text: `width` cells from `column` on. */
struct grid_place {
    int row, column, width;
};

/* Makes the grid blank, with the given size up to the largest one. */
void grid_init(struct grid *grid, int columns, int rows);
void grid_clear(struct grid *grid, int row, int rows);

/* Writes one line. A text longer than the place ends in an ellipsis. Returns the number of cells
 * written. */
int grid_text(struct grid *grid, struct grid_place place, enum grid_ink ink, const char *text);
/* The same, aligned to the right end of the place. */
void grid_text_right(struct grid *grid, struct grid_place place, enum grid_ink ink,
                     const char *text);
/* Writes a text on at most `rows` rows, broken at blanks. Rows after the first begin `indent` cells
 * further to the right. A longer text ends in an ellipsis. Returns the number of rows used. If
 * `grid` is NULL, nothing is written. */
int grid_wrap(struct grid *grid, struct grid_place place, int rows, int indent, enum grid_ink ink,
              const char *text);
/* Draws a bar as wide as the place, filled for `done` of `total`, which must be above 0. */
void grid_bar(struct grid *grid, struct grid_place place, uint64_t done, uint64_t total);
void grid_rule(struct grid *grid, int row);

/* ---- on a screen ---- */

/* How the page fits a screen: the font, each of whose pixels is a square of `scale` pixels, and the
 * number of cells. left and top are margins in pixels. */
struct grid_fit {
    const struct glyph_font *font;
    int scale;
    int columns, rows; /* may be 0 */
    int left, top;
};

/* Chooses the largest font that leaves at least as many cells as a screen of 800 by 600 pixels has
 * with the smallest font. */
struct grid_fit grid_fit(int width, int height);

/* Draws the cells that differ from those of `drawn`, and updates `drawn`. Both grids must have the
 * size of the fit, and the surface the size that the fit was made for. */
void grid_draw(const struct grid *grid, struct grid *drawn, const struct surface *surface,
               const struct grid_fit *fit);

/* Colours of the page, and of the bars, which no other part uses. */
#define GRID_PAPER     0x00101418u
#define GRID_BAR_FULL  0x005b9bd5u
#define GRID_BAR_EMPTY 0x002b333bu
