/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drawing: kernel/screen/surface.h, against a pixel-by-pixel oracle that asks of each pixel of
 * memory what it must be. The surface lies in the midst of guard pixels, which must never change.
 */
#include "kernel/screen/surface.h"
#include "tools/tests/support/unit.h"

#include <limits.h>
#include <stdbool.h>

#define WIDTH        37
#define HEIGHT       23
#define STRIDE       41
#define GUARD_LINES  5
#define LINES        (HEIGHT + 2 * GUARD_LINES)
#define PIXELS       (STRIDE * LINES)
#define ROUNDS       20000
#define TEXT_ROUNDS  3000
#define GUARD_COLOUR 0xdeadbeefu

static uint32_t memory[PIXELS];
static uint32_t wanted[PIXELS];
static struct surface surface;
static uint64_t seed = 1;

static uint32_t *at(uint32_t *pixels, int64_t x, int64_t y)
{
    return &pixels[(y + GUARD_LINES) * STRIDE + x];
}

/* Every pixel has another colour, with guards around. */
static void begin(void)
{
    for (int64_t i = 0; i < PIXELS; i++) {
        memory[i] = GUARD_COLOUR;
    }
    for (int64_t y = 0; y < HEIGHT; y++) {
        for (int64_t x = 0; x < WIDTH; x++) {
            *at(memory, x, y) = (uint32_t)(y * WIDTH + x);
        }
    }
    memcpy(wanted, memory, sizeof(memory));
    surface_init(&surface, at(memory, 0, 0), WIDTH, HEIGHT, STRIDE);
}

static bool as_wanted(void)
{
    return memcmp(memory, wanted, sizeof(memory)) == 0;
}

static bool inside(struct rectangle area, int64_t x, int64_t y)
{
    return x >= area.x && x < (int64_t)area.x + area.width && y >= area.y &&
           y < (int64_t)area.y + area.height;
}

static bool on_surface(int64_t x, int64_t y)
{
    return x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT;
}

/* ---- what may be asked for ---- */

/* Mostly near the surface; at times far away, or the largest and smallest there is. */
static int32_t some_coordinate(void)
{
    static const int32_t extremes[] = {INT_MIN, INT_MIN + 1, -100000, INT_MAX - 1, INT_MAX, 100000};
    const uint64_t value = unit_random(&seed);

    return value % 16 == 0 ? extremes[value / 16 % 6] : (int32_t)(value / 16 % 61) - 12;
}

static struct rectangle some_rectangle(void)
{
    struct rectangle area;

    area.x = some_coordinate();
    area.y = some_coordinate();
    area.width = some_coordinate();
    area.height = some_coordinate();
    return area;
}

static struct rectangle begin_clipped(void)
{
    struct rectangle clip = some_rectangle();

    begin();
    if (unit_random(&seed) % 4 == 0) {
        clip = (struct rectangle){0, 0, WIDTH, HEIGHT};
    }
    surface_clip(&surface, clip);
    return clip;
}

/* ---- the oracle: is this pixel written, and from where? ---- */

static void want_fill(struct rectangle clip, struct rectangle area, uint32_t colour)
{
    for (int64_t y = 0; y < HEIGHT; y++) {
        for (int64_t x = 0; x < WIDTH; x++) {
            if (inside(clip, x, y) && inside(area, x, y)) {
                *at(wanted, x, y) = colour;
            }
        }
    }
}

static void want_outline(struct rectangle clip, struct rectangle area, int64_t thickness)
{
    for (int64_t y = 0; y < HEIGHT; y++) {
        for (int64_t x = 0; x < WIDTH; x++) {
            const bool border = x - area.x < thickness || y - area.y < thickness ||
                                (int64_t)area.x + area.width - 1 - x < thickness ||
                                (int64_t)area.y + area.height - 1 - y < thickness;

            if (thickness > 0 && border && inside(clip, x, y) && inside(area, x, y)) {
                *at(wanted, x, y) = 7;
            }
        }
    }
}

static void want_copy(struct rectangle clip, struct rectangle from, int64_t right, int64_t down)
{
    for (int64_t y = 0; y < HEIGHT; y++) {
        for (int64_t x = 0; x < WIDTH; x++) {
            if (inside(clip, x, y) && inside(from, x - right, y - down) &&
                on_surface(x - right, y - down)) {
                *at(wanted, x, y) = *at(memory, x - right, y - down);
            }
        }
    }
}

