/* SPDX-License-Identifier: BSD-2-Clause */
/* Calculates a * b / c with a 128-bit product, by the processor's own instructions. The compiler's
 * library for 128-bit division cannot be used: it is built with a red zone, which interrupts on the
 * same stack would overwrite. */
#pragma once

#include <stdint.h>

/* Returns a * b / c, rounded down, or UINT64_MAX if the quotient does not fit, or 0 if c is 0. */
static inline uint64_t scale_u64(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t low;
    uint64_t high;
    uint64_t quotient;
    uint64_t remainder;

    if (c == 0) {
        return 0;
    }
    __asm__("mulq %3" : "=a"(low), "=d"(high) : "0"(a), "rm"(b) : "cc");
    if (high >= c) {
        return UINT64_MAX;
    }
    __asm__("divq %4" : "=a"(quotient), "=d"(remainder) : "0"(low), "1"(high), "rm"(c) : "cc");
    return quotient;
}
