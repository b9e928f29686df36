/* SPDX-License-Identifier: BSD-2-Clause */
/* Writes the log to a file on the boot volume while the machine is borrowed. */
#include "boot/boot.h"

#include <stdio.h>
#include <string.h>

#include "kernel/plan/boots.h"

/* \tare-NNNN.log or \tare-SETTING-NNNN.log */
#define NAME_FIRST  "tare-"
#define NAME_LAST   "0000.log"
#define NAME_LENGTH (sizeof(NAME_FIRST) + SETTING_NAME_MAX + sizeof(NAME_LAST))
#define DIGITS      4
#define NUMBER_MAX  9999

#define MEDIA_RAM_DISK_NODE 9

#define WRITE_SECONDS 120
#define WATCHDOG_CODE 0x10000 /* codes below this are reserved for firmware */

static EFI_BOOT_SERVICES *services;
static EFI_HANDLE image;
static EFI_FILE_HANDLE file;
static const char *setting = ""; /* name of the setting, "" if it has none */
static char name_text[NAME_LENGTH];
static UINT64 written; /* bytes already written to the boot drive */

void log_file_open(EFI_HANDLE own, EFI_SYSTEM_TABLE *system)
{
    image = own;
    services = system->BootServices;
}

void log_file_name(const char *name)
{
    setting = name;
}

static void put_name(CHAR16 name[NAME_LENGTH], unsigned number)
{
    const int length = snprintf(name_text, sizeof(name_text), NAME_FIRST "%s%s" NAME_LAST, setting,
                                setting[0] != '\0' ? "-" : "");
    char *digit = name_text + length - strlen(NAME_LAST) + DIGITS;

    for (unsigned i = 0; i < DIGITS; i++, number /= 10) {
        *--digit = (char)('0' + number % 10);
    }
    for (int i = 0; i <= length; i++) {
        name[i] = (CHAR16)name_text[i];
    }
}

/* Returns whether the volume is a RAM disk, which firmware creates when it boots by HTTP (UEFI 2.10
 * section 10.3.5.9). It can be written to, but is lost at power-off. */
static bool is_in_memory(EFI_HANDLE volume)
{
    EFI_GUID path_guid = DEVICE_PATH_PROTOCOL;
    EFI_DEVICE_PATH *node;

    if (EFI_ERROR(services->HandleProtocol(volume, &path_guid, (void **)&node))) {
        return false;
    }
    while (!IsDevicePathEndType(node) && (size_t)DevicePathNodeLength(node) >= sizeof(*node)) {
        if (DevicePathType(node) == MEDIA_DEVICE_PATH &&
            DevicePathSubType(node) == MEDIA_RAM_DISK_NODE) {
            return true;
        }
        node = NextDevicePathNode(node);
    }
    return false;
}

const char *log_file_open_root(EFI_FILE_HANDLE *root)
{
    EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    EFI_GUID file_system_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
    EFI_LOADED_IMAGE *loaded;
    EFI_FILE_IO_INTERFACE *volume;

    if (EFI_ERROR(services->HandleProtocol(image, &loaded_image_guid, (void **)&loaded)) ||
        loaded->DeviceHandle == NULL ||
        EFI_ERROR(
            services->HandleProtocol(loaded->DeviceHandle, &file_system_guid, (void **)&volume))) {
        return "the image was not loaded from a volume with a file system";
    }
    if (is_in_memory(loaded->DeviceHandle)) {
        return "the volume is a RAM disk: the log would be lost";
    }
    const EFI_STATUS status = volume->OpenVolume(volume, root);

    return EFI_ERROR(status) ? status_words(status) : NULL;
}

EFI_FILE_HANDLE log_file_open_other(const CHAR16 *name, UINT64 mode)
{
    EFI_FILE_HANDLE root;
    EFI_FILE_HANDLE other;

    if (log_file_open_root(&root) != NULL) {
        return NULL;
    }
    const EFI_STATUS status = root->Open(root, &other, (CHAR16 *)name, mode, 0);

    root->Close(root);
    return EFI_ERROR(status) ? NULL : other;
}

static bool is_empty(EFI_FILE_HANDLE present)
{
    UINT64 size = 1;

    return !EFI_ERROR(present->SetPosition(present, UINT64_MAX)) &&
           !EFI_ERROR(present->GetPosition(present, &size)) && size == 0;
}

/* Writes the name of the file with the first number that is free or whose file is empty. A number
 * counts as free only if the file is not found: after any other error there may be a log, and
 * creating a file that exists opens it. */
static EFI_STATUS find_next(EFI_FILE_HANDLE root, CHAR16 name[NAME_LENGTH])
{
    EFI_STATUS status = EFI_SUCCESS;

    for (unsigned number = 1; number <= NUMBER_MAX; number++) {
        EFI_FILE_HANDLE present;

        put_name(name, number);
        status = root->Open(root, &present, name, EFI_FILE_MODE_READ, 0);
        if (!EFI_ERROR(status)) {
            const bool empty = is_empty(present);

            present->Close(present);
            if (!empty) {
                continue;
            }
        } else if (status != EFI_NOT_FOUND) {
            return status;
        }
        return EFI_SUCCESS;
    }
    return EFI_VOLUME_FULL;
}

static EFI_STATUS create_next(EFI_FILE_HANDLE root)
{
    CHAR16 name[NAME_LENGTH];
    const EFI_STATUS status = find_next(root, name);

    return EFI_ERROR(status)
               ? status
               : root->Open(root, &file, name,
                            EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0);
}

const char *log_file_next(void)
{
    CHAR16 name[NAME_LENGTH];
    EFI_FILE_HANDLE root;

    if (log_file_open_root(&root) != NULL) {
        return NULL;
    }
    const EFI_STATUS status = find_next(root, name);

    root->Close(root);
    return EFI_ERROR(status) ? NULL : name_text;
}

const char *log_file_create(const char **name)
{
    EFI_FILE_HANDLE root;
    const char *why = log_file_open_root(&root);

    if (why != NULL) {
        return why;
    }
    const EFI_STATUS status = create_next(root);

    root->Close(root);
    if (EFI_ERROR(status)) {
        file = NULL;
        return status_words(status);
    }
    written = 0;
    *name = name_text;
    return NULL;
}

/* Writes at the current position. A short count is treated as a full volume, because some drivers
 * report that in no other way. */
static EFI_STATUS write_on(const void *bytes, size_t length)
{
    UINTN size = length;
    EFI_STATUS status = file->SetPosition(file, written);

    if (!EFI_ERROR(status)) {
        status = file->Write(file, &size, (void *)bytes);
    }
    if (!EFI_ERROR(status) && size != length) {
        status = EFI_VOLUME_FULL;
    }
    return EFI_ERROR(status) ? status : file->Flush(file);
}

/* After a failed call, the next one writes the same bytes again at the position where the last good
 * call ended. If a driver never returns, the watchdog resets the machine; what was written before
 * is on the boot drive by then. */
const char *log_file_append(const void *bytes, size_t length)
{
    if (file == NULL) {
        return "there is no log file";
    }
    services->SetWatchdogTimer(WRITE_SECONDS, WATCHDOG_CODE, 0, NULL);
    const EFI_STATUS status = write_on(bytes, length);

    services->SetWatchdogTimer(0, 0, 0, NULL);
    if (EFI_ERROR(status)) {
        return status_words(status);
    }
    written += length;
    return NULL;
}
