/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws on a rectangle of 32-bit pixels: a framebuffer, or memory. Pure: compiled for the image and
 * for the host.
 *
 * Whatever is requested, only pixels inside the clipping rectangle are written, and only pixels of
 * the surface are read. Coordinates may be anything: negative, or far outside. A rectangle whose
 * width or height is 0 or negative contains no pixels.
 */
#pragma once

#include <stdint.h>

/* A 5 by 7 bitmap font for ASCII, drawn for this project. Pure. */

#define FONT_WIDTH  5
#define FONT_HEIGHT 7

/* Returns FONT_HEIGHT rows, with the leftmost pixel in bit FONT_WIDTH - 1. Unprintable characters
 * look like '?'. */
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

/* Sets up a surface that is clipped to all of its pixels. */
void surface_init(struct surface *surface, uint32_t *pixels, int32_t width, int32_t height,
                  int32_t stride);
/* Clips to the part of `clip` that is inside the surface, from now on. */
void surface_clip(struct surface *surface, struct rectangle clip);

void surface_fill(const struct surface *surface, struct rectangle area, uint32_t colour);
/* Draws the border of `area`, `thickness` pixels inwards. Fills the area if nothing would be left
 * inside. */
void surface_outline(const struct surface *surface, struct rectangle area, int32_t thickness,
                     uint32_t colour);

/* A character fills a cell, all of whose pixels are written: the glyph (font_glyph()), one row
 * above and one below it, and one column to its right. */
struct text_style {
    int32_t scale; /* width and height of the square drawn for each pixel of the font; 1 to 64 */
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
/* Draws one line of characters, from `x` to the right. */
void surface_text(const struct surface *surface, int32_t x, int32_t y, const char *text,
                  const struct text_style *style);

/* Copies `from` to where its upper left pixel is at (x, y); the two may overlap. Pixels that would
 * come from outside the surface stay unchanged. */
void surface_copy(const struct surface *surface, struct rectangle from, int32_t x, int32_t y);
/* Moves the contents of `area` up by `lines`, and fills what this uncovers at the bottom with
 * `paper`. */
void surface_scroll(const struct surface *surface, struct rectangle area, int32_t lines,
                    uint32_t paper);
