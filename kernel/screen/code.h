/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Draws bytes as a QR code (ISO/IEC 18004): version 25, error correction L, byte mode. The
 * generator is qrcodegen (Project Nayuki). Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/screen/surface.h"

#define CODE_BYTES_MAX 1273
/* Width and height in modules, with the light margin of four modules that readers need. */
#define CODE_MODULES (4 * 25 + 17 + 2 * 4)

/* Draws the code with its margin at (x, y). A module is a square of `scale` pixels. Returns false
 * if there are more bytes than CODE_BYTES_MAX. */
bool code_draw(const struct surface *surface, int32_t x, int32_t y, int32_t scale,
               const uint8_t *bytes, size_t length);
