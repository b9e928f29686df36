/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Copies what firmware knows about the machine into the handoff: tables, framebuffer, versions,
 * time.
 */
#include "boot/boot.h"

#include <string.h>

#include "boot/date.h"

/* Firmware installs this protocol on the devices that show its console (EDK2,
 * Guid/ConsoleOutDevice.h). */
#define CONSOLE_OUT_DEVICE_GUID                            \
    {                                                      \
        0xd3b36f2c, 0xd551, 0x11d4,                        \
        {                                                  \
            0x9a, 0x46, 0x00, 0x90, 0x27, 0x3f, 0xc1, 0x4d \
        }                                                  \
    }

static bool guid_is(const EFI_GUID *a, const EFI_GUID *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* Returns the address of the table with the first GUID, else of that with the second; 0: neither.
 */
static uint64_t find_table(const EFI_SYSTEM_TABLE *system, EFI_GUID newer, EFI_GUID older)
{
    uint64_t address = 0;

    for (UINTN i = 0; i < system->NumberOfTableEntries; i++) {
        const EFI_CONFIGURATION_TABLE *table = &system->ConfigurationTable[i];

        if (guid_is(&table->VendorGuid, &newer) ||
            (guid_is(&table->VendorGuid, &older) && address == 0)) {
            address = (uint64_t)(uintptr_t)table->VendorTable;
        }
    }
    return address;
}

/* Returns whether the pixels of the mode are 32-bit words that can be written. */
static bool is_drawable(const EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE *mode)
{
    return mode != NULL && mode->Info != NULL && mode->FrameBufferBase != 0 &&
           (mode->Info->PixelFormat == PixelRedGreenBlueReserved8BitPerColor ||
            mode->Info->PixelFormat == PixelBlueGreenRedReserved8BitPerColor);
}

/* Returns the mode of the first drawable output that shows firmware's console, because the user
 * looks at that one. Otherwise returns the mode of the first drawable output, or NULL if there is
 * none. A machine may have several outputs: processor graphics in addition to a card, a management
 * controller, and outputs that only take copies of pictures. */
static const EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE *choose_mode(EFI_BOOT_SERVICES *services,
                                                            const EFI_HANDLE *handles, UINTN count)
{
    EFI_GUID graphics_guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
    EFI_GUID console_guid = CONSOLE_OUT_DEVICE_GUID;
    const EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE *chosen = NULL;

    for (UINTN i = 0; i < count; i++) {
        EFI_GRAPHICS_OUTPUT_PROTOCOL *graphics;
        void *console;

        if (EFI_ERROR(services->HandleProtocol(handles[i], &graphics_guid, (void **)&graphics)) ||
            !is_drawable(graphics->Mode)) {
            continue;
        }
        if (!EFI_ERROR(services->HandleProtocol(handles[i], &console_guid, &console))) {
            return graphics->Mode;
        }
        chosen = chosen != NULL ? chosen : graphics->Mode;
    }
    return chosen;
}

/* Copies the graphics mode that firmware is in; kernel/plan/ranges.h checks the values. */
static void find_framebuffer(EFI_BOOT_SERVICES *services, struct framebuffer *screen)
{
    EFI_GUID graphics_guid = EFI_GRAPHICS_OUTPUT_PROTOCOL_GUID;
    EFI_HANDLE *handles;
    UINTN count;

    memset(screen, 0, sizeof(*screen));
    if (EFI_ERROR(
            services->LocateHandleBuffer(ByProtocol, &graphics_guid, NULL, &count, &handles))) {
        return;
    }
    const EFI_GRAPHICS_OUTPUT_PROTOCOL_MODE *mode = choose_mode(services, handles, count);

    services->FreePool(handles);
    if (mode == NULL) {
        return;
    }
    screen->address = mode->FrameBufferBase;
    screen->size = mode->FrameBufferSize;
    screen->width = mode->Info->HorizontalResolution;
    screen->height = mode->Info->VerticalResolution;
    screen->stride = mode->Info->PixelsPerScanLine;
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

static void copy_date(EFI_SYSTEM_TABLE *system, struct handoff *handoff)
{
    EFI_TIME time;

    handoff->date[0] = '\0';
    if (EFI_ERROR(system->RuntimeServices->GetTime(&time, NULL))) {
        return;
    }
    const struct date clock = {time.Year, time.Month,  time.Day,
                               time.Hour, time.Minute, time.Second};

    date_write(&clock, time.TimeZone, handoff->date);
}

static void describe_image(EFI_HANDLE image, const EFI_SYSTEM_TABLE *system,
                           struct handoff *handoff)
{
    EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    EFI_LOADED_IMAGE *loaded;

    if (!EFI_ERROR(
            system->BootServices->HandleProtocol(image, &loaded_image_guid, (void **)&loaded))) {
        handoff->image_base = (uint64_t)(uintptr_t)loaded->ImageBase;
        handoff->image_size = loaded->ImageSize;
    }
}

void firmware_describe(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, struct handoff *handoff)
{
    describe_image(image, system, handoff);
    handoff->rsdp = find_table(system, (EFI_GUID)ACPI_20_TABLE_GUID, (EFI_GUID)ACPI_TABLE_GUID);
    handoff->smbios = find_table(system, (EFI_GUID)SMBIOS3_TABLE_GUID, (EFI_GUID)SMBIOS_TABLE_GUID);
    find_framebuffer(system->BootServices, &handoff->framebuffer);
    copy_vendor(system, handoff);
    copy_date(system, handoff);
    handoff->firmware_revision = system->FirmwareRevision;
    handoff->uefi_revision = system->Hdr.Revision;
    handoff->reset_system = (reset_system_fn *)(uintptr_t)system->RuntimeServices->ResetSystem;
}
