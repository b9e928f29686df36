/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/boot.h"
#include "kernel/cpu/cpu.h"

/* Called by gnu-efi's start-up object. */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    const uint64_t entry_tsc = tsc_read();

    if (!kernel_unpack()) {
        system->ConOut->OutputString(
            system->ConOut,
            (CHAR16 *)L"tare: the image is damaged (checksum); copy it here again\r\n");
        return EFI_CRC_ERROR;
    }
    return kernel_enter(image, system, entry_tsc);
}
