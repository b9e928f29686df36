/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Makes a run file of a bench with screens, for tests of what writes their pictures.
 *
 *     screen_run OUT.db BROKEN.db
 *
 * Bench `drawn` has the screens `in_kernel.hand` and `server.hand` of known pixels, which stdout
 * has: a line "in_kernel.hand 37 23" with width and height, then a line of hexadecimal colours for
 * each line of pixels. In BROKEN.db the second screen lacks its last run.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench/interactive/names.h"
#include "bench/interactive/screen_runs.h"
#include "kernel/screen/surface.h"
#include "tools/store/runfile.h"
#include "tools/tests/support/run_builder.h"

#define WIDTH    37
#define HEIGHT   23
#define STRIDE   40
#define RUNS_MAX (2 + 2 * WIDTH * HEIGHT)
#define SCREENS  2

static const char *const names[SCREENS] = {"in_kernel.hand", "server.hand"};
static const char *const series_names[SCREENS] = {SERIES_SCREEN ".in_kernel.hand",
                                                  SERIES_SCREEN ".server.hand"};

/* Every colour channel varies by itself, and there are runs of one pixel and of lines. */
static uint32_t colour(unsigned screen, unsigned x, unsigned y)
{
    return y % 3 == 0 ? 0x123456u + screen : x << 17 | y << 9 | ((x * y + screen) & 0xff);
}

static size_t draw(unsigned screen, int64_t runs[RUNS_MAX])
{
    static uint32_t pixels[STRIDE * HEIGHT];
    const struct surface surface = {
        .pixels = pixels, .width = WIDTH, .height = HEIGHT, .stride = STRIDE};

    printf("%s %d %d\n", names[screen], WIDTH, HEIGHT);
    for (unsigned y = 0; y < HEIGHT; y++) {
        for (unsigned x = 0; x < WIDTH; x++) {
            pixels[y * STRIDE + x] = colour(screen, x, y);
            printf("%06x%c", pixels[y * STRIDE + x], x + 1 < WIDTH ? ' ' : '\n');
        }
    }
    return screen_runs_write(&surface, runs, RUNS_MAX);
}

static bool write_run(const char *path, size_t lacking)
{
    char error[RUNFILE_ERROR_MAX];
    struct run run;

    run_init(&run);
    struct run_bench *bench = build_bench(&run, "drawn", 1);

    for (unsigned i = 0; i < SCREENS; i++) {
        int64_t runs[RUNS_MAX];
        const size_t count = draw(i, runs) - (i > 0 ? lacking : 0);
        struct run_series *series = build_series(bench, series_names[i], NULL, NULL, runs, count);

        series->crc = run_series_crc(series);
    }
    run.ended = true;
    const bool written = runfile_write(path, &run, error);

    if (!written) {
        fprintf(stderr, "screen_run: %s\n", error);
    }
    run_free(&run);
    return written;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: screen_run OUT.db BROKEN.db\n", stderr);
        return EXIT_FAILURE;
    }
    if (!write_run(argv[1], 0)) {
        return EXIT_FAILURE;
    }
    fputs("broken\n", stdout);
    return write_run(argv[2], 2) ? EXIT_SUCCESS : EXIT_FAILURE;
}
