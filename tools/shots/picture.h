/* SPDX-License-Identifier: BSD-2-Clause */
/* A PNG file as grey pixels. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PICTURE_SIDE_MAX  16384
#define PICTURE_ERROR_MAX 200

struct picture {
    uint8_t *grey; /* line by line, 0 black to 255 white; free() it */
    int width, height;
};

/* Returns whether the file begins with the signature of PNG. */
bool picture_is_png(const char *path);

/* Decodes a PNG file of at most `pixels_max` pixels. Returns false with the reason in `error`. */
bool picture_read(const uint8_t *bytes, size_t length, size_t pixels_max, struct picture *picture,
                  char error[PICTURE_ERROR_MAX]);
