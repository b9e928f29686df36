/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Vector registers, for the code that measures them. The rest of the image uses only general
 * registers and leaves vector registers off, or as firmware set them.
 */
#pragma once

#include <stdint.h>

enum simd_level {
    SIMD_NONE,   /* only general registers */
    SIMD_SSE,    /* registers XMM: SSE2, which every x86-64 processor has */
    SIMD_AVX2,   /* registers YMM */
    SIMD_AVX512, /* registers ZMM: AVX-512F */
    SIMD_LEVELS,
};

/* The previous contents of the control registers. */
struct simd_state {
    uint64_t cr0;
    uint64_t cr4;
    uint64_t xcr0;
    enum simd_level level; /* level that was enabled; SIMD_NONE: nothing has been changed */
};

/* Makes the registers of a level usable on this processor (SDM volume 3 chapter 13): clears CR0.EM
 * and TS, sets CR4.OSFXSR and OSXMMEXCPT, and, from AVX2 on, CR4.OSXSAVE and XCR0. Asks CPUID
 * first, because an emulator may hang on a bit of CR4 that it does not have. Interrupt handlers use
 * no vector registers. Returns NULL on success, otherwise the reason; then nothing has changed. On
 * Linux it only asks CPUID. */
const char *simd_enable(enum simd_level level, struct simd_state *before);

/* Restores the control registers, after setting the level's registers to zero. */
void simd_restore(const struct simd_state *before);

/* Restores the control registers for a caller that ended without simd_restore(), if any. */
void simd_abandon(void);

const char *simd_name(enum simd_level level); /* returns "none", "sse", "avx2" or "avx512" */
