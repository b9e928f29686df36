/* SPDX-License-Identifier: BSD-2-Clause */
/* The picture of a screen, as PNG. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Pixels are 0xRRGGBB, line behind line. False: not all was written. */
bool screen_png_write(FILE *out, const uint32_t *pixels, uint32_t width, uint32_t height);

/* Is it a file that screen_png_write() wrote? */
bool screen_png_is_own(const char *path);
