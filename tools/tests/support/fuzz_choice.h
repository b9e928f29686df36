/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which part of the work an input is for, where all of it together is slow: the same input always
 * has the same part. Bytes behind the last frame of an input choose it, and nothing else.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* A sum over all bytes; of it modulo 2, 4, ... each appended byte decides. */
static inline uint64_t fuzz_sum(const uint8_t *data, size_t size)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < size; i++) {
        sum = sum * 31 + data[i];
    }
    return sum;
}
