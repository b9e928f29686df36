/* SPDX-License-Identifier: BSD-2-Clause */
/* Checksums of firmware tables in tests. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Sets the byte at `at` so that the sum of all bytes is 0. */
static inline void seal(uint8_t *bytes, size_t length, size_t at)
{
    uint8_t sum = 0;

    bytes[at] = 0;
    for (size_t i = 0; i < length; i++) {
        sum = (uint8_t)(sum + bytes[i]);
    }
    bytes[at] = (uint8_t)-sum;
}
