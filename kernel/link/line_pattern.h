/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The pattern that the image sends to show what a line does to bytes (request `line_test`):
 *
 *     [test: HH b; HH b; ... :test]
 *
 * without the blanks: for each byte value, its two digits in base 16, the byte itself, and a
 * semicolon.
 *
 * All but the bytes themselves are characters that any line passes.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdint.h>

#define LINE_PATTERN_BEGIN "[test:"
#define LINE_PATTERN_END   ":test]"
#define LINE_PATTERN_SIZE  (sizeof(LINE_PATTERN_BEGIN) - 1 + 256 * 4 + sizeof(LINE_PATTERN_END) - 1)

/* Writes the pattern. */
void line_pattern_write(uint8_t pattern[LINE_PATTERN_SIZE]);
