/* SPDX-License-Identifier: BSD-2-Clause */
/* Pictures of codes, drawn as the image draws them, give the log; others are reported and do no
 * harm. */
#include <png.h>
#include <unistd.h>

#include "kernel/link/screen_blocks.h"
#include "kernel/screen/code.h"
#include "tools/shots/read_code.h"
#include "tools/shots/shots.h"
#include "tools/tests/support/unit.h"

#define WIDTH  800
#define HEIGHT 600
#define BYTES  7000
#define SHOTS  8

static char folder[] = "/tmp/unit_shots.XXXXXX";
static char names[SHOTS + 1][64]; /* the last one is the log's */
static char *paths[SHOTS];
static uint8_t bytes[BYTES];
static uint32_t pixels[WIDTH * HEIGHT];

/* Draws a code at a scale on a dark screen. */
static void draw(const uint8_t *code, size_t length, int32_t scale)
{
    struct surface surface;

    surface_init(&surface, pixels, WIDTH, HEIGHT, WIDTH);
    surface_fill(&surface, surface.clip, 0x00101418);
    CHECK(code_draw(&surface, WIDTH - scale * CODE_MODULES, 20, scale, code, length));
}

static void write_png(const char *path)
{
    png_image image = {.version = PNG_IMAGE_VERSION, .width = WIDTH, .height = HEIGHT};
    static uint8_t lines[WIDTH * HEIGHT * 3];

    for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
        memset(lines + 3 * i, pixels[i] & 0xff, 3);
    }
    image.format = PNG_FORMAT_RGB;
    CHECK(png_image_write_to_file(&image, path, 0, lines, 0, NULL) != 0);
}

/* Writes pictures of SHOTS codes from number `first` on. */
static struct screen_log write_shots(uint32_t first, uint64_t seed)
{
    struct screen_log log = {0};
    uint8_t code[SCREEN_CODE_MAX];

    for (size_t i = 0; i < BYTES; i++) {
        bytes[i] = (uint8_t)unit_random(&seed);
    }
    CHECK(screen_log_open(&log, bytes, BYTES));
    for (uint32_t i = 0; i < SHOTS; i++) {
        draw(code, screen_log_code(&log, first + i, code), 2 + (int32_t)(i % 3));
        write_png(paths[i]);
    }
    return log;
}

static bool log_is(const uint8_t *expected, size_t length)
{
    static uint8_t found[BYTES + 1];
    FILE *file = fopen(names[SHOTS], "rb");
    const bool same = file != NULL && fread(found, 1, sizeof(found), file) == length &&
                      memcmp(found, expected, length) == 0;

    if (file != NULL) {
        fclose(file);
    }
    return same;
}

static bool gather(size_t first, size_t count, char error[SHOTS_ERROR_MAX])
{
    error[0] = '\0';
    return shots_to_log(paths + first, count, names[SHOTS], error);
}

/* Every size of a code is read, and each byte of it. */
static void test_codes(void)
{
    uint8_t code[CODE_BYTES_MAX];
    uint8_t back[CODE_BYTES_MAX];
    static uint8_t grey[WIDTH * HEIGHT];
    uint64_t seed = 7;

    for (int32_t scale = 2; scale <= 4; scale++) {
        const size_t length = scale == 3 ? 300 : CODE_BYTES_MAX;

        for (size_t i = 0; i < length; i++) {
            code[i] = (uint8_t)unit_random(&seed);
        }
        draw(code, length, scale);
        for (size_t i = 0; i < WIDTH * HEIGHT; i++) {
            grey[i] = (uint8_t)pixels[i];
        }
        CHECK_EQUAL(length, read_code(grey, WIDTH, HEIGHT, back, sizeof(back)));
        CHECK(memcmp(code, back, length) == 0);
        CHECK_EQUAL(100, read_code(grey, WIDTH, HEIGHT, back, 100));
    }
    CHECK(!code_draw(NULL, 0, 0, 1, code, CODE_BYTES_MAX + 1));
}

static void test_log(void)
{
    char error[SHOTS_ERROR_MAX];

    write_shots(3, 1);
    CHECK(!gather(0, 4, error));
    CHECK(strstr(error, "4 of 6 codes: take screenshots of 2 more") != NULL);
    CHECK(access(names[SHOTS], F_OK) != 0);
    CHECK(gather(0, SHOTS, error));
    CHECK(log_is(bytes, BYTES));
}

/* A log that is there stays. */
static void test_other_log(void)
{
    char error[SHOTS_ERROR_MAX];
    static uint8_t before[BYTES];

    memcpy(before, bytes, BYTES);
    write_shots(0, 2);
    CHECK(!gather(0, SHOTS, error));
    CHECK(strstr(error, "decode that log, or choose another name") != NULL);
    CHECK(log_is(before, BYTES));
    CHECK(unlink(names[SHOTS]) == 0);
}

static void spoil(const char *path, long at, uint8_t byte)
{
    FILE *file = fopen(path, "r+b");

    CHECK(file != NULL && fseek(file, at, SEEK_SET) == 0 && fputc(byte, file) == byte);
    fclose(file);
}

/* A damaged picture, one without a code, and one of another log: the others are enough. */
static void test_bad_pictures(void)
{
    char error[SHOTS_ERROR_MAX];
    const struct screen_log log = write_shots(0, 3);
    uint8_t code[SCREEN_CODE_MAX];
    size_t length = screen_log_code(&log, 1, code);

    spoil(paths[6], 100, 0);
    code[4] ^= 1;
    draw(code, length, 4);
    write_png(paths[7]);
    memset(pixels, 0, sizeof(pixels));
    CHECK(gather(0, SHOTS, error));
    CHECK(log_is(bytes, BYTES));
    write_png(paths[0]);
    CHECK(!gather(0, 1, error));
    CHECK(strstr(error, "no code of tare in these pictures:") != NULL);
    CHECK(!gather(1, SHOTS - 1, error));
    CHECK(strstr(error, "5 of 6 codes: take screenshots of 1 more") != NULL);
    CHECK(truncate(paths[1], 500) == 0 && !gather(0, 2, error));
    CHECK(unlink(paths[2]) == 0 && !gather(2, 1, error));
    write_png(paths[2]);
}

/* 800 by 600 pixels, and one fewer allowed. */
static void test_limit(void)
{
    char error[SHOTS_ERROR_MAX];
    int width = 0;
    int height = 0;
    FILE *file = fopen(paths[2], "rb");

    CHECK(shots_pixels(file, WIDTH * HEIGHT - 1, &width, &height, error) == NULL);
    CHECK(strstr(error, "got 800 by 600: crop the picture") != NULL);
    rewind(file);
    uint8_t *grey = shots_pixels(file, WIDTH * HEIGHT, &width, &height, error);

    CHECK(grey != NULL && width == WIDTH && height == HEIGHT);
    free(grey);
    fclose(file);
}

int main(void)
{
    CHECK(mkdtemp(folder) != NULL);
    for (size_t i = 0; i <= SHOTS; i++) {
        snprintf(names[i], sizeof(names[i]), "%s/%zu", folder, i);
        paths[i % SHOTS] = names[i % SHOTS];
    }
    RUN(test_codes());
    RUN(test_log());
    RUN(test_other_log());
    RUN(test_bad_pictures());
    RUN(test_limit());
    for (size_t i = 0; i <= SHOTS; i++) {
        unlink(names[i]);
    }
    rmdir(folder);
    return unit_finish("unit_shots");
}
