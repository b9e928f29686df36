/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

size_t base64_encode(const uint8_t *in, size_t length, char *out)
{
    size_t written = 0;

    for (size_t i = 0; i < length; i += 3) {
        const size_t left = length - i;
        const uint32_t group = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
                               (left > 2 ? in[i + 2] : 0);

        out[written++] = alphabet[group >> 18];
        out[written++] = alphabet[group >> 12 & 63];
        out[written++] = left > 1 ? alphabet[group >> 6 & 63] : '=';
        out[written++] = left > 2 ? alphabet[group & 63] : '=';
    }
    return written;
}

/* Value of a character, or -1. */
static int base64_value(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    if (c == '+') {
        return 62;
    }
    return c == '/' ? 63 : -1;
}

ptrdiff_t base64_decode(const char *in, size_t length, uint8_t *out)
{
    size_t written = 0;
    size_t padding = 0;

    if (length % 4 != 0) {
        return -1;
    }
    if (length > 0 && in[length - 1] == '=') {
        padding = in[length - 2] == '=' ? 2 : 1;
    }
    for (size_t i = 0; i < length; i += 4) {
        uint32_t group = 0;

        for (size_t k = 0; k < 4; k++) {
            const int value = i + k >= length - padding ? 0 : base64_value(in[i + k]);

            if (value < 0) {
                return -1;
            }
            group = group << 6 | (uint32_t)value;
        }
        for (size_t k = 0; k < 3; k++) {
            out[written++] = (uint8_t)(group >> (16 - 8 * k));
        }
    }
    return (ptrdiff_t)(written - padding);
}
