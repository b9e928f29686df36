/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The screen's page in memory: texts on cells, wrapped and cut; the glyphs of the font; and their
 * pixels, against an oracle that asks of each what it must be.
 */
#include "kernel/screen/grid.h"
#include "tools/tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>

static struct grid grid;
static struct grid drawn;

static const char *row_text(int row)
{
    static char text[4 * GRID_COLUMNS_MAX + 1];
    size_t length = 0;

    for (int i = 0; i < grid.columns; i++) {
        const unsigned glyph = grid.cell[row][i].glyph;
        const bool ascii = glyph <= GLYPH_LAST - GLYPH_FIRST;

        text[length++] = ascii ? (char)(GLYPH_FIRST + glyph) : '~';
    }
    while (length > 0 && text[length - 1] == ' ') {
        length--;
    }
    text[length] = '\0';
    return text;
}

static int wrap(int width, int rows, int indent, const char *text)
{
    grid_init(&grid, 40, 10);
    return grid_wrap(&grid, (struct grid_place){0, 0, width}, rows, indent, INK_PLAIN, text);
}

static void test_wrap(void)
{
    CHECK_EQUAL(wrap(10, 9, 2, "the empty machine, weighed"), 3);
    CHECK_TEXT(row_text(0), "the empty");
    CHECK_TEXT(row_text(1), "  machine,");
    CHECK_TEXT(row_text(2), "  weighed");
    CHECK_TEXT(row_text(3), "");
    CHECK_EQUAL(wrap(10, 9, 0, "0123456789"), 1);
    CHECK_EQUAL(wrap(10, 9, 0, "0123456789abc def"), 2);
    CHECK_TEXT(row_text(0), "0123456789");
    CHECK_TEXT(row_text(1), "abc def");
    CHECK_EQUAL(wrap(10, 2, 0, "one two three four five six seven"), 2);
    CHECK_TEXT(row_text(0), "one two");
    CHECK_TEXT(row_text(1), "three fou~");
    CHECK_EQUAL(wrap(10, 9, 0, ""), 0);
    CHECK_EQUAL(wrap(0, 9, 0, "x"), 0);
    CHECK_EQUAL(wrap(3, 9, 4, "abc def"), 1); /* the indent leaves no cell */
}

/* What is measured is what is written, whatever the text. */
static void test_wrap_measures(void)
{
    static const char alphabet[] = "ab  \xc2\xb5\xe2\x80\xa6\xff";
    uint64_t seed = 1;

    for (unsigned i = 0; i < 20000; i++) {
        const int width = (int)(unit_random(&seed) % 30);
        const int indent = (int)(unit_random(&seed) % 6);
        const int rows = (int)(unit_random(&seed) % 10);
        char text[80];
        const size_t length = unit_random(&seed) % sizeof(text);

        for (size_t k = 0; k < length; k++) {
            text[k] = alphabet[unit_random(&seed) % (sizeof(alphabet) - 1)];
        }
        text[length > 0 ? length - 1 : 0] = '\0';
        const int measured =
            grid_wrap(NULL, (struct grid_place){0, 0, width}, rows, indent, INK_PLAIN, text);

        CHECK_EQUAL(wrap(width, rows, indent, text), measured);
        CHECK(measured <= rows);
        for (int row = 0; row < 10; row++) {
            CHECK(row < measured || strcmp(row_text(row), "") == 0);
            CHECK((int)strlen(row_text(row)) <= width);
        }
    }
}

static void test_text(void)
{
    grid_init(&grid, 12, 2);
    CHECK_EQUAL(grid_text(&grid, (struct grid_place){0, 2, 40}, INK_BAD, "0123456789abc"), 10);
    CHECK_TEXT(row_text(0), "  012345678~");
    CHECK_EQUAL(grid.cell[0][2].ink, INK_BAD);
    grid_text_right(&grid, (struct grid_place){1, 0, 12}, INK_DIM, "6.10 \xc2\xb5s");
    CHECK_TEXT(row_text(1), "     6.10 ~s");
    CHECK_EQUAL(grid_text(&grid, (struct grid_place){5, 0, 12}, INK_PLAIN, "below"), 5);
    CHECK_EQUAL(grid_text(&grid, (struct grid_place){0, 12, 4}, INK_PLAIN, "beside"), 0);
    CHECK_EQUAL(glyph_length("\xc2\xb5s \xe2\x80\xa6"), 4);
    CHECK_EQUAL(glyph_length("\xff\xc2"), 2);
}

static void test_bar(void)
{
    const struct grid_place whole = {0, 0, 10};

    for (uint64_t done = 0; done <= 80; done++) {
        uint64_t eighths = 0;

        grid_init(&grid, 10, 1);
        grid_bar(&grid, whole, done, 80);
        for (int i = 0; i < 10; i++) {
            eighths += grid.cell[0][i].glyph - (uint64_t)GRID_BAR;
        }
        CHECK_EQUAL(eighths, done);
    }
}

static int ink_rows(const struct glyph_font *font, char character, int from, int to)
{
    const char text[] = {character, '\0'};
    const char *at = text;
    const uint8_t glyph = glyph_next(&at);
    int rows = 0;

    for (int y = from; y < to; y++) {
        bool ink = false;

        for (int x = 0; x < font->width; x++) {
            ink = ink || glyph_ink(font, glyph, x, y);
        }
        rows += ink ? 1 : 0;
    }
    return rows;
}

