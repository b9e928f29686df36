/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * screen_codes LOG FOLDER COUNT: draws the first COUNT codes of a log where the image shows them,
 * to FOLDER/NNNN.png of 1280 by 800 pixels, and prints a line of camera_film's input for each: 220
 * ms, name.
 */
#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernel/link/screen_blocks.h"
#include "kernel/screen/code.h"

/* As the image shows them (kernel/screen/screen.c, kernel/codes.c). */
enum { WIDTH = 1280, HEIGHT = 800, MODULE = 6, SIDE = MODULE * CODE_MODULES, MS = 220 };

static void fail(const char *what, const char *name)
{
    fprintf(stderr, "screen_codes: %s %s\n", what, name);
    exit(1);
}

static uint8_t bytes[SCREEN_LOG_MAX];

static size_t log_read(const char *name)
{
    FILE *file = fopen(name, "rb");

    if (file == NULL) {
        fail("cannot read", name);
    }
    const size_t length = fread(bytes, 1, sizeof(bytes), file);

    fclose(file);
    return length;
}

/* Writes the blue of each pixel as grey. */
static void write_screen(const uint32_t *pixels, const char *name)
{
    static uint8_t grey[WIDTH * HEIGHT];
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT, .format = PNG_FORMAT_GRAY};

    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        grey[i] = (uint8_t)pixels[i];
    }
    if (!png_image_write_to_file(&image, name, 0, grey, 0, NULL)) {
        fail("cannot write", name);
    }
}

int main(int count, char **words)
{
    static uint32_t pixels[WIDTH * HEIGHT];
    static uint8_t code[SCREEN_CODE_MAX];
    struct surface screen;
    struct screen_log log;

    if (count != 4) {
        fail("usage: screen_codes LOG FOLDER", "COUNT");
    }
    if (!screen_log_open(&log, bytes, log_read(words[1]))) {
        fail("empty or too long:", words[1]);
    }
    surface_init(&screen, pixels, WIDTH, HEIGHT, WIDTH);
    for (uint32_t step = 0; step < (uint32_t)atoi(words[3]); step++) {
        char name[512];
        const size_t size = screen_log_code(&log, screen_log_number(&log, step), code);

        if (!code_draw(&screen, WIDTH - SIDE, (HEIGHT - SIDE) / 2, MODULE, code, size)) {
            fail("code too long:", words[1]);
        }
        snprintf(name, sizeof(name), "%s/%04u.png", words[2], (unsigned)step);
        write_screen(pixels, name);
        printf("%d %s\n", MS, name);
    }
    return 0;
}
