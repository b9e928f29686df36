/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads a fuzzer's bytes as a sequence of numbers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct bytes {
    const uint8_t *at;
    size_t left;
};

/* Returns 0 if no byte is left. */
static inline uint8_t take(struct bytes *bytes)
{
    if (bytes->left == 0) {
        return 0;
    }
    bytes->left--;
    return *bytes->at++;
}

/* Reads the next bytes as a number, the most significant first. */
static inline uint64_t take_many(struct bytes *bytes, size_t count)
{
    uint64_t value = 0;

    for (; count > 0; count--) {
        value = value << 8 | take(bytes);
    }
    return value;
}

/* Reads a number: usually small, sometimes of any size. */
static inline uint64_t take_number(struct bytes *bytes)
{
    const uint8_t first = take(bytes);

    return first < 0xf8 ? first : take_many(bytes, (first & 7) + 1u);
}

/* Chooses the part of the work that an input is used for, if doing all parts is slow: the same
 * input always gets the same part. The result is a sum over all bytes, so that bytes appended after
 * the last frame of an input can choose the part: modulo 2, 4, ... each appended byte changes it.
 */
static inline uint64_t fuzz_sum(const uint8_t *data, size_t size)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < size; i++) {
        sum = sum * 31 + data[i];
    }
    return sum;
}
