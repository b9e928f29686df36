/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An EFI program that makes firmware report memory as a machine with HBM or CXL memory does: it
 * sets EFI_MEMORY_SP on all free memory above 4 GiB in whatever map is asked for, and starts the
 * image, \EFI\tare\tare.efi of the volume that it came from. QEMU's firmware has no such memory.
 */
#include <efi.h>

#define SPECIFIC_PURPOSE 0x40000ull
#define FOUR_GIB         0x100000000ull

static const CHAR16 name[] = u"\\EFI\\tare\\tare.efi";

static EFI_GET_MEMORY_MAP firmware_map;

static EFI_STATUS EFIAPI special_map(UINTN *bytes, EFI_MEMORY_DESCRIPTOR *map, UINTN *key,
                                     UINTN *stride, UINT32 *version)
{
    const EFI_STATUS status = firmware_map(bytes, map, key, stride, version);

    for (UINTN at = 0; status == EFI_SUCCESS && at < *bytes; at += *stride) {
        EFI_MEMORY_DESCRIPTOR *descriptor = (EFI_MEMORY_DESCRIPTOR *)((UINT8 *)map + at);

        if (descriptor->Type == EfiConventionalMemory && descriptor->PhysicalStart >= FOUR_GIB) {
            descriptor->Attribute |= SPECIFIC_PURPOSE;
        }
    }
    return status;
}

static UINTN node_bytes(const EFI_DEVICE_PATH_PROTOCOL *node)
{
    return (UINTN)node->Length[0] | (UINTN)node->Length[1] << 8;
}

/* The path of the volume, and the image's behind it. */
static VOID make_path(const UINT8 *volume, UINT8 *path)
{
    const UINTN length = 4 + sizeof(name);
    const UINT8 header[] = {MEDIA_DEVICE_PATH, MEDIA_FILEPATH_DP, (UINT8)length, 0};
    const UINT8 end[] = {END_DEVICE_PATH_TYPE, END_ENTIRE_DEVICE_PATH_SUBTYPE, 4, 0};

    while (*volume != END_DEVICE_PATH_TYPE) {
        for (UINTN left = node_bytes((const VOID *)volume); left > 0; left--) {
            *path++ = *volume++;
        }
    }
    for (UINTN i = 0; i < sizeof(header); i++) {
        *path++ = header[i];
    }
    for (UINTN i = 0; i < sizeof(name); i++) {
        *path++ = ((const UINT8 *)name)[i];
    }
    for (UINTN i = 0; i < sizeof(end); i++) {
        *path++ = end[i];
    }
}

EFI_STATUS efi_main(EFI_HANDLE handle, EFI_SYSTEM_TABLE *system);

EFI_STATUS efi_main(EFI_HANDLE handle, EFI_SYSTEM_TABLE *system)
{
    EFI_BOOT_SERVICES *boot = system->BootServices;
    EFI_GUID loaded_guid = LOADED_IMAGE_PROTOCOL;
    EFI_GUID path_guid = DEVICE_PATH_PROTOCOL;
    EFI_LOADED_IMAGE *loaded;
    EFI_HANDLE image;
    static UINT8 path[512];
    VOID *volume;

    EFI_STATUS status = boot->HandleProtocol(handle, &loaded_guid, (VOID **)&loaded);

    if (status == EFI_SUCCESS) {
        status = boot->HandleProtocol(loaded->DeviceHandle, &path_guid, &volume);
    }
    if (status != EFI_SUCCESS) {
        return status;
    }
    make_path(volume, path);
    status = boot->LoadImage(FALSE, handle, (VOID *)path, NULL, 0, &image);
    if (status != EFI_SUCCESS) {
        return status;
    }
    firmware_map = boot->GetMemoryMap;
    boot->GetMemoryMap = special_map;
    boot->Hdr.CRC32 = 0;
    boot->CalculateCrc32(&boot->Hdr, boot->Hdr.HeaderSize, &boot->Hdr.CRC32);
    return boot->StartImage(image, NULL, NULL);
}
