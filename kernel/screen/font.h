/* SPDX-License-Identifier: BSD-2-Clause */
/* A 5 by 7 bitmap font for ASCII, drawn for this project. Pure. */
#pragma once

#include <stdint.h>

#define FONT_WIDTH  5
#define FONT_HEIGHT 7

/* FONT_HEIGHT rows, the leftmost pixel in bit FONT_WIDTH - 1. Unprintable characters look like '?'.
 */
const uint8_t *font_glyph(char character);
