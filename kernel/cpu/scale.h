/* SPDX-License-Identifier: BSD-2-Clause */
/* Calculates a * b / c with a 128-bit product, on x86 by the processor's own instructions. The
 * image cannot use the compiler's library for 128-bit division: it is built with a red zone, which
 * interrupts on the same stack would overwrite. */
#pragma once

#include <stdint.h>

/* Returns a * b / c, rounded down, or UINT64_MAX if the quotient does not fit, or 0 if c is 0. */
static inline uint64_t scale_u64(uint64_t a, uint64_t b, uint64_t c)
{
    if (c == 0) {
        return 0;
    }
#ifdef __x86_64__
    uint64_t low;
    uint64_t high;
    uint64_t quotient;
    uint64_t remainder;

    __asm__("mulq %3" : "=a"(low), "=d"(high) : "0"(a), "rm"(b) : "cc");
    if (high >= c) {
        return UINT64_MAX;
    }
    __asm__("divq %4" : "=a"(quotient), "=d"(remainder) : "0"(low), "1"(high), "rm"(c) : "cc");
    return quotient;
#else
    const unsigned __int128 quotient = (unsigned __int128)a * b / c;

    return quotient > UINT64_MAX ? UINT64_MAX : (uint64_t)quotient;
#endif
}
