/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a QR code in a picture, with the library zxing-cpp. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Looks for a QR code in a picture of width * height bytes, 0 black to 255 white, line by line.
 * Copies its content to `bytes`, at most `room`. Returns the length of the content; 0: no code was
 * found, or it is damaged beyond repair. */
size_t read_code(const uint8_t *grey, int width, int height, uint8_t *bytes, size_t room);

#ifdef __cplusplus
}
#endif
