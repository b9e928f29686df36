/* SPDX-License-Identifier: BSD-2-Clause */
/* The entry point of the UEFI application: fills the handoff and enters the kernel. */
#include "boot/boot.h"
#include "boot/encrypted.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/msr.h"
#include "kernel/plan/profiles.h"

#define MSR_SEV_STATUS 0xc0010131u

/* Called by gnu-efi's start-up object. */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

/* Static because it is too large for the stack and must outlive this function. */
static struct handoff handoff;

/* Reads the MSR without protection against faults, which is not set up yet. It is called only if
 * CPUID reports the register. */
static uint32_t sev_status(void)
{
    uint64_t status;

    msr_read(MSR_SEV_STATUS, &status);
    return (uint32_t)status;
}

static EFI_STATUS refuse(EFI_SYSTEM_TABLE *system, const CHAR16 *why, EFI_STATUS status)
{
    system->ConOut->OutputString(system->ConOut, (CHAR16 *)why);
    return status;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    image_relocate();
    handoff.entry_tsc = tsc_read();
    if (memory_is_encrypted(cpuid_instruction, sev_status)) {
        return refuse(system,
                      L"tare: this guest has encrypted memory (SEV or TDX): start it without\r\n",
                      EFI_UNSUPPORTED);
    }
    /* The kernel's code has no ENDBR instructions for indirect branches, and its calls would not
     * match the firmware's shadow stack. So CET stays off, even while the machine is borrowed. */
    cr4_write(cr4_read() & ~CR4_CET);
    system->BootServices->SetWatchdogTimer(0, 0, 0, NULL);
    firmware_describe(image, system, &handoff);
    const EFI_STATUS status = services_open(image, system, &handoff);

    if (!EFI_ERROR(status)) {
        plan_find(image, system, &handoff);
        handoff.plan_length = profile_expand(handoff.plan_text, handoff.plan_length);
        chain_load(image, system, &handoff);
        setting_find(system, &handoff);
        kernel_main(&handoff);
    }
    return refuse(system, L"tare: no memory map from firmware: update it, or report this\r\n",
                  status);
}
