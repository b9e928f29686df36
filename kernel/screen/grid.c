/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/screen/grid.h"

#include <string.h>

#define UNKNOWN     ('?' - GLYPH_FIRST)
#define CODE_NONE   0xffffffffu
#define EIGHTHS     8
#define FIRST_BLOCK 0x2581u /* one eighth; the others follow */

/* Returns how many bytes follow the first byte of a character, or a negative number if that is not
 * a first byte. */
static int continuation(uint8_t first)
{
    if (first < 0x80) {
        return 0;
    }
    if (first < 0xc2 || first > 0xf4) {
        return -1;
    }
    return first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3;
}

static uint32_t next_code(const char **text)
{
    const uint8_t first = (uint8_t) * (*text)++;
    const int more = continuation(first);
    uint32_t code = more > 0 ? first & (0x3fu >> more) : first;

    if (more < 0) {
        return CODE_NONE;
    }
    for (int i = 0; i < more; i++) {
        const uint8_t next = (uint8_t) * *text;

        if ((next & 0xc0) != 0x80) { /* true at the end of the text as well */
            return CODE_NONE;
        }
        code = code << 6 | (next & 0x3fu);
        (*text)++;
    }
    return code;
}

uint8_t glyph_next(const char **text)
{
    const uint32_t code = next_code(text);

    if (code >= GLYPH_FIRST && code <= GLYPH_LAST) {
        return (uint8_t)(code - GLYPH_FIRST);
    }
    for (unsigned i = 0; i < GLYPH_OTHERS; i++) {
        if (glyph_others[i] == code) {
            return (uint8_t)(GLYPH_LAST - GLYPH_FIRST + 1 + i);
        }
    }
    if (code >= FIRST_BLOCK && code < FIRST_BLOCK + EIGHTHS) {
        return (uint8_t)(GRID_COLUMN + 1 + (code - FIRST_BLOCK));
    }
    return UNKNOWN;
}

int glyph_length(const char *text)
{
    int length = 0;

    while (*text != '\0') {
        glyph_next(&text);
        length++;
    }
    return length;
}

bool glyph_ink(const struct glyph_font *font, uint8_t glyph, int x, int y)
{
    const int row_bytes = (font->width + 7) / 8;
    const uint8_t *row = font->rows + (glyph * font->height + y) * row_bytes;

    return (row[x / 8] >> (7 - x % 8) & 1) != 0;
}

#define BLANK 0 /* the glyph of ' ' */

/* ---- cells ---- */

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

void grid_init(struct grid *grid, int columns, int rows)
{
    grid->columns = smaller(columns > 0 ? columns : 0, GRID_COLUMNS_MAX);
    grid->rows = smaller(rows > 0 ? rows : 0, GRID_ROWS_MAX);
    memset(grid->cell, 0, sizeof(grid->cell));
}

void grid_clear(struct grid *grid, int row, int rows)
{
    for (int i = row > 0 ? row : 0; i < row + rows && i < grid->rows; i++) {
        memset(grid->cell[i], 0, sizeof(grid->cell[i]));
    }
}

static void put(struct grid *grid, int row, int column, unsigned glyph, enum grid_ink ink)
{
    if (grid != NULL && row >= 0 && row < grid->rows && column >= 0 && column < grid->columns) {
        grid->cell[row][column] = (struct grid_cell){(uint8_t)glyph, (uint8_t)ink};
    }
}

static unsigned ellipsis(void)
{
    const char *text = "\u2026";

    return glyph_next(&text);
}

/* Limits the place to the columns of the grid. */
static struct grid_place within(const struct grid *grid, struct grid_place place)
{
    if (grid != NULL) {
        place.width = smaller(place.width, grid->columns - place.column);
    }
    return place;
}

int grid_text(struct grid *grid, struct grid_place place, enum grid_ink ink, const char *text)
{
    const struct grid_place at = within(grid, place);
    const int length = glyph_length(text);
    int i = 0;

    for (; i < smaller(length, at.width); i++) {
        const unsigned glyph = glyph_next(&text);

        put(grid, at.row, at.column + i,
            i + 1 == at.width && length > at.width ? ellipsis() : glyph, ink);
    }
    return i;
}

void grid_text_right(struct grid *grid, struct grid_place place, enum grid_ink ink,
                     const char *text)
{
    const int length = glyph_length(text);

    if (length < place.width) {
        place.column += place.width - length;
        place.width = length;
    }
    grid_text(grid, place, ink, text);
}

/* Returns how many characters of the text go on a line of `width`: up to a blank, or all that
 * fit. */
static int line_length(const char *text, int width)
{
    int count = 0;
    int words = 0; /* characters up to the last blank */

    while (*text != '\0' && count <= width) {
        words = *text == ' ' ? count : words;
        glyph_next(&text);
        count++;
    }
    if (*text == '\0' && count <= width) {
        return count;
    }
    return words > 0 ? words : width;
}

static const char *skip_blanks(const char *text)
{
    while (*text == ' ') {
        text++;
    }
    return text;
}

