/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/boot.h"
#include "kernel/cpu/cpu.h"

/* Too large for a stack, and it has to outlive this one. */
static struct handoff handoff;

/* Called by gnu-efi's start-up object. */
EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

static EFI_STATUS refuse(EFI_SYSTEM_TABLE *system, const CHAR16 *why, EFI_STATUS status)
{
    system->ConOut->OutputString(system->ConOut, (CHAR16 *)why);
    return status;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    handoff.entry_tsc = tsc_read();
    system->BootServices->SetWatchdogTimer(0, 0, 0, NULL);
    if (!kernel_unpack()) {
        return refuse(system, L"tare: the image is damaged (checksum); copy it here again\r\n",
                      EFI_CRC_ERROR);
    }
    plan_find(image, system, &handoff);
    firmware_describe(system, &handoff);

    const EFI_STATUS status = boot_services_leave(image, system, &handoff);

    if (!EFI_ERROR(status)) {
        kernel_enter(&handoff);
    }
    return refuse(system,
                  L"tare: firmware does not let go of the machine (ExitBootServices failed); "
                  L"update it, or report this\r\n",
                  status);
}
