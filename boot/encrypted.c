/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/encrypted.h"

#define LEAF_TDX      0x21u
#define LEAF_SEV      0x8000001fu
#define SEV_SUPPORTED 2u
#define SEV_ACTIVE    1u

bool memory_is_encrypted(cpuid_port *cpuid, uint32_t (*sev_status)(void))
{
    if ((cpuid(1, 0).ecx >> 31 & 1) == 0) {
        return false; /* not a guest */
    }
    if (cpuid(CPUID_EXTENDED, 0).eax >= LEAF_SEV && (cpuid(LEAF_SEV, 0).eax & SEV_SUPPORTED) != 0) {
        return (sev_status() & SEV_ACTIVE) != 0;
    }
    if (cpuid(0, 0).eax < LEAF_TDX) {
        return false;
    }
    const struct cpuid_result name = cpuid(LEAF_TDX, 0);

    /* The name that a TDX guest reports: "IntelTDX    ". */
    return name.ebx == 0x65746e49 && name.edx == 0x5844546c && name.ecx == 0x20202020;
}
