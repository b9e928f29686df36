/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/export/screens.h"

#include <errno.h>
#include <inttypes.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "bench/interactive/screen_runs.h"
#include "tools/base/alloc.h"
#include "tools/base/interrupt.h"

#define PIXEL_BYTES 3

static const char prefix[] = SERIES_SCREEN ".";

static bool is_screen(const struct run_series *series)
{
    return series->event == NULL && strncmp(series->name, prefix, sizeof(prefix) - 1) == 0;
}

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

/* Writes pixels 0xRRGGBB, line by line. Returns false if not everything was written. */
static bool write_png(FILE *out, const uint32_t *pixels, uint32_t width, uint32_t height)
{
    png_text mark = {.compression = PNG_TEXT_COMPRESSION_NONE,
                     .key = (char *)EXPORT_SCREEN_KEY,
                     .text = (char *)EXPORT_SCREEN_TEXT};
    uint8_t *line = alloc_zeroed((size_t)width * PIXEL_BYTES);
    png_struct *png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_info *info = png != NULL ? png_create_info_struct(png) : NULL;

    /* libpng returns here if it cannot write */
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

/* Decodes a screen. Returns NULL, with the reason in `error`, on failure. The caller frees the
 * pixels. */
static uint32_t *read_pixels(const struct run_bench *bench, const struct run_series *series,
                             int32_t *width, int32_t *height, char error[EXPORT_ERROR_MAX])
{
    uint32_t *pixels = NULL;

    if (!run_series_whole(series)) {
        snprintf(error, EXPORT_ERROR_MAX,
                 "%.100s/%.200s is incomplete: the serial line lost a part of it", bench->name,
                 series->name);
        return NULL;
    }
    if (screen_runs_size(series->samples, series->received, width, height)) {
        pixels = alloc_zeroed((size_t)*width * (size_t)*height * sizeof(*pixels));
        if (screen_runs_read(series->samples, series->received, pixels)) {
            return pixels;
        }
    }
    free(pixels);
    snprintf(error, EXPORT_ERROR_MAX, "%.100s/%.200s describes no screen", bench->name,
             series->name);
    return NULL;
}

static bool write_file(const char *path, const uint32_t *pixels, int32_t width, int32_t height,
                       char error[EXPORT_ERROR_MAX])
{
    FILE *out = fopen(path, "wb");
    const bool written = out != NULL && write_png(out, pixels, (uint32_t)width, (uint32_t)height);

    if (!written) {
        snprintf(error, EXPORT_ERROR_MAX, "cannot write %.400s: %s", path, strerror(errno));
    }
    return (out == NULL || fclose(out) == 0) && written;
}

static bool write_screen(const struct run_bench *bench, const struct run_series *series,
                         struct export_directory *directory, char error[EXPORT_ERROR_MAX])
{
    char path[EXPORT_PATH_MAX];
    char name[EXPORT_PATH_MAX];
    char pass[16] = "";
    int32_t width;
    int32_t height;

    if (bench->pass > 1) {
        snprintf(pass, sizeof(pass), ".%" PRIu32, bench->pass);
    }
    snprintf(name, sizeof(name), "%.500s%s-%.500s.png", bench->name, pass,
             series->name + sizeof(prefix) - 1);
    uint32_t *pixels = read_pixels(bench, series, &width, &height, error);
    const bool written = pixels != NULL && export_directory_add(directory, name, path, error) &&
                         write_file(path, pixels, width, height, error);

    free(pixels);
    return written;
}

bool screens_write(const struct run *run, const char *bench, struct export_directory *directory,
                   char error[EXPORT_ERROR_MAX])
{
    size_t count = 0;

    error[0] = '\0';
    for (size_t i = 0; i < run->bench_count; i++) {
        const struct run_bench *one = &run->benches[i];

        for (size_t k = 0; run_bench_is(one, bench) && k < one->series_count; k++) {
            if (!is_screen(&one->series[k])) {
                continue;
            }
            if (interrupt_seen() || !write_screen(one, &one->series[k], directory, error)) {
                return false;
            }
            count++;
        }
    }
    if (count == 0) {
        snprintf(error, EXPORT_ERROR_MAX,
                 "the run has no screen%s%.200s; boot a bench that has windows, such as editor",
                 bench != NULL ? " of bench " : "", bench != NULL ? bench : "");
    }
    return count > 0;
}
