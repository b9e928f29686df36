/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads text off a screen dump (PPM, P6) that kernel/screen/screen.c drew: screen_text FILE.ppm
 * prints each row. A cell is known when all its pixels are those of one glyph; any other prints as
 * '?'.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/screen/font.h"

#define SCALE       2
#define CELL_WIDTH  ((FONT_WIDTH + 1) * SCALE)
#define CELL_HEIGHT ((FONT_HEIGHT + 2) * SCALE)
#define SIDE_MAX    8192
#define BRIGHT      0x80

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

static int is_bright(const struct picture *picture, unsigned x, unsigned y)
{
    return picture->pixels[((size_t)y * picture->width + x) * 3] >= BRIGHT;
}

static int cell_is(const struct picture *picture, unsigned x, unsigned y, char character)
{
    const uint8_t *glyph = font_glyph(character);

    for (unsigned row = 0; row < FONT_HEIGHT * SCALE; row++) {
        for (unsigned column = 0; column < FONT_WIDTH * SCALE; column++) {
            const int ink = glyph[row / SCALE] >> (FONT_WIDTH - 1 - column / SCALE) & 1;

            if (ink != is_bright(picture, x + column, y + SCALE + row)) {
                return 0;
            }
        }
    }
    return 1;
}

static char read_cell(const struct picture *picture, unsigned x, unsigned y)
{
    for (int character = ' '; character <= '~'; character++) {
        if (cell_is(picture, x, y, (char)character)) {
            return (char)character;
        }
    }
    return '?';
}

int main(int argc, char **argv)
{
    struct picture picture = {0};

    if (argc != 2 || !load(argv[1], &picture)) {
        fprintf(stderr, "usage: screen_text FILE.ppm (P6, 8 bits)\n");
        return 2;
    }
    for (unsigned y = 0; y + CELL_HEIGHT <= picture.height; y += CELL_HEIGHT) {
        for (unsigned x = 0; x + CELL_WIDTH <= picture.width; x += CELL_WIDTH) {
            putchar(read_cell(&picture, x, y));
        }
        putchar('\n');
    }
    free(picture.pixels);
    return 0;
}
