/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Screens as run lengths: bench/interactive/screen_runs.h. What is written is read again, pixel by
 * pixel; of any other values all that is small is tried, and damaged screens by chance: the pixels
 * end where the sanitizer looks.
 */
#include "bench/interactive/screen_runs.h"
#include "tools/tests/support/unit.h"

#include <stdlib.h>

#define WIDTH    37
#define HEIGHT   19
#define STRIDE   41
#define RUNS_MAX (2 + 2 * WIDTH * HEIGHT)
#define ROUNDS   2000

static uint64_t seed = 3;

static uint32_t random_below(uint32_t limit)
{
    return (uint32_t)(unit_random(&seed) % limit);
}

static uint32_t memory[STRIDE * HEIGHT];
static struct surface surface;

static void paint(uint32_t colours)
{
    surface_init(&surface, memory, WIDTH, HEIGHT, STRIDE);
    for (uint32_t i = 0; i < STRIDE * HEIGHT; i++) {
        memory[i] = 0xff000000u + random_below(colours) * 0x10203u;
    }
}

/* Into just as many pixels as the values claim. */
static bool read_runs(const int64_t *runs, size_t count, uint32_t **pixels)
{
    int32_t width;
    int32_t height;

    *pixels = NULL;
    if (!screen_runs_size(runs, count, &width, &height)) {
        return false;
    }
    CHECK(width > 0 && height > 0);
    if ((int64_t)width * height <= WIDTH * HEIGHT) {
        *pixels = malloc((size_t)width * (size_t)height * sizeof(**pixels));
    }
    return *pixels != NULL && screen_runs_read(runs, count, *pixels);
}

static void test_round_trip(void)
{
    static int64_t runs[RUNS_MAX];

    for (uint32_t colours = 1; colours < 9; colours++) {
        uint32_t *pixels;
        bool same = true;

        paint(colours);
        const size_t count = screen_runs_write(&surface, runs, RUNS_MAX);

        CHECK(count <= RUNS_MAX && count == screen_runs_write(&surface, NULL, 0));
        CHECK(colours > 1 || count == 4);
        CHECK(read_runs(runs, count, &pixels));
        for (int i = 0; pixels != NULL && i < WIDTH * HEIGHT; i++) {
            same = same && pixels[i] == (memory[i / WIDTH * STRIDE + i % WIDTH] & 0xffffffu);
        }
        CHECK(pixels != NULL && same);
        free(pixels);
    }
}

/* What finds no room is counted and not written. */
static void test_capacity(void)
{
    int64_t runs[8] = {0};

    paint(5);
    CHECK(screen_runs_write(&surface, runs, 7) > 8);
    CHECK(runs[0] == WIDTH && runs[1] == HEIGHT && runs[6] != 0 && runs[7] == 0);
}

/* Of values by which a screen of 2 pixels is described and others: all of up to 6. */
static void test_all_small(void)
{
    static const int64_t values[] = {-1, 0, 1, 2, 3, 0x1000000};
    const size_t kinds = sizeof(values) / sizeof(*values);
    unsigned good = 0;

    for (size_t count = 0; count <= 6; count++) {
        size_t all = 1;

        for (size_t i = 0; i < count; i++) {
            all *= kinds;
        }
        for (size_t code = 0; code < all; code++) {
            int64_t *runs = malloc((count > 0 ? count : 1) * sizeof(*runs));
            uint32_t *pixels;
            size_t rest = code;

            for (size_t i = 0; i < count; i++, rest /= kinds) {
                runs[i] = values[rest % kinds];
            }
            if (read_runs(runs, count, &pixels)) {
                good++;
                CHECK(count == 4 || runs[3] + runs[5] == runs[0] * runs[1]);
            }
            free(pixels);
            free(runs);
        }
    }
    /* 5 sizes with 4 colours in one run; in two runs 11 sizes and lengths, 16 pairs of colours. */
    CHECK_EQUAL(good, 5 * 4 + 11 * 16);
}

static void test_damaged(void)
{
    static int64_t runs[RUNS_MAX];
    unsigned refused = 0;

    paint(3);
    const size_t count = screen_runs_write(&surface, runs, RUNS_MAX);

    for (unsigned round = 0; round < ROUNDS; round++) {
        const size_t kept = 1 + random_below((uint32_t)count);
        int64_t *damaged = malloc(kept * sizeof(*damaged));
        uint32_t *pixels;

        memcpy(damaged, runs, kept * sizeof(*damaged));
        damaged[random_below((uint32_t)kept)] ^= 1ll << random_below(63);
        refused += read_runs(damaged, kept, &pixels) ? 0 : 1;
        free(pixels);
        free(damaged);
    }
    CHECK(refused > ROUNDS / 2);
}

int main(void)
{
    RUN(test_round_trip());
    RUN(test_capacity());
    RUN(test_all_small());
    RUN(test_damaged());
    return unit_finish("unit_screen_runs");
}
