/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/boot.h"

/* Too large for a stack, and it has to outlive this one. */
static struct handoff handoff;

EFI_STATUS boot_continue(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, uint64_t entry_tsc)
{
    handoff.entry_tsc = entry_tsc;
    system->BootServices->SetWatchdogTimer(0, 0, 0, NULL);
    plan_find(image, system, &handoff);
    firmware_describe(system, &handoff);
    const EFI_STATUS status = services_open(image, system, &handoff);

    if (!EFI_ERROR(status)) {
        kernel_main(&handoff);
    }
    system->ConOut->OutputString(
        system->ConOut,
        (CHAR16 *)L"tare: firmware tells no memory map; update it, or report this\r\n");
    return status;
}
