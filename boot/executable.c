/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/executable.h"

#include <stddef.h>

#include "kernel/mem/memory.h"
#include "kernel/mem/page_entry.h"

#define LEAF_TDX      0x21u
#define LEAF_SEV      0x8000001fu
#define SEV_SUPPORTED 2u
#define SEV_ACTIVE    1u

/* It takes only one level to forbid it. */
static void allow_page(uint64_t *table, unsigned level, uint64_t address)
{
    while (table != NULL) {
        uint64_t *entry = page_entry_of(table, address, level);

        if ((*entry & ENTRY_PRESENT) == 0) {
            return;
        }
        if ((*entry & ENTRY_NO_EXECUTE) != 0) {
            *entry &= ~ENTRY_NO_EXECUTE;
        }
        table = level == 1 || (*entry & ENTRY_LARGE) != 0
                    ? NULL
                    : (uint64_t *)(uintptr_t)(*entry & ENTRY_ADDRESS);
        level--;
    }
}

void executable_allow(uint64_t *root, unsigned levels, uint64_t start, uint64_t end)
{
    for (uint64_t address = start; address < end; address += PAGE_SIZE) {
        allow_page(root, levels, address);
    }
}

bool executable_is_encrypted(cpuid_port *cpuid, uint32_t (*sev_status)(void))
{
    if ((cpuid(1, 0).ecx >> 31 & 1) == 0) {
        return false; /* no guest */
    }
    if (cpuid(CPUID_EXTENDED, 0).eax >= LEAF_SEV && (cpuid(LEAF_SEV, 0).eax & SEV_SUPPORTED) != 0) {
        return (sev_status() & SEV_ACTIVE) != 0;
    }
    if (cpuid(0, 0).eax < LEAF_TDX) {
        return false;
    }
    const struct cpuid_result name = cpuid(LEAF_TDX, 0);

    /* "IntelTDX    " */
    return name.ebx == 0x65746e49 && name.edx == 0x5844546c && name.ecx == 0x20202020;
}
