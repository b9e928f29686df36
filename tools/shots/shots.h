/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The log of a run from pictures of the QR codes that the image shows on its screen
 * (kernel/link/screen_blocks.h): screenshots of a BMC, a KVM switch or a hypervisor's console.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SHOTS_ERROR_MAX 400

/* Gathers the codes of these PNG files, in any order, and writes the log to the new file `log`.
 * Prints on stderr which pictures do not help, and the counts. Returns false, with the reason in
 * `error`, if codes are missing or the log cannot be written. */
bool shots_to_log(char **paths, size_t count, const char *log, char error[SHOTS_ERROR_MAX]);

/* Reads a PNG file of at most `pixels_max` pixels: 0 black to 255 white, line by line. free() them.
 * Returns NULL with the reason in `error` on failure. */
uint8_t *shots_pixels(FILE *file, size_t pixels_max, int *width, int *height,
                      char error[SHOTS_ERROR_MAX]);
