/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/link/encoding.h"

/* CRC table indexed by 4 bits: 64 bytes instead of the 1 KiB of a table indexed by bytes. The line
 * needs 87 us for a byte at 115200 baud, so two look-ups for each byte do not matter. */
static const uint32_t nibble_table[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t crc32c(uint32_t crc, const void *bytes, size_t length)
{
    const uint8_t *byte = bytes;

    crc = ~crc;
    for (size_t i = 0; i < length; i++) {
        crc ^= byte[i];
        crc = (crc >> 4) ^ nibble_table[crc & 15];
        crc = (crc >> 4) ^ nibble_table[crc & 15];
    }
    return ~crc;
}

#define RUN_MAX 0xff /* this code byte means: 254 bytes follow, and no zero is implied */

size_t cobs_encode(const uint8_t *in, size_t length, uint8_t *out)
{
    size_t code_at = 0;
    size_t written = 1;
    uint8_t code = 1;

    for (size_t i = 0; i < length; i++) {
        if (in[i] != 0) {
            out[written++] = in[i];
            code++;
        }
        if (in[i] == 0 || (code == RUN_MAX && i + 1 < length)) {
            out[code_at] = code;
            code_at = written++;
            code = 1;
        }
    }
    out[code_at] = code;
    return written;
}

ptrdiff_t cobs_decode(const uint8_t *in, size_t length, uint8_t *out)
{
    size_t written = 0;
    size_t i = 0;

    while (i < length) {
        const uint8_t code = in[i++];

        if (code == 0 || (size_t)(code - 1) > length - i) {
            return -1;
        }
        for (uint8_t k = 1; k < code; k++) {
            if (in[i] == 0) {
                return -1;
            }
            out[written++] = in[i++];
        }
        if (code != RUN_MAX && i < length) {
            out[written++] = 0;
        }
    }
    return (ptrdiff_t)written;
}

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

/* Returns the value of a base 64 digit, 0 to 63, or -1 if `c` is none. */
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