/* Every character has a glyph unlike all others; and those with a descender have it. */
static void test_glyphs(void)
{
    for (size_t i = 0; i < GLYPH_FONTS; i++) {
        const struct glyph_font *font = &glyph_fonts[i];
        const size_t bytes = (size_t)(font->width + 7) / 8 * font->height;
        int below = 0;

        for (unsigned a = 0; a < GLYPH_COUNT; a++) {
            for (unsigned b = 0; b < a; b++) {
                CHECK(memcmp(font->rows + a * bytes, font->rows + b * bytes, bytes) != 0);
            }
        }
        for (int y = 0; y < font->height; y++) {
            below = ink_rows(font, 'x', y, y + 1) > 0 ? y + 1 : below;
        }
        for (const char *c = "gjpqy"; *c != '\0'; c++) {
            CHECK(ink_rows(font, *c, below, font->height) >= 2);
        }
        for (const char *c = "aowI1l0O"; *c != '\0'; c++) {
            CHECK_EQUAL(ink_rows(font, *c, below, font->height), 0);
        }
    }
}

static void test_fit(void)
{
    static const struct {
        int width, height, columns, rows, cell;
    } known[] = {
        {640, 480, 78, 29, 8},     {800, 600, 98, 36, 8},     {1280, 800, 158, 49, 8},
        {800, 1280, 98, 79, 8},    {1920, 1080, 158, 44, 12}, {2560, 1440, 158, 44, 16},
        {3840, 2160, 158, 44, 24}, {7680, 4320, 158, 44, 48}, {4, 4, 0, 0, 8},
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        const struct grid_fit fit = grid_fit(known[i].width, known[i].height);

        CHECK_EQUAL(fit.columns, known[i].columns);
        CHECK_EQUAL(fit.rows, known[i].rows);
        CHECK_EQUAL(fit.font->width * fit.scale, known[i].cell);
    }
    for (int width = 0; width < 9000; width += 97) {
        for (int height = 0; height < 5000; height += 89) {
            const struct grid_fit fit = grid_fit(width, height);

            CHECK(fit.columns <= GRID_COLUMNS_MAX && fit.rows <= GRID_ROWS_MAX);
            CHECK(fit.columns == 0 ||
                  fit.left + fit.columns * fit.font->width * fit.scale <= width);
            CHECK(fit.rows == 0 || fit.top + fit.rows * fit.font->height * fit.scale <= height);
        }
    }
}

/* Only cells that differ are written, and those whole. */
static void test_draw(void)
{
    enum { WIDTH = 200, HEIGHT = 120 };

    static uint32_t pixels[WIDTH * HEIGHT];
    const struct grid_fit fit = grid_fit(WIDTH, HEIGHT);
    struct surface surface;

    surface_init(&surface, pixels, WIDTH, HEIGHT, WIDTH);
    grid_init(&grid, fit.columns, fit.rows);
    grid_init(&drawn, fit.columns, fit.rows);
    grid_text(&grid, (struct grid_place){1, 3, 10}, INK_STRONG, "weighed");
    grid_bar(&grid, (struct grid_place){2, 0, 10}, 1, 3);
    grid_draw(&grid, &drawn, &surface, &fit);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            const int column = (x - fit.left) / 8;
            const int row = (y - fit.top) / 16;
            const bool inside =
                x >= fit.left && y >= fit.top && column < fit.columns && row < fit.rows;
            const struct grid_cell cell =
                inside ? grid.cell[row][column] : (struct grid_cell){0, 0};
            const uint32_t colour = pixels[y * WIDTH + x];

            if (cell.glyph == 0) {
                CHECK_EQUAL(colour, 0); /* as it was */
            } else if (cell.glyph < GRID_BAR) {
                const bool ink =
                    glyph_ink(fit.font, cell.glyph, (x - fit.left) % 8, (y - fit.top) % 16);

                CHECK_EQUAL(colour, ink ? 0xffffff : GRID_PAPER);
            } else {
                CHECK(colour == GRID_BAR_FULL || colour == GRID_BAR_EMPTY || colour == GRID_PAPER);
            }
        }
    }
    int filled = 0;

    for (int x = 0; x < WIDTH; x++) {
        filled += pixels[(fit.top + 2 * 16 + 8) * WIDTH + x] == GRID_BAR_FULL ? 1 : 0;
    }
    CHECK_EQUAL(filled, 10 * 8 / 3); /* an eighth of a cell is a pixel */
    memset(pixels, 0, sizeof(pixels));
    grid_draw(&grid, &drawn, &surface, &fit);
    for (size_t i = 0; i < sizeof(pixels) / sizeof(pixels[0]); i++) {
        CHECK_EQUAL(pixels[i], 0);
    }
}

int main(void)
{
    RUN(test_text());
    RUN(test_wrap());
    RUN(test_wrap_measures());
    RUN(test_bar());
    RUN(test_glyphs());
    RUN(test_fit());
    RUN(test_draw());
    return unit_finish("unit_grid");
}
