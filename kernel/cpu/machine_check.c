/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/machine_check.h"

#include <string.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/msr.h"

#define CPUID_1_EDX_MCE (1u << 7)
#define CPUID_1_EDX_MCA (1u << 14)
#define CR4_MCE         (1ull << 6)
#define MCG_CAP         0x179u
#define MCG_STATUS      0x17au
#define MCG_CONTROL     0x17bu
#define BANK_CONTROL    0x400u /* first register of bank 0; each bank has four registers */
#define BANK_STATUS     0x401u
#define BANK_ADDRESS    0x402u
#define CAP_BANKS       0xffull
#define CAP_CONTROL     (1ull << 8)  /* the register MCG_CTL exists */
#define CAP_COUNTS      (1ull << 10) /* the banks count corrected errors */
#define ALL             UINT64_MAX
#define GLOBAL_RIPV     1ull
#define STATUS_VALID    (1ull << 63)
#define STATUS_UC       (1ull << 61)
#define STATUS_ADDRV    (1ull << 58)
#define STATUS_PCC      (1ull << 57)
#define STATUS_COUNT(s) ((s) >> 38 & 0x7fff)

static uint32_t first_bank; /* first bank whose control does not belong to firmware */
static uint32_t bank_count; /* number of banks; 0: there are none */
static bool has_control;
static bool counts_corrected;
static struct machine_check_logs kernel_logs;

static struct {
    uint64_t global;
    uint64_t bank[MACHINE_CHECK_BANKS_MAX];
} found; /* machine-check controls that firmware left */

static uint64_t bank_status(uint32_t bank)
{
    uint64_t status;

    return msr_read(BANK_STATUS + 4 * bank, &status) == 0 ? status : 0;
}

static void remember(struct machine_check_logs *logs)
{
    for (uint32_t bank = 0; bank < bank_count; bank++) {
        logs->status[bank] = bank_status(bank);
    }
}

static void set_controls(void)
{
    if (has_control) {
        msr_write(MCG_CONTROL, ALL);
    }
    for (uint32_t bank = first_bank; bank < bank_count; bank++) {
        msr_write(BANK_CONTROL + 4 * bank, ALL);
    }
}

/* According to SDM volume 3 section 16.8, the pseudocode of the initialisation. */
static void find_banks(const struct cpu_identity *identity)
{
    const bool first_is_firmwares = strcmp(identity->vendor, "GenuineIntel") == 0 &&
                                    identity->family == 6 && identity->model < 0x1a;
    uint64_t capabilities;

    if (msr_read(MCG_CAP, &capabilities) != 0) {
        return;
    }
    bank_count = (uint32_t)(capabilities & CAP_BANKS);
    if (bank_count > MACHINE_CHECK_BANKS_MAX) {
        bank_count = MACHINE_CHECK_BANKS_MAX;
    }
    has_control = (capabilities & CAP_CONTROL) != 0;
    counts_corrected = (capabilities & CAP_COUNTS) != 0;
    first_bank = first_is_firmwares ? 1 : 0;
}

void machine_check_enable(const struct cpu_identity *identity)
{
    const uint32_t edx = cpuid_leaf(cpuid_instruction, identity, 1, 0).edx;

    if ((edx & CPUID_1_EDX_MCA) != 0) {
        find_banks(identity);
        machine_check_resume();
        remember(&kernel_logs);
    }
    if ((edx & CPUID_1_EDX_MCE) != 0) {
        cr4_write(cr4_read() | CR4_MCE);
    }
}

void machine_check_resume(void)
{
    if (has_control) {
        msr_read(MCG_CONTROL, &found.global);
    }
    for (uint32_t bank = first_bank; bank < bank_count; bank++) {
        msr_read(BANK_CONTROL + 4 * bank, &found.bank[bank]);
    }
    set_controls();
}

void machine_check_release(void)
{
    for (uint32_t bank = first_bank; bank < bank_count; bank++) {
        msr_write(BANK_CONTROL + 4 * bank, found.bank[bank]);
    }
    if (has_control) {
        msr_write(MCG_CONTROL, found.global);
    }
}

void machine_check_join(struct machine_check_logs *logs)
{
    set_controls();
    remember(logs != NULL ? logs : &kernel_logs);
}

/* Returns the status of an error since the logs were remembered, or 0 if there is none. */
static uint64_t new_status(const struct machine_check_logs *logs, uint32_t bank)
{
    const uint64_t status = bank_status(bank);

    return (status & STATUS_VALID) != 0 && status != logs->status[bank] ? status : 0;
}

static void take_bank(struct machine_check *check, uint32_t bank)
{
    const uint64_t status = new_status(&kernel_logs, bank);

    if (status == 0) {
        return;
    }
    if (!check->reported && (status & STATUS_UC) != 0) {
        check->reported = true;
        check->bank = bank;
        check->status = status;
        if ((status & STATUS_ADDRV) != 0) {
            msr_read(BANK_ADDRESS + 4 * bank, &check->address);
        }
    }
    check->survivable = check->survivable && (status & STATUS_PCC) == 0;
    msr_write(BANK_STATUS + 4 * bank, 0);
    kernel_logs.status[bank] = 0;
}

struct machine_check machine_check_take(void)
{
    struct machine_check check = {0};

    if (bank_count == 0) {
        return check;
    }
    msr_read(MCG_STATUS, &check.global_status);
    check.survivable = (check.global_status & GLOBAL_RIPV) != 0;
    for (uint32_t bank = 0; bank < bank_count; bank++) {
        take_bank(&check, bank);
    }
    check.survivable = check.survivable && check.reported;
    msr_write(MCG_STATUS, 0);
    return check;
}

bool machine_check_pass(const struct machine_check_logs *logs)
{
    uint64_t global = 0;
    uint64_t status = 0;

    if (bank_count == 0) {
        return false;
    }
    msr_read(MCG_STATUS, &global);
    for (uint32_t bank = 0; bank < bank_count; bank++) {
        status |= new_status(logs, bank);
    }
    msr_write(MCG_STATUS, 0);
    return (global & GLOBAL_RIPV) != 0 && (status & STATUS_PCC) == 0;
}

uint32_t machine_check_banks(void)
{
    return bank_count;
}

uint64_t machine_check_corrected(void)
{
    uint64_t errors = 0;

    for (uint32_t bank = 0; bank < bank_count; bank++) {
        const uint64_t status = bank_status(bank);

        if ((status & STATUS_VALID) != 0 && (status & STATUS_UC) == 0) {
            const uint64_t counted = counts_corrected ? STATUS_COUNT(status) : 0;

            errors += counted > 0 ? counted : 1;
        }
    }
    return errors;
}
