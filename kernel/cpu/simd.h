/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vector registers, for the kernels that measure them: off, or as firmware left them, in all the
 * rest of the image, which keeps to general registers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum simd_level {
    SIMD_NONE,   /* general registers */
    SIMD_SSE,    /* XMM: SSE2, which every x86-64 processor has */
    SIMD_AVX2,   /* YMM */
    SIMD_AVX512, /* ZMM: AVX-512F */
    SIMD_LEVELS,
};

/* What the control registers held before. */
struct simd_state {
    uint64_t cr0;
    uint64_t cr4;
    uint64_t xcr0;
    enum simd_level level; /* SIMD_NONE: nothing has been changed */
};

/* Makes the registers of a level usable on this processor (SDM volume 3 chapter 13): CR0.EM and TS
 * off, CR4.OSFXSR and OSXMMEXCPT, and from AVX2 on CR4.OSXSAVE and XCR0. CPUID is asked first: an
 * emulator may hang on a bit of CR4 that it lacks. Interrupt handlers touch no vector register.
 * NULL, or why not: nothing has changed then. On Linux it only asks. */
const char *simd_enable(enum simd_level level, struct simd_state *before);

/* As it was; the level's registers are zero first. */
void simd_restore(const struct simd_state *before);

/* Of a caller that ended without simd_restore(); else nothing. */
void simd_abandon(void);

const char *simd_name(enum simd_level level); /* none sse avx2 avx512 */
