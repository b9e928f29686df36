/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Base 64 (RFC 4648 section 4, with padding), for lines that only pass text.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Characters that `length` bytes become. */
#define BASE64_ENCODED(length) (((length) + 2) / 3 * 4)

/* Encodes `length` bytes into `out`, which must hold BASE64_ENCODED(length) characters; writes no
 * terminating NUL. Returns the number of characters. */
size_t base64_encode(const uint8_t *in, size_t length, char *out);

/* Decodes `length` characters into `out`, which must hold length / 4 * 3 bytes. Returns the number
 * of bytes, or -1 where `in` is not base 64: a length that is no multiple of 4, a foreign
 * character, padding anywhere but at the end. */
ptrdiff_t base64_decode(const char *in, size_t length, uint8_t *out);
