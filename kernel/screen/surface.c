/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/screen/surface.h"

#include <stdbool.h>
#include <stddef.h>

/* A rectangle by its borders: pixels from left up to, not including, right. Borders do not fit into
 * 32 bits, for a rectangle may begin at the largest number there is. */
struct borders {
    int64_t left, top, right, bottom;
};

static struct borders borders_of(struct rectangle area)
{
    return (struct borders){area.x, area.y, (int64_t)area.x + area.width,
                            (int64_t)area.y + area.height};
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static struct borders both(struct borders a, struct borders b)
{
    return (struct borders){larger(a.left, b.left), larger(a.top, b.top), smaller(a.right, b.right),
                            smaller(a.bottom, b.bottom)};
}

static struct borders moved(struct borders area, int64_t right, int64_t down)
{
    return (struct borders){area.left + right, area.top + down, area.right + right,
                            area.bottom + down};
}

static bool holds_pixels(struct borders area)
{
    return area.left < area.right && area.top < area.bottom;
}

static struct borders whole(const struct surface *surface)
{
    return (struct borders){0, 0, surface->width, surface->height};
}

static uint32_t *pixel(const struct surface *surface, int64_t x, int64_t y)
{
    return surface->pixels + y * surface->stride + x;
}

void surface_init(struct surface *surface, uint32_t *pixels, int32_t width, int32_t height,
                  int32_t stride)
{
    *surface = (struct surface){
        .pixels = pixels,
        .width = width,
        .height = height,
        .stride = stride,
        .clip = {0, 0, width, height},
    };
}

void surface_clip(struct surface *surface, struct rectangle clip)
{
    const struct borders kept = both(whole(surface), borders_of(clip));

    surface->clip = (struct rectangle){0};
    if (holds_pixels(kept)) {
        surface->clip = (struct rectangle){(int32_t)kept.left, (int32_t)kept.top,
                                           (int32_t)(kept.right - kept.left),
                                           (int32_t)(kept.bottom - kept.top)};
    }
}

static void fill(const struct surface *surface, struct borders area, uint32_t colour)
{
    const struct borders kept = both(borders_of(surface->clip), area);

    for (int64_t y = kept.top; y < kept.bottom; y++) {
        uint32_t *line = pixel(surface, 0, y);

        for (int64_t x = kept.left; x < kept.right; x++) {
            line[x] = colour;
        }
    }
}

void surface_fill(const struct surface *surface, struct rectangle area, uint32_t colour)
{
    fill(surface, borders_of(area), colour);
}

void surface_outline(const struct surface *surface, struct rectangle area, int32_t thickness,
                     uint32_t colour)
{
    const struct borders outer = borders_of(area);
    const struct borders inner = {outer.left + thickness, outer.top + thickness,
                                  outer.right - thickness, outer.bottom - thickness};

    if (thickness <= 0) {
        return;
    }
    if (!holds_pixels(inner)) {
        fill(surface, outer, colour);
        return;
    }
    fill(surface, (struct borders){outer.left, outer.top, outer.right, inner.top}, colour);
    fill(surface, (struct borders){outer.left, inner.bottom, outer.right, outer.bottom}, colour);
    fill(surface, (struct borders){outer.left, inner.top, inner.left, inner.bottom}, colour);
    fill(surface, (struct borders){inner.right, inner.top, outer.right, inner.bottom}, colour);
}

static void draw_character(const struct surface *surface, int64_t x, int64_t y, char character,
                           const struct text_style *style)
{
    const uint8_t *glyph = font_glyph(character);
    const int64_t scale = style->scale;

    fill(surface, (struct borders){x, y, x + text_cell_width(style), y + text_cell_height(style)},
         style->paper);
    for (int64_t row = 0; row < FONT_HEIGHT; row++) {
        for (int64_t column = 0; column < FONT_WIDTH; column++) {
            const int64_t left = x + column * scale;
            const int64_t top = y + (row + 1) * scale;

            if ((glyph[row] >> (FONT_WIDTH - 1 - column) & 1) != 0) {
                fill(surface, (struct borders){left, top, left + scale, top + scale}, style->ink);
            }
        }
    }
}

void surface_character(const struct surface *surface, int32_t x, int32_t y, char character,
                       const struct text_style *style)
{
    draw_character(surface, x, y, character, style);
}

void surface_text(const struct surface *surface, int32_t x, int32_t y, const char *text,
                  const struct text_style *style)
{
    const int64_t right = borders_of(surface->clip).right;

    for (int64_t at = x; *text != '\0' && at < right; at += text_cell_width(style)) {
        draw_character(surface, at, y, *text++, style);
    }
}

/* Backwards where a pixel would be overwritten before it was read. Instructions, as the compiler
 * would call the library's function, which ring 0 and ring 3 have each in another form: drawing
 * takes as many in both. */
static void move_pixels(uint32_t *to, const uint32_t *from, size_t count)
{
    if (to <= from || to >= from + count) {
        __asm__ volatile("rep movsl" : "+D"(to), "+S"(from), "+c"(count) : : "memory");
        return;
    }
    while (count > 0) {
        count--;
        to[count] = from[count];
        __asm__ volatile("" : : : "memory");
    }
}

/* Lines are copied from the side on which none is overwritten before it was read. */
static void copy(const struct surface *surface, struct borders from, int64_t right, int64_t down)
{
    const struct borders source = both(from, whole(surface));
    const struct borders target = both(moved(source, right, down), borders_of(surface->clip));
    const int64_t lines = target.bottom - target.top;

    if (!holds_pixels(target)) {
        return;
    }
    for (int64_t i = 0; i < lines; i++) {
        const int64_t line = down > 0 ? target.bottom - 1 - i : target.top + i;

        move_pixels(pixel(surface, target.left, line),
                    pixel(surface, target.left - right, line - down),
                    (size_t)(target.right - target.left));
    }
}

void surface_copy(const struct surface *surface, struct rectangle from, int32_t x, int32_t y)
{
    copy(surface, borders_of(from), (int64_t)x - from.x, (int64_t)y - from.y);
}

void surface_scroll(const struct surface *surface, struct rectangle area, int32_t lines,
                    uint32_t paper)
{
    const struct borders all = borders_of(area);
    struct borders lower = all;
    struct borders uncovered = all;

    if (lines <= 0) {
        return;
    }
    lower.top = all.top + lines;
    uncovered.top = larger(all.top, all.bottom - lines);
    copy(surface, lower, 0, -lines);
    fill(surface, uncovered, paper);
}
