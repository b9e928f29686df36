/* SPDX-License-Identifier: BSD-2-Clause */
/* Firmware's tables in tests: their sums. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Makes the sum of all bytes 0 by the one at `at`. */
static inline void seal(uint8_t *bytes, size_t length, size_t at)
{
    uint8_t sum = 0;

    bytes[at] = 0;
    for (size_t i = 0; i < length; i++) {
        sum = (uint8_t)(sum + bytes[i]);
    }
    bytes[at] = (uint8_t)-sum;
}
