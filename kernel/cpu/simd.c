/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/simd.h"

#include <stddef.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/cpu/msr.h"
#include "kernel/cpu/names.h"

#define CR0_MONITOR    (1ull << 1)
#define CR0_EMULATE    (1ull << 2)
#define CR0_SWITCHED   (1ull << 3)
#define CR4_OSFXSR     (1ull << 9)
#define CR4_OSXMMEXCPT (1ull << 10)

#define LEAF1_EDX_SSE2  (1u << 26)
#define LEAF1_ECX_XSAVE (1u << 26)
#define LEAF1_ECX_AVX   (1u << 28)
#define XCR0_AVX        0x07u /* state components of AVX: x87, XMM, the upper halves of YMM */
/* State components of AVX-512: those of AVX, masks, the upper halves of ZMM, ZMM16 to 31. */
#define XCR0_AVX512         0xe7u
#define LEAF_EXTENDED_STATE 0xdu

static struct simd_state in_force; /* the state that simd_abandon() restores */

static uint32_t wanted_state(enum simd_level level)
{
    return level == SIMD_AVX512 ? XCR0_AVX512 : level == SIMD_AVX2 ? XCR0_AVX : 0;
}

/* Returns the missing feature for this level, or NULL if CPUID offers all. */
static const char *missing(enum simd_level level)
{
    struct cpu_identity identity;

    cpu_identify(cpuid_instruction, &identity);
    const struct cpuid_result one = cpuid_leaf(cpuid_instruction, &identity, 1, 0);
    const uint32_t state = cpuid_leaf(cpuid_instruction, &identity, LEAF_EXTENDED_STATE, 0).eax;
    const uint32_t avx = LEAF1_ECX_XSAVE | LEAF1_ECX_AVX;

    if ((one.edx & LEAF1_EDX_SSE2) == 0) {
        return "CPUID offers no SSE2";
    }
    if (level >= SIMD_AVX2 && ((one.ecx & avx) != avx || !identity.avx2)) {
        return "CPUID offers no AVX2";
    }
    if (level >= SIMD_AVX512 && !identity.avx512f) {
        return "CPUID offers no AVX-512F";
    }
    return (state & wanted_state(level)) != wanted_state(level)
               ? "CPUID does not list the registers' state for XCR0"
               : NULL;
}

static void give_back(const struct simd_state *before)
{
    if (before->level >= SIMD_AVX2) {
        xcr0_write(before->xcr0);
    }
    cr4_write(before->cr4);
    cr0_write(before->cr0);
    in_force.level = SIMD_NONE;
}

/* Below KVM on QEMU's SVM, AVX works until the next exit, and then raises #UD. CPUID exits. */
static bool avx_works(void)
{
    cpuid_instruction(0, 0);
    return avx_try() == 0;
}

const char *simd_enable(enum simd_level level, struct simd_state *before)
{
    *before = (struct simd_state){.level = SIMD_NONE};
    if (level == SIMD_NONE) {
        return NULL;
    }
    const char *why = missing(level);

    if (why != NULL) {
        return why;
    }
    before->level = level;
    before->cr0 = cr0_read();
    before->cr4 = cr4_read();
    cr0_write((before->cr0 & ~(CR0_EMULATE | CR0_SWITCHED)) | CR0_MONITOR);
    cr4_write(before->cr4 | CR4_OSFXSR | CR4_OSXMMEXCPT | (level >= SIMD_AVX2 ? CR4_OSXSAVE : 0));
    if (level >= SIMD_AVX2) {
        before->xcr0 = xcr0_read();
        xcr0_write(before->xcr0 | wanted_state(level));
    }
    in_force = *before;
    if (level >= SIMD_AVX2 && !avx_works()) {
        give_back(before);
        before->level = SIMD_NONE;
        return "AVX2 raises #UD, although CPUID offers it";
    }
    return NULL;
}

/* Needs no clobber list: the compiler uses no vector registers here. */
static void clear(enum simd_level level)
{
    if (level == SIMD_SSE) {
        __asm__ volatile(".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15\n\t"
                         "pxor %%xmm\\n, %%xmm\\n\n\t"
                         ".endr" ::);
        return;
    }
    __asm__ volatile("vzeroall");
    if (level == SIMD_AVX512) {
        __asm__ volatile(
            ".irp n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31\n\t"
            "vpxord %%zmm\\n, %%zmm\\n, %%zmm\\n\n\t"
            ".endr" ::);
    }
}

void simd_restore(const struct simd_state *before)
{
    if (before->level == SIMD_NONE) {
        return;
    }
    clear(before->level);
    give_back(before);
}

void simd_abandon(void)
{
    const struct simd_state before = in_force;

    simd_restore(&before);
}

const char *simd_name(enum simd_level level)
{
    static const char *const names[SIMD_LEVELS] = {SIMD_NAME_NONE, SIMD_NAME_SSE, SIMD_NAME_AVX2,
                                                   SIMD_NAME_AVX512};

    return names[level];
}
