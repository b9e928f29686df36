/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel/cpu/simd.h on Linux, which has switched on what there is: this only asks.
 */
#include <stddef.h>

#include "kernel/cpu/names.h"
#include "kernel/cpu/simd.h"

const char *simd_enable(enum simd_level level, struct simd_state *before)
{
    *before = (struct simd_state){.level = SIMD_NONE};
    /* gcc's own test asks CPUID and XCR0. */
    __builtin_cpu_init();
    if (level == SIMD_AVX2 && !__builtin_cpu_supports("avx2")) {
        return "the processor or Linux offers no AVX2";
    }
    if (level == SIMD_AVX512 && !__builtin_cpu_supports("avx512f")) {
        return "the processor or Linux offers no AVX-512F";
    }
    return NULL;
}

void simd_restore(const struct simd_state *before)
{
    (void)before;
}

const char *simd_name(enum simd_level level)
{
    static const char *const names[SIMD_LEVELS] = {SIMD_NAME_NONE, SIMD_NAME_SSE, SIMD_NAME_AVX2,
                                                   SIMD_NAME_AVX512};

    return names[level];
}