static void want_character(struct rectangle clip, int64_t left, int64_t top, char character,
                           const struct text_style *style)
{
    const uint8_t *glyph = font_glyph(character);

    for (int64_t y = 0; y < HEIGHT; y++) {
        for (int64_t x = 0; x < WIDTH; x++) {
            const int64_t in_x = x - left;
            const int64_t in_y = y - top;

            if (!inside(clip, x, y) || in_x < 0 || in_x >= text_cell_width(style) || in_y < 0 ||
                in_y >= text_cell_height(style)) {
                continue;
            }
            const int64_t column = in_x / style->scale;
            const int64_t row = in_y / style->scale - 1;
            const bool ink = row >= 0 && row < FONT_HEIGHT && column < FONT_WIDTH &&
                             (glyph[row] >> (FONT_WIDTH - 1 - column) & 1) != 0;

            *at(wanted, x, y) = ink ? style->ink : style->paper;
        }
    }
}

/* ---- the tests ---- */

static void test_fill(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        const struct rectangle clip = begin_clipped();
        const struct rectangle area = some_rectangle();

        surface_fill(&surface, area, 0xabcdef);
        want_fill(clip, area, 0xabcdef);
        CHECK(as_wanted());
    }
}

static void test_outline(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        const struct rectangle clip = begin_clipped();
        const struct rectangle area = some_rectangle();
        const int32_t thickness = i % 2 == 0 ? some_coordinate() : (int32_t)(i / 2 % 5);

        surface_outline(&surface, area, thickness, 7);
        want_outline(clip, area, thickness);
        CHECK(as_wanted());
    }
}

static void test_copy(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        const struct rectangle clip = begin_clipped();
        const struct rectangle from = some_rectangle();
        const int32_t x = some_coordinate();
        const int32_t y = some_coordinate();

        want_copy(clip, from, (int64_t)x - from.x, (int64_t)y - from.y);
        surface_copy(&surface, from, x, y);
        CHECK(as_wanted());
    }
}

/* A copy within the area, and then what the area's foot uncovers. */
static void test_scroll(void)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        const struct rectangle clip = begin_clipped();
        const struct rectangle area = some_rectangle();
        const int32_t lines = some_coordinate();

        for (int64_t y = 0; lines > 0 && y < HEIGHT; y++) {
            for (int64_t x = 0; x < WIDTH; x++) {
                if (!inside(clip, x, y) || !inside(area, x, y)) {
                    continue;
                }
                if (!inside(area, x, y + lines)) {
                    *at(wanted, x, y) = 9;
                } else if (on_surface(x, y + lines)) {
                    *at(wanted, x, y) = *at(memory, x, y + lines);
                }
            }
        }
        surface_scroll(&surface, area, lines, 9);
        CHECK(as_wanted());
    }
}

static void test_characters(void)
{
    for (unsigned i = 0; i < TEXT_ROUNDS; i++) {
        const struct rectangle clip = begin_clipped();
        const int32_t x = some_coordinate();
        const int32_t y = some_coordinate();
        const struct text_style style = {1 + (int32_t)(i % 4), 1000, 2000};
        const char character = (char)unit_random(&seed);

        surface_character(&surface, x, y, character, &style);
        want_character(clip, x, y, character, &style);
        CHECK(as_wanted());
    }
}

static void test_text(void)
{
    static const char text[] = "tare: A.";
    const struct text_style style = {1, 1000, 2000};

    for (unsigned i = 0; i < TEXT_ROUNDS; i++) {
        const struct rectangle clip = begin_clipped();
        const int32_t x = some_coordinate();
        const int32_t y = some_coordinate();

        surface_text(&surface, x, y, text, &style);
        for (int64_t k = 0; text[k] != '\0'; k++) {
            want_character(clip, x + k * text_cell_width(&style), y, text[k], &style);
        }
        CHECK(as_wanted());
    }
}

/* What is clipped to is what was asked for and is on the surface; and it can be taken back. */
static void test_clip(void)
{
    begin();
    surface_clip(&surface, (struct rectangle){-5, 3, 10, INT_MAX});
    CHECK_EQUAL(surface.clip.x, 0);
    CHECK_EQUAL(surface.clip.y, 3);
    CHECK_EQUAL(surface.clip.width, 5);
    CHECK_EQUAL(surface.clip.height, HEIGHT - 3);
    surface_clip(&surface, (struct rectangle){WIDTH, 0, 1, 1});
    CHECK_EQUAL(surface.clip.width, 0);
    surface_fill(&surface, (struct rectangle){0, 0, WIDTH, HEIGHT}, 1);
    CHECK(as_wanted());
    surface_clip(&surface, (struct rectangle){0, 0, WIDTH, HEIGHT});
    surface_fill(&surface, (struct rectangle){INT_MIN, INT_MIN, INT_MAX, INT_MAX}, 1);
    CHECK(as_wanted());
    surface_fill(&surface, (struct rectangle){-1, -1, INT_MAX, INT_MAX}, 1);
    want_fill(surface.clip, surface.clip, 1);
    CHECK(as_wanted());
}

int main(void)
{
    RUN(test_fill());
    RUN(test_outline());
    RUN(test_copy());
    RUN(test_scroll());
    RUN(test_characters());
    RUN(test_text());
    RUN(test_clip());
    return unit_finish("unit_surface");
}
