/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/boot.h"
#include "boot/executable.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/early.h"

#define MSR_SEV_STATUS 0xc0010131u

/* Called by gnu-efi's start-up object. */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

static struct cpuid_result cpuid(uint32_t leaf, uint32_t subleaf)
{
    return early_cpuid(leaf, subleaf);
}

static uint32_t sev_status(void)
{
    return early_msr_low(MSR_SEV_STATUS);
}

static EFI_STATUS refuse(EFI_SYSTEM_TABLE *system, const CHAR16 *why, EFI_STATUS status)
{
    system->ConOut->OutputString(system->ConOut, (CHAR16 *)why);
    return status;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    const uint64_t entry_tsc = tsc_read();

    if (executable_is_encrypted(cpuid, sev_status)) {
        return refuse(system, L"tare: not in a guest with SEV or TDX: start it without\r\n",
                      EFI_UNSUPPORTED);
    }
    if (!kernel_unpack()) {
        return refuse(system, L"tare: the image is damaged (checksum); copy it here again\r\n",
                      EFI_CRC_ERROR);
    }
    return kernel_enter(image, system, entry_tsc);
}
