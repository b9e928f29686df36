/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Drawing on a rectangle of 32-bit pixels: a framebuffer, or memory. Pure.
 *
 * Whatever is asked for, only pixels inside the clipping rectangle are written, and only pixels of
 * the surface are read. Coordinates may be anything: negative, or far outside. A rectangle without
 * width or height, or with a negative one, holds no pixels.
 */
#pragma once

#include <stdint.h>

/* A 5 by 7 bitmap font for ASCII, drawn for this project. Pure. */

#define FONT_WIDTH  5
#define FONT_HEIGHT 7

/* FONT_HEIGHT rows, the leftmost pixel in bit FONT_WIDTH - 1. Unprintable characters look like '?'.
 */
const uint8_t *font_glyph(char character);

struct rectangle {
    int32_t x, y; /* upper left pixel */
    int32_t width, height;
};

struct surface {
    uint32_t *pixels;
    int32_t width, height;
    int32_t stride;        /* pixels from one line to the next, at least `width` */
    struct rectangle clip; /* inside the surface */
};

/* Clips to the whole of it. */
void surface_init(struct surface *surface, uint32_t *pixels, int32_t width, int32_t height,
                  int32_t stride);
/* From now on to the part of `clip` that is inside the surface. */
void surface_clip(struct surface *surface, struct rectangle clip);

void surface_fill(const struct surface *surface, struct rectangle area, uint32_t colour);
/* The border of `area`, `thickness` pixels inwards; all of it where that is no thinner. */
void surface_outline(const struct surface *surface, struct rectangle area, int32_t thickness,
                     uint32_t colour);

/* A character stands in a cell whose pixels are all written: the glyph (font_glyph()), a row above
 * it and below it, and a column to the right. */
struct text_style {
    int32_t scale; /* each pixel of the font is a square of so many; 1 to 64 */
    uint32_t ink;
    uint32_t paper;
};

static inline int32_t text_cell_width(const struct text_style *style)
{
    return (FONT_WIDTH + 1) * style->scale;
}

static inline int32_t text_cell_height(const struct text_style *style)
{
    return (FONT_HEIGHT + 2) * style->scale;
}

void surface_character(const struct surface *surface, int32_t x, int32_t y, char character,
                       const struct text_style *style);
/* One line of cells, from `x` to the right. */
void surface_text(const struct surface *surface, int32_t x, int32_t y, const char *text,
                  const struct text_style *style);

/* Copies `from` to where its upper left pixel is at (x, y); the two may overlap. What would come
 * from outside the surface is left as it is. */
void surface_copy(const struct surface *surface, struct rectangle from, int32_t x, int32_t y);
/* Moves what is in `area` up by `lines`; what that uncovers at its foot becomes `paper`. */
void surface_scroll(const struct surface *surface, struct rectangle area, int32_t lines,
                    uint32_t paper);
