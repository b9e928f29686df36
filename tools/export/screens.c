/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/export/screens.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/names.h"
#include "bench/interactive/screen_runs.h"
#include "tools/base/alloc.h"
#include "tools/base/interrupt.h"
#include "tools/export/screen_png.h"

static const char prefix[] = SERIES_SCREEN ".";

static bool is_screen(const struct run_series *series)
{
    return series->event == NULL && strncmp(series->name, prefix, sizeof(prefix) - 1) == 0;
}

/* NULL, with the reason in `error`. The caller frees the pixels. */
static uint32_t *read_pixels(const struct run_bench *bench, const struct run_series *series,
                             int32_t *width, int32_t *height, char error[EXPORT_ERROR_MAX])
{
    uint32_t *pixels = NULL;

    if (!run_series_whole(series)) {
        snprintf(error, EXPORT_ERROR_MAX, "%.100s/%.200s is incomplete: the line lost a part of it",
                 bench->name, series->name);
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
    const bool written =
        out != NULL && screen_png_write(out, pixels, (uint32_t)width, (uint32_t)height);

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
