/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers in as many bytes as they need: LEB128, 7 bits a byte, the lowest first.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define VARINT_MAX 10 /* bytes of one of 64 bits */

/* Returns the bytes written. */
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

/* Returns the bytes read, 0 where it is cut off or above 64 bits. */
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
