/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/dev/screen.h"

#include <stddef.h>

#include "kernel/dev/font.h"

#define SCALE       2 /* a 5 by 7 glyph is unreadable on a panel of today */
#define CELL_WIDTH  ((FONT_WIDTH + 1) * SCALE)
#define CELL_HEIGHT ((FONT_HEIGHT + 2) * SCALE)
#define INK         0x00e0e0e0u
#define PAPER       0x00101418u

static struct framebuffer screen;
static uint32_t row;

static void fill(uint32_t x, uint32_t y, uint32_t width, uint32_t height, uint32_t colour)
{
    for (uint32_t line = y; line < y + height && line < screen.height; line++) {
        volatile uint32_t *pixels =
            (volatile uint32_t *)(uintptr_t)screen.address + (uint64_t)line * screen.stride;

        for (uint32_t column = x; column < x + width && column < screen.width; column++) {
            pixels[column] = colour;
        }
    }
}

bool screen_init(const struct framebuffer *framebuffer)
{
    screen = *framebuffer;
    row = 0;
    if (screen.address == 0) {
        return false;
    }
    fill(0, 0, screen.width, screen.height, PAPER);
    return true;
}

static void draw(uint32_t x, uint32_t y, char character)
{
    const uint8_t *glyph = font_glyph(character);

    for (uint32_t line = 0; line < FONT_HEIGHT; line++) {
        for (uint32_t column = 0; column < FONT_WIDTH; column++) {
            if ((glyph[line] >> (FONT_WIDTH - 1 - column) & 1) != 0) {
                fill(x + column * SCALE, y + line * SCALE, SCALE, SCALE, INK);
            }
        }
    }
}

void screen_print(const char *text)
{
    if (screen.address == 0 || screen.height < CELL_HEIGHT) {
        return;
    }
    if ((row + 1) * CELL_HEIGHT > screen.height) {
        row = 0;
    }
    const uint32_t y = row * CELL_HEIGHT;

    fill(0, y, screen.width, CELL_HEIGHT, PAPER);
    for (uint32_t x = 0; *text != '\0' && x + CELL_WIDTH <= screen.width; x += CELL_WIDTH) {
        draw(x, y + SCALE, *text++);
    }
    row++;
}
