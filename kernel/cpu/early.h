/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions for the part of the image that is not packed: no calls, as it can call nothing of
 * the kernel yet.
 */
#pragma once

#include "kernel/cpu/cpuid.h"

static inline struct cpuid_result early_cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_result result;

    __asm__ volatile("cpuid"
                     : "=a"(result.eax), "=b"(result.ebx), "=c"(result.ecx), "=d"(result.edx)
                     : "a"(leaf), "c"(subleaf));
    return result;
}

/* Without the net of msr.h: only of one that is sure to be there. The lower half. */
static inline uint32_t early_msr_low(uint32_t index)
{
    uint32_t low;
    uint32_t high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(index));
    return low;
}
