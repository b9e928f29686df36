/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/export/screen_png.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

#define PIXEL_BYTES 3
#define START_BYTES 128 /* of a file, in which its mark is */
#define MARK_KEY    "Software"
#define MARK_TEXT   "tare"

static void write_lines(png_struct *png, const uint32_t *pixels, uint32_t width, uint32_t height,
                        uint8_t *line)
{
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            const uint32_t pixel = pixels[(size_t)y * width + x];

            line[x * PIXEL_BYTES] = (uint8_t)(pixel >> 16);
            line[x * PIXEL_BYTES + 1] = (uint8_t)(pixel >> 8);
            line[x * PIXEL_BYTES + 2] = (uint8_t)pixel;
        }
        png_write_row(png, line);
    }
}

bool screen_png_write(FILE *out, const uint32_t *pixels, uint32_t width, uint32_t height)
{
    png_text mark = {.compression = PNG_TEXT_COMPRESSION_NONE,
                     .key = (char *)MARK_KEY,
                     .text = (char *)MARK_TEXT};
    uint8_t *line = alloc_zeroed((size_t)width * PIXEL_BYTES);
    png_struct *png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_info *info = png != NULL ? png_create_info_struct(png) : NULL;

    /* libpng comes back here when it cannot write. */
    if (info == NULL || setjmp(png_jmpbuf(png)) != 0) {
        png_destroy_write_struct(&png, &info);
        free(line);
        return false;
    }
    png_init_io(png, out);
    png_set_IHDR(png, info, width, height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_text(png, info, &mark, 1);
    png_write_info(png, info);
    write_lines(png, pixels, width, height, line);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    free(line);
    return fflush(out) == 0 && ferror(out) == 0;
}

bool screen_png_is_own(const char *path)
{
    static const char mark[] = MARK_KEY "\0" MARK_TEXT;
    char start[START_BYTES];
    FILE *file = fopen(path, "rb");

    if (file == NULL) {
        return false;
    }
    const size_t length = fread(start, 1, sizeof(start), file);

    fclose(file);
    return length >= 8 && png_sig_cmp((png_bytep)start, 0, 8) == 0 &&
           memmem(start, length, mark, sizeof(mark) - 1) != NULL;
}
