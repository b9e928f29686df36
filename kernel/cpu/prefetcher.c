/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/prefetcher.h"

#include <stddef.h>
#include <string.h>

#include "kernel/cpu/msr.h"

#define MSR_INTEL_PREFETCH  0x1a4u
#define INTEL_ALL           0xfull
#define MSR_AMD_PREFETCH    0xc0000108u
#define AMD_ALL             0x2full
#define AMD_LEAF            0x80000021u
#define AMD_HAS_MSR         (1u << 13)
#define HYBRID_LEAF         0x1au
#define HYBRID_TYPE_SHIFT   24
#define HYBRID_ATOM         0x20u
#define FAMILY_CORE         6
#define MODEL_NEHALEM_FIRST 0x1au

/* Models of family 6 with numbers from Nehalem's on that are not Core: Core 2's Dunnington, and
 * Atom and Xeon Phi, on which the bits of this register mean something else or do not exist. */
static const uint8_t not_core[] = {0x1c, 0x1d, 0x26, 0x27, 0x35, 0x36, 0x37, 0x4a, 0x4c,
                                   0x4d, 0x57, 0x5a, 0x5c, 0x5d, 0x5f, 0x65, 0x6e, 0x75,
                                   0x7a, 0x85, 0x86, 0x8a, 0x96, 0x9c, 0xaf, 0xb6, 0xbe};

static bool is_core(const struct cpu_identity *identity)
{
    const uint32_t type =
        cpuid_leaf(cpuid_instruction, identity, HYBRID_LEAF, 0).eax >> HYBRID_TYPE_SHIFT;

    return strcmp(identity->vendor, "GenuineIntel") == 0 && identity->family == FAMILY_CORE &&
           identity->model >= MODEL_NEHALEM_FIRST && type != HYBRID_ATOM &&
           memchr(not_core, (int)identity->model, sizeof(not_core)) == NULL;
}

static bool has_amd_msr(const struct cpu_identity *identity)
{
    return cpu_is_amd(identity) &&
           (cpuid_leaf(cpuid_instruction, identity, AMD_LEAF, 0).eax & AMD_HAS_MSR) != 0;
}

/* The change that prefetchers_restore() reverts. */
static struct {
    uint32_t msr; /* number of the changed MSR; 0: none was changed */
    uint64_t before;
} changed;

const char *prefetchers_off(const struct cpu_identity *identity)
{
    const bool core = is_core(identity);
    const uint32_t msr = core ? MSR_INTEL_PREFETCH : MSR_AMD_PREFETCH;
    const uint64_t off = core ? INTEL_ALL : AMD_ALL;
    uint64_t before;
    uint64_t after;

    if (!core && !has_amd_msr(identity)) {
        return "no documented way to switch off this processor's prefetchers";
    }
    if (msr_read(msr, &before) != 0 || msr_write(msr, before | off) != 0) {
        return "the processor rejects access to the MSR";
    }
    changed.msr = msr;
    changed.before = before;
    if (msr_read(msr, &after) != 0 || after != (before | off)) {
        prefetchers_restore();
        return "the MSR does not keep what is written";
    }
    return NULL;
}

void prefetchers_restore(void)
{
    if (changed.msr != 0) {
        msr_write(changed.msr, changed.before);
        changed.msr = 0;
    }
}
