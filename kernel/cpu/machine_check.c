/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/machine_check.h"

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/msr.h"

#define CPUID_1_EDX_MCE (1u << 7)
#define CPUID_1_EDX_MCA (1u << 14)
#define CR4_MCE         (1ull << 6)
#define MCG_CAP         0x179u
#define MCG_STATUS      0x17au
#define BANK_STATUS     0x401u /* four registers a bank */
#define BANK_ADDRESS    0x402u
#define BANKS_MAX       64 /* above are registers of other use */
#define GLOBAL_RIPV     1ull
#define STATUS_VALID    (1ull << 63)
#define STATUS_UC       (1ull << 61)
#define STATUS_ADDRV    (1ull << 58)
#define STATUS_PCC      (1ull << 57)

static bool has_banks;

void machine_check_enable(const struct cpu_identity *identity)
{
    const uint32_t edx = cpuid_leaf(cpuid_instruction, identity, 1, 0).edx;

    has_banks = (edx & CPUID_1_EDX_MCA) != 0;
    if ((edx & CPUID_1_EDX_MCE) != 0) {
        cr4_write(cr4_read() | CR4_MCE);
    }
}

static void take_bank(struct machine_check *found, uint32_t bank)
{
    uint64_t status;

    if (msr_read(BANK_STATUS + 4 * bank, &status) != 0 || (status & STATUS_VALID) == 0) {
        return;
    }
    if (!found->told && (status & STATUS_UC) != 0) {
        found->told = true;
        found->bank = bank;
        found->status = status;
        if ((status & STATUS_ADDRV) != 0) {
            msr_read(BANK_ADDRESS + 4 * bank, &found->address);
        }
    }
    found->survivable = found->survivable && (status & STATUS_PCC) == 0;
    msr_write(BANK_STATUS + 4 * bank, 0);
}

struct machine_check machine_check_take(void)
{
    struct machine_check found = {0};
    uint64_t capabilities;

    if (!has_banks) {
        return found;
    }
    msr_read(MCG_STATUS, &found.global_status);
    msr_read(MCG_CAP, &capabilities);
    found.survivable = (found.global_status & GLOBAL_RIPV) != 0;
    for (uint32_t bank = 0; bank < (capabilities & 255) && bank < BANKS_MAX; bank++) {
        take_bank(&found, bank);
    }
    found.survivable = found.survivable && found.told;
    msr_write(MCG_STATUS, 0);
    return found;
}
