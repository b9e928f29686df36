/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/features.h"

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/msr.h"

#define DE_CFG_LFENCE_SERIALISES (1ull << 1)

static enum lfence_state enable_lfence(const struct cpu_identity *identity)
{
    uint64_t value;

    if (!cpu_is_amd(identity)) {
        return LFENCE_SERIALISES;
    }
    if ((cpuid_leaf(cpuid_instruction, identity, CPUID_EXTENDED + 0x21, 0).eax >> 2 & 1) != 0) {
        return LFENCE_SERIALISES;
    }
    if (msr_read(MSR_AMD_DE_CFG, &value) != 0) {
        return LFENCE_UNPROVEN;
    }
    if ((value & DE_CFG_LFENCE_SERIALISES) == 0 &&
        msr_write(MSR_AMD_DE_CFG, value | DE_CFG_LFENCE_SERIALISES) != 0) {
        return LFENCE_UNPROVEN;
    }
    msr_read(MSR_AMD_DE_CFG, &value);
    return (value & DE_CFG_LFENCE_SERIALISES) != 0 ? LFENCE_SERIALISES : LFENCE_UNPROVEN;
}

enum lfence_state features_enable(const struct cpu_identity *identity)
{
    cr0_write(cr0_read() | CR0_WRITE_PROTECT);
    return enable_lfence(identity);
}
