/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/pat.h"

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/cpu/msr.h"

#define CPUID_1_EDX_PAT (1u << 16)

uint64_t pat_read(void)
{
    uint64_t value = 0;

    if ((cpuid_instruction(1, 0).edx & CPUID_1_EDX_PAT) != 0) {
        msr_read(MSR_PAT, &value);
    }
    return value;
}

/* The order of flushes is that of SDM volume 3 sections 12.11.8 and 12.12.4, for one processor:
 * caches off and empty, TLB empty, and again behind it. */
bool pat_write(uint64_t value)
{
    const uint64_t cr0 = cr0_read();

    if (value == 0 || pat_read() == value) {
        return true;
    }
    cr0_write((cr0 | CR0_CACHE_DISABLE) & ~CR0_NOT_WRITE_THROUGH);
    caches_flush();
    cr3_write(cr3_read());
    msr_write(MSR_PAT, value);
    caches_flush();
    cr3_write(cr3_read());
    cr0_write(cr0);
    return pat_read() == value;
}
