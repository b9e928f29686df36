/* SPDX-License-Identifier: BSD-2-Clause */
/* Converts UEFI statuses (UEFI 2.10 appendix D) to text. */
#include "boot/boot.h"

const char *status_words(EFI_STATUS status)
{
    switch (status) {
    case EFI_SUCCESS:
        return "EFI_SUCCESS, but the call had no effect";
    case EFI_INVALID_PARAMETER:
        return "EFI_INVALID_PARAMETER";
    case EFI_UNSUPPORTED:
        return "EFI_UNSUPPORTED";
    case EFI_BUFFER_TOO_SMALL:
        return "EFI_BUFFER_TOO_SMALL: the memory map keeps growing";
    case EFI_DEVICE_ERROR:
        return "EFI_DEVICE_ERROR: the drive failed";
    case EFI_WRITE_PROTECTED:
        return "EFI_WRITE_PROTECTED: the volume is read only";
    case EFI_OUT_OF_RESOURCES:
        return "EFI_OUT_OF_RESOURCES: firmware has no memory left";
    case EFI_VOLUME_CORRUPTED:
        return "EFI_VOLUME_CORRUPTED: check the file system";
    case EFI_VOLUME_FULL:
        return "EFI_VOLUME_FULL: delete old tare-*.log";
    case EFI_NO_MEDIA:
        return "EFI_NO_MEDIA: the drive is gone";
    case EFI_MEDIA_CHANGED:
        return "EFI_MEDIA_CHANGED: the drive was replaced";
    case EFI_NOT_FOUND:
        return "EFI_NOT_FOUND";
    case EFI_ACCESS_DENIED:
        return "EFI_ACCESS_DENIED";
    case EFI_TIMEOUT:
        return "EFI_TIMEOUT: the drive does not answer";
    case EFI_SECURITY_VIOLATION:
        return "EFI_SECURITY_VIOLATION";
    default:
        return "an unknown UEFI status";
    }
}
