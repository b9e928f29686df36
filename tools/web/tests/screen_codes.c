/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * screen_codes LOG FOLDER COUNT: draws the first COUNT codes of a log as the image shows them, to FOLDER/NNNN.pgm
 * of 1280 by 800 pixels, and prints a line of camera.c's film for each: 200 ms, name.
 */
#include <stdio.h>
#include <stdlib.h>

#include "kernel/link/screen_blocks.h"
#include "qrcodegen.h"

enum { WIDTH = 1280, HEIGHT = 800, MODULE = 6, QUIET = 4, VERSION = 25, MS = 200 };

static void fail(const char *what, const char *name)
{
    fprintf(stderr, "screen_codes: %s %s\n", what, name);
    exit(1);
}

static uint8_t *log_read(const char *name, size_t *length)
{
    FILE *file = fopen(name, "rb");
    uint8_t *bytes = malloc(SCREEN_LOG_MAX);

    if (file == NULL || bytes == NULL) {
        fail("cannot read", name);
    }
    *length = fread(bytes, 1, SCREEN_LOG_MAX, file);
    fclose(file);
    return bytes;
}

static void draw(const uint8_t *qr, const char *name)
{
    const int side = qrcodegen_getSize(qr);
    const int whole = (side + 2 * QUIET) * MODULE;
    const int left = (WIDTH - whole) / 2;
    const int top = (HEIGHT - whole) / 2;
    FILE *file = fopen(name, "wb");

    if (file == NULL) {
        fail("cannot write", name);
    }
    fprintf(file, "P5 %d %d 255\n", WIDTH, HEIGHT);
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            const bool is_code = x >= left && x < left + whole && y >= top && y < top + whole;
            const bool is_dark = is_code && qrcodegen_getModule(qr, (x - left) / MODULE - QUIET, (y - top) / MODULE - QUIET);

            putc(is_code && !is_dark ? 255 : 0, file);
        }
    }
    fclose(file);
}

int main(int count, char **words)
{
    static uint8_t code[qrcodegen_BUFFER_LEN_FOR_VERSION(VERSION)];
    static uint8_t qr[qrcodegen_BUFFER_LEN_FOR_VERSION(VERSION)];
    struct screen_log log;
    size_t length;

    if (count != 4) {
        fail("usage: screen_codes LOG FOLDER", "COUNT");
    }
    const uint8_t *bytes = log_read(words[1], &length);

    if (!screen_log_open(&log, bytes, length)) {
        fail("empty or too long:", words[1]);
    }
    for (uint32_t step = 0; step < (uint32_t)atoi(words[3]); step++) {
        char name[512];
        const size_t size = screen_log_code(&log, screen_log_number(&log, step), code);

        if (!qrcodegen_encodeBinary(code, size, qr, qrcodegen_Ecc_LOW, VERSION, VERSION, qrcodegen_Mask_0, false)) {
            fail("code too long:", words[1]);
        }
        snprintf(name, sizeof(name), "%s/%04u.pgm", words[2], (unsigned)step);
        draw(qr, name);
        printf("%d %s\n", MS, name);
    }
    return 0;
}