int grid_wrap(struct grid *grid, struct grid_place place, int rows, int indent, enum grid_ink ink,
              const char *text)
{
    struct grid_place at = within(grid, place);
    int used = 0;

    text = skip_blanks(text);
    while (*text != '\0' && used < rows && at.width > 0) {
        const int length = line_length(text, at.width);

        if (used + 1 == rows && length < glyph_length(text)) {
            grid_text(grid, at, ink, text);
            return rows;
        }
        for (int i = 0; i < length; i++) {
            put(grid, at.row, at.column + i, glyph_next(&text), ink);
        }
        text = skip_blanks(text);
        at.column += used == 0 ? indent : 0;
        at.width -= used == 0 ? indent : 0;
        at.row++;
        used++;
    }
    return used;
}

void grid_bar(struct grid *grid, struct grid_place place, uint64_t done, uint64_t total)
{
    const struct grid_place at = within(grid, place);
    const uint64_t filled = (uint64_t)at.width * EIGHTHS * (done < total ? done : total) / total;

    for (int i = 0; i < at.width; i++) {
        const uint64_t before = (uint64_t)i * EIGHTHS;
        const uint64_t here = filled <= before ? 0 : filled - before;

        put(grid, at.row, at.column + i, GRID_BAR + (unsigned)(here < EIGHTHS ? here : EIGHTHS),
            INK_PLAIN);
    }
}

void grid_rule(struct grid *grid, int row)
{
    const char *text = "\u2500";
    const unsigned line = glyph_next(&text);

    for (int i = 0; i < grid->columns; i++) {
        put(grid, row, i, line, INK_DIM);
    }
}

/* ---- on a screen ---- */

/* The cells of 800 by 600 pixels in the font of 8 by 16. */
#define COLUMNS_WANTED 98
#define ROWS_WANTED    36

/* Leaves a margin of one cell on each side, and half a cell above and below. */
static struct grid_fit fit_of(const struct glyph_font *font, int scale, int width, int height)
{
    const int cell_width = font->width * scale;
    const int cell_height = font->height * scale;
    const int columns = width / cell_width - 2;
    const int rows = height / cell_height - 1;

    return (struct grid_fit){
        .font = font,
        .scale = scale,
        .columns = columns < 0 ? 0 : smaller(columns, GRID_COLUMNS_MAX),
        .rows = rows < 0 ? 0 : smaller(rows, GRID_ROWS_MAX),
        .left = cell_width,
        .top = cell_height / 2,
    };
}

struct grid_fit grid_fit(int width, int height)
{
    static const struct {
        int font, scale;
    } sizes[] = {{0, 1}, {1, 1}, {2, 1}, {1, 2}, {2, 2}, {2, 3}, {2, 4}};
    struct grid_fit best = fit_of(&glyph_fonts[0], 1, width, height);

    for (size_t i = 1; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        const struct grid_fit fit =
            fit_of(&glyph_fonts[sizes[i].font], sizes[i].scale, width, height);

        if (fit.columns >= COLUMNS_WANTED && fit.rows >= ROWS_WANTED) {
            best = fit;
        }
    }
    return best;
}

static uint32_t colour_of(unsigned ink)
{
    static const uint32_t colours[GRID_INKS] = {
        [INK_PLAIN] = 0x00d7dce2u, [INK_DIM] = 0x0098a2adu,      [INK_STRONG] = 0x00ffffffu,
        [INK_GOOD] = 0x008fd19eu,  [INK_DOUBTFUL] = 0x00f0c674u, [INK_BAD] = 0x00ff8a80u,
    };

    return colours[ink < GRID_INKS ? ink : INK_PLAIN];
}

/* Returns the colour of a pixel of the font in a cell. */
static uint32_t pixel_colour(const struct glyph_font *font, struct grid_cell cell, int x, int y)
{
    if (cell.glyph >= GRID_BAR) {
        const bool margin = y < font->height / 4 || y >= font->height - font->height / 4;
        const bool filled = x * EIGHTHS < (cell.glyph - GRID_BAR) * font->width;

        return margin ? GRID_PAPER : filled ? GRID_BAR_FULL : GRID_BAR_EMPTY;
    }
    if (cell.glyph > GRID_COLUMN) {
        const int full = cell.glyph - GRID_COLUMN;
        const enum grid_ink ink = full <= 3 ? INK_GOOD : full <= 4 ? INK_DOUBTFUL : INK_BAD;

        return y * EIGHTHS >= (EIGHTHS - full) * font->height ? colour_of(ink) : GRID_PAPER;
    }
    return glyph_ink(font, cell.glyph, x, y) ? colour_of(cell.ink) : GRID_PAPER;
}

static void draw_cell(const struct surface *surface, const struct grid_fit *fit, int row,
                      int column, struct grid_cell cell)
{
    const int width = fit->font->width * fit->scale;
    const int height = fit->font->height * fit->scale;
    uint32_t *line = surface->pixels + (int64_t)(fit->top + row * height) * surface->stride +
                     fit->left + (int64_t)column * width;

    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            line[x] = cell.glyph == BLANK
                          ? GRID_PAPER
                          : pixel_colour(fit->font, cell, x / fit->scale, y / fit->scale);
        }
        line += surface->stride;
    }
}

void grid_draw(const struct grid *grid, struct grid *drawn, const struct surface *surface,
               const struct grid_fit *fit)
{
    for (int row = 0; row < grid->rows; row++) {
        for (int column = 0; column < grid->columns; column++) {
            const struct grid_cell cell = grid->cell[row][column];
            struct grid_cell *old = &drawn->cell[row][column];

            if (cell.glyph != old->glyph || cell.ink != old->ink) {
                draw_cell(surface, fit, row, column, cell);
                *old = cell;
            }
        }
    }
}
