/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/boot.h"

#include <string.h>

static bool guid_is(const EFI_GUID *a, const EFI_GUID *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static void find_acpi(const EFI_SYSTEM_TABLE *system, struct handoff *handoff)
{
    const EFI_GUID acpi_2 = ACPI_20_TABLE_GUID;
    const EFI_GUID acpi_1 = ACPI_TABLE_GUID;

    handoff->rsdp = 0;
    for (UINTN i = 0; i < system->NumberOfTableEntries; i++) {
        const EFI_CONFIGURATION_TABLE *table = &system->ConfigurationTable[i];

        if (guid_is(&table->VendorGuid, &acpi_2) ||
            (guid_is(&table->VendorGuid, &acpi_1) && handoff->rsdp == 0)) {
            handoff->rsdp = (uint64_t)(uintptr_t)table->VendorTable;
        }
    }
}

static void find_smbios(const EFI_SYSTEM_TABLE *system, struct handoff *handoff)
{
    const EFI_GUID smbios_3 = SMBIOS3_TABLE_GUID;
    const EFI_GUID smbios_2 = SMBIOS_TABLE_GUID;

    handoff->smbios = 0;
    for (UINTN i = 0; i < system->NumberOfTableEntries; i++) {
        const EFI_CONFIGURATION_TABLE *table = &system->ConfigurationTable[i];

        if (guid_is(&table->VendorGuid, &smbios_3) ||
            (guid_is(&table->VendorGuid, &smbios_2) && handoff->smbios == 0)) {
            handoff->smbios = (uint64_t)(uintptr_t)table->VendorTable;
        }
    }
}

/* The mode that firmware is in, if its pixels are 32-bit words that can be written; kernel/ranges.h
 * checks the rest. */
static void find_framebuffer(EFI_SYSTEM_TABLE *system, struct framebuffer *screen)
{
    EFI_GUID graphics_guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
    EFI_GRAPHICS_OUTPUT_PROTOCOL *graphics;

    memset(screen, 0, sizeof(*screen));
    if (EFI_ERROR(system->BootServices->LocateProtocol(&graphics_guid, NULL, (void **)&graphics)) ||
        graphics->Mode == NULL || graphics->Mode->Info == NULL) {
        return;
    }
    const EFI_GRAPHICS_OUTPUT_MODE_INFORMATION *info = graphics->Mode->Info;

    if (info->PixelFormat != PixelRedGreenBlueReserved8BitPerColor &&
        info->PixelFormat != PixelBlueGreenRedReserved8BitPerColor) {
        return;
    }
    screen->address = graphics->Mode->FrameBufferBase;
    screen->size = graphics->Mode->FrameBufferSize;
    screen->width = info->HorizontalResolution;
    screen->height = info->VerticalResolution;
    screen->stride = info->PixelsPerScanLine;
}

static void copy_vendor(const EFI_SYSTEM_TABLE *system, struct handoff *handoff)
{
    size_t i = 0;

    for (; system->FirmwareVendor != NULL && system->FirmwareVendor[i] != 0 &&
           i < sizeof(handoff->firmware_vendor) - 1;
         i++) {
        const CHAR16 c = system->FirmwareVendor[i];

        handoff->firmware_vendor[i] = c >= ' ' && c <= '~' ? (char)c : '?';
    }
    handoff->firmware_vendor[i] = '\0';
}

static char *put_digits(char *at, unsigned value, unsigned digits)
{
    for (unsigned i = digits; i > 0; i--, value /= 10) {
        at[i - 1] = (char)('0' + value % 10);
    }
    return at + digits;
}

/* As 2026-01-31T23:59:59Z. */
static void copy_date(EFI_SYSTEM_TABLE *system, struct handoff *handoff)
{
    EFI_TIME time;
    char *at = handoff->date;

    *at = '\0';
    if (EFI_ERROR(system->RuntimeServices->GetTime(&time, NULL))) {
        return;
    }
    const unsigned parts[] = {time.Month, time.Day, time.Hour, time.Minute, time.Second};
    static const char before[] = "--T::";

    at = put_digits(at, time.Year, 4);
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        *at++ = before[i];
        at = put_digits(at, parts[i], 2);
    }
    *at++ = 'Z';
    *at = '\0';
}

void firmware_describe(EFI_SYSTEM_TABLE *system, struct handoff *handoff)
{
    find_acpi(system, handoff);
    find_smbios(system, handoff);
    find_framebuffer(system, &handoff->framebuffer);
    copy_vendor(system, handoff);
    copy_date(system, handoff);
    handoff->firmware_revision = system->FirmwareRevision;
    handoff->uefi_revision = system->Hdr.Revision;
    handoff->reset_system = (reset_system_fn *)(uintptr_t)system->RuntimeServices->ResetSystem;
}
