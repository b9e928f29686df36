/* SPDX-License-Identifier: BSD-2-Clause */
/* A fuzzer's bytes as what it is made of: numbers, one after the other. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct bytes {
    const uint8_t *at;
    size_t left;
};

/* 0 where none is left. */
static inline uint8_t take(struct bytes *bytes)
{
    if (bytes->left == 0) {
        return 0;
    }
    bytes->left--;
    return *bytes->at++;
}

/* The next bytes as a number, the highest first. */
static inline uint64_t take_many(struct bytes *bytes, size_t count)
{
    uint64_t value = 0;

    for (; count > 0; count--) {
        value = value << 8 | take(bytes);
    }
    return value;
}

/* Small numbers, and now and then any. */
static inline uint64_t take_number(struct bytes *bytes)
{
    const uint8_t first = take(bytes);

    return first < 0xf8 ? first : take_many(bytes, (first & 7) + 1u);
}

/* Which part of the work an input is for, where all of it together is slow: the same input always
 * has the same part. Bytes behind the last frame of an input choose it, and nothing else: a sum
 * over all bytes; of it modulo 2, 4, ... each appended byte decides. */
static inline uint64_t fuzz_sum(const uint8_t *data, size_t size)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < size; i++) {
        sum = sum * 31 + data[i];
    }
    return sum;
}
