/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers in as few bytes as possible: LEB128, 7 bits in each byte, the lowest bits first.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define VARINT_MAX 10 /* bytes of the longest 64-bit number */

/* Writes a number. Returns how many bytes. */
static inline size_t varint_put(uint64_t value, uint8_t *out)
{
    size_t n = 0;

    while (value >= 0x80) {
        out[n++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    out[n++] = (uint8_t)value;
    return n;
}

/* Reads a number. Returns how many bytes it has, or 0 if it is cut off or has more than 64 bits. */
static inline size_t varint_get(const uint8_t *in, size_t length, uint64_t *value)
{
    *value = 0;
    for (size_t n = 0; n < length && n < VARINT_MAX; n++) {
        const uint64_t bits = in[n] & 0x7f;

        if (n == VARINT_MAX - 1 && bits > 1) {
            return 0;
        }
        *value |= bits << (7 * n);
        if ((in[n] & 0x80) == 0) {
            return n + 1;
        }
    }
    return 0;
}
