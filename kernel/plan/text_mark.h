/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Detects byte order marks (Unicode 15.0, 2.13 and 23.8): U+FEFF, which editors put before a text
 * in the text's encoding. Texts that people write must be UTF-8, with or without the mark.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define MARK_UTF_8        "\xef\xbb\xbf"
#define MARK_UTF_8_LENGTH 3
/* A byte with this value or a higher one never occurs in UTF-8, but begins UTF-16 with a byte order
 * mark. */
#define MARK_UTF_16 0xfe

/* Removes a UTF-8 mark from the text of `*length` bytes, in place. Returns false if the text is
 * UTF-16, either with its mark or without one but with exactly one 00h among the first two
 * bytes. */
bool text_take_mark(char *text, size_t *length);
