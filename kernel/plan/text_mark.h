/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marks that editors put before a text (Unicode 15.0, 2.13 and 23.8): U+FEFF in the encoding of the
 * text. A text that people write is UTF-8, with or without the mark.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define MARK_UTF_8        "\xef\xbb\xbf"
#define MARK_UTF_8_LENGTH 3
/* Bytes that UTF-8 never has: UTF-16 begins with this one or a higher one. */
#define MARK_UTF_16 0xfe

/* Takes the mark of UTF-8 away from the text of `*length` bytes, in place. False: it is UTF-16,
 * with its mark, or without and by a 00h among the first two bytes. */
bool text_take_mark(char *text, size_t *length);
