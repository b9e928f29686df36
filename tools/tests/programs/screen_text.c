/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads text off a screen dump (PPM, P6) that kernel/screen/screen.c drew: screen_text FILE.ppm
 * prints each row. A cell is known when all its pixels are those of one glyph; a bar prints as '=',
 * any other cell as '\x7f'. With --outside it prints how many pixels outside all cells have another
 * colour than the page's, and fails where there is one.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/screen/grid.h"

#define SIDE_MAX 8192
#define BRIGHT   0x80
#define UNKNOWN  '\x7f'
#define BAR      '='

struct picture {
    unsigned width;
    unsigned height;
    uint8_t *pixels; /* 3 bytes each */
};

static int load(const char *path, struct picture *picture)
{
    FILE *file = fopen(path, "rb");
    unsigned depth;

    if (file == NULL) {
        return 0;
    }
    int good = fscanf(file, "P6 %u %u %u", &picture->width, &picture->height, &depth) == 3 &&
               depth == 255 && picture->width <= SIDE_MAX && picture->height <= SIDE_MAX &&
               fgetc(file) != EOF;

    if (good) {
        const size_t size = (size_t)picture->width * picture->height * 3;

        picture->pixels = malloc(size > 0 ? size : 1);
        good = picture->pixels != NULL && fread(picture->pixels, 1, size, file) == size;
    }
    fclose(file);
    return good;
}

static uint32_t colour_at(const struct picture *picture, int x, int y)
{
    const uint8_t *pixel = picture->pixels + ((size_t)y * picture->width + (size_t)x) * 3;

    return (uint32_t)pixel[0] << 16 | (uint32_t)pixel[1] << 8 | pixel[2];
}

/* The colours of bars are none of those of text. */
static bool is_bar(const struct picture *picture, int x, int y)
{
    const uint32_t colour = colour_at(picture, x, y);

    return colour == GRID_BAR_FULL || colour == GRID_BAR_EMPTY;
}

static bool cell_is(const struct picture *picture, const struct grid_fit *fit, int left, int top,
                    unsigned glyph)
{
    for (int y = 0; y < fit->font->height * fit->scale; y++) {
        for (int x = 0; x < fit->font->width * fit->scale; x++) {
            const bool ink = glyph_ink(fit->font, (uint8_t)glyph, x / fit->scale, y / fit->scale);

            if (ink != (colour_at(picture, left + x, top + y) != GRID_PAPER)) {
                return false;
            }
        }
    }
    return true;
}

static void print_code(unsigned code)
{
    if (code < 0x80) {
        putchar((int)code);
    } else if (code < 0x800) {
        printf("%c%c", (int)(0xc0 | code >> 6), (int)(0x80 | (code & 0x3f)));
    } else {
        printf("%c%c%c", (int)(0xe0 | code >> 12), (int)(0x80 | (code >> 6 & 0x3f)),
               (int)(0x80 | (code & 0x3f)));
    }
}

static void print_cell(const struct picture *picture, const struct grid_fit *fit, int left, int top)
{
    const unsigned ascii = GLYPH_LAST - GLYPH_FIRST + 1;

    if (is_bar(picture, left, top + fit->font->height * fit->scale / 2)) {
        putchar(BAR);
        return;
    }
    for (unsigned glyph = 0; glyph < GLYPH_COUNT; glyph++) {
        if (cell_is(picture, fit, left, top, glyph)) {
            print_code(glyph < ascii ? GLYPH_FIRST + glyph : glyph_others[glyph - ascii]);
            return;
        }
    }
    putchar(UNKNOWN);
}

static void print_rows(const struct picture *picture, const struct grid_fit *fit)
{
    for (int row = 0; row < fit->rows; row++) {
        for (int column = 0; column < fit->columns; column++) {
            print_cell(picture, fit, fit->left + column * fit->font->width * fit->scale,
                       fit->top + row * fit->font->height * fit->scale);
        }
        putchar('\n');
    }
}

static unsigned count_outside(const struct picture *picture, const struct grid_fit *fit)
{
    const int right = fit->left + fit->columns * fit->font->width * fit->scale;
    const int bottom = fit->top + fit->rows * fit->font->height * fit->scale;
    unsigned count = 0;

    for (int y = 0; y < (int)picture->height; y++) {
        for (int x = 0; x < (int)picture->width; x++) {
            const bool inside = x >= fit->left && x < right && y >= fit->top && y < bottom;

            count += !inside && colour_at(picture, x, y) != GRID_PAPER ? 1 : 0;
        }
    }
    return count;
}

int main(int argc, char **argv)
{
    const bool outside = argc == 3 && strcmp(argv[1], "--outside") == 0;
    struct picture picture = {0};
    int status = 0;

    if (argc != (outside ? 3 : 2) || !load(argv[argc - 1], &picture)) {
        fprintf(stderr, "usage: screen_text [--outside] FILE.ppm (P6, 8 bits)\n");
        return 2;
    }
    const struct grid_fit fit = grid_fit((int)picture.width, (int)picture.height);

    if (outside) {
        const unsigned count = count_outside(&picture, &fit);

        printf("%u\n", count);
        status = count > 0;
    } else {
        print_rows(&picture, &fit);
    }
    free(picture.pixels);
    return status;
}
