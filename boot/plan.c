/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the plan: QEMU's fw_cfg item, the file next to the image, or the load options. */
#include "boot/boot.h"
#include "boot/image_folder.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/cpu/port.h"
#include "kernel/dev/acpi.h"
#include "kernel/mem/paging.h"

#include <string.h>

/* ---- QEMU's firmware configuration device (QEMU docs/specs/fw_cfg) ---- */

#define FW_CFG_SELECT    0x510
#define FW_CFG_DATA      0x511
#define FW_CFG_SIGNATURE 0x0000
#define FW_CFG_DIRECTORY 0x0019
#define FW_CFG_NAME_SIZE 56
#define FW_CFG_FILES_MAX 1024

static const char fw_cfg_plan[] = "opt/tare/plan";
static const char fw_cfg_hold[] = "opt/tare/hold";

/* Reset control register of QEMU's q35 and pc. */
#define RESET_CONTROL 0xcf9
#define RESET_FULL    0x06

static void fw_cfg_select(uint16_t key)
{
    port_write16(FW_CFG_SELECT, key);
}

static void fw_cfg_read(void *bytes, size_t length)
{
    uint8_t *out = bytes;

    for (size_t i = 0; i < length; i++) {
        out[i] = port_read8(FW_CFG_DATA);
    }
}

static uint32_t fw_cfg_read_big_endian(size_t length)
{
    uint32_t value = 0;

    for (size_t i = 0; i < length; i++) {
        value = value << 8 | port_read8(FW_CFG_DATA);
    }
    return value;
}

static bool no_device(const void *handoff, uint64_t address, uint64_t length)
{
    (void)handoff;
    (void)address;
    (void)length;
    return false;
}

static bool acpi_lists_fw_cfg(const struct handoff *handoff)
{
    static struct acpi_facts facts; /* too large for firmware's stack */
    const struct acpi_memory memory = {paging_memory_at, no_device, handoff};

    acpi_read(&memory, handoff->rsdp, &facts);
    return facts.has_fw_cfg;
}

/* Returns whether QEMU's fw_cfg device is present. Reading its signature takes a write to port
 * 510h, which on a real machine may belong to another device: boards with Intel chipsets have had
 * their GPIO registers at 500h. So two tests that need no write come first: CPUID's hypervisor bit,
 * and if that is hidden, the DSDT, which lists the device only in QEMU. */
static bool fw_cfg_present(const struct handoff *handoff)
{
    char signature[4];

    if ((cpuid_instruction(1, 0).ecx >> 31 & 1) == 0 && !acpi_lists_fw_cfg(handoff)) {
        return false;
    }
    fw_cfg_select(FW_CFG_SIGNATURE);
    fw_cfg_read(signature, sizeof(signature));
    return memcmp(signature, "QEMU", sizeof(signature)) == 0;
}

static bool fw_cfg_find(const char *wanted, uint16_t *key, uint32_t *size)
{
    fw_cfg_select(FW_CFG_DIRECTORY);
    const uint32_t count = fw_cfg_read_big_endian(4);

    for (uint32_t i = 0; i < count && i < FW_CFG_FILES_MAX; i++) {
        char name[FW_CFG_NAME_SIZE];
        const uint32_t file_size = fw_cfg_read_big_endian(4);
        const uint16_t file_key = (uint16_t)fw_cfg_read_big_endian(2);

        fw_cfg_read_big_endian(2); /* reserved */
        fw_cfg_read(name, sizeof(name));
        if (strncmp(name, wanted, sizeof(name)) == 0) {
            *key = file_key;
            *size = file_size;
            return true;
        }
    }
    return false;
}

/* Reads the plan from fw_cfg. If fw_cfg asks for a hold, requests a reset first: QEMU pauses
 * instead of the reset and saves the machine. A machine restored from that state continues here
 * with another plan (tools/qemu/snapshot.h). */
static bool plan_from_fw_cfg(struct handoff *handoff)
{
    uint16_t key;
    uint32_t size;

    if (!fw_cfg_present(handoff)) {
        return false;
    }
    if (fw_cfg_find(fw_cfg_hold, &key, &size)) {
        port_write8(RESET_CONTROL, RESET_FULL);
    }
    if (!fw_cfg_find(fw_cfg_plan, &key, &size)) {
        return false;
    }
    fw_cfg_select(key);
    fw_cfg_read(handoff->plan_text, size < PLAN_TEXT_MAX ? size : PLAN_TEXT_MAX);
    handoff->plan_length = size;
    handoff->plan_source = PLAN_FW_CFG;
    return true;
}

/* ---- the file next to the image ---- */

/* Largest number of bytes read of the image's device path, which does not state its length. */
#define PATH_BYTES_MAX 4096

EFI_STATUS open_beside_image(EFI_SYSTEM_TABLE *system, const EFI_LOADED_IMAGE *loaded,
                             const CHAR16 *name, EFI_FILE_HANDLE *file)
{
    EFI_GUID file_system_guid = EFI_SIMPLE_FILE_SYSTEM_PROTOCOL_GUID;
    EFI_FILE_IO_INTERFACE *volume;
    EFI_FILE_HANDLE root;
    CHAR16 path[IMAGE_FOLDER_MAX + BESIDE_NAME_MAX];
    size_t length = image_folder(loaded->FilePath, PATH_BYTES_MAX, path);

    if (loaded->DeviceHandle == NULL ||
        EFI_ERROR(system->BootServices->HandleProtocol(loaded->DeviceHandle, &file_system_guid,
                                                       (void **)&volume)) ||
        EFI_ERROR(volume->OpenVolume(volume, &root))) {
        return EFI_NOT_FOUND;
    }
    size_t end = 0;

    do {
        path[length + end] = name[end];
    } while (name[end] != 0 && ++end < BESIDE_NAME_MAX);
    EFI_STATUS status = root->Open(root, file, path, EFI_FILE_MODE_READ, 0);

    if (EFI_ERROR(status) && length > 0) {
        status = root->Open(root, file, path + length, EFI_FILE_MODE_READ, 0);
    }
    root->Close(root);
    return status;
}

static bool plan_from_file(EFI_SYSTEM_TABLE *system, const EFI_LOADED_IMAGE *loaded,
                           struct handoff *handoff)
{
    EFI_FILE_HANDLE file;
    UINT64 size = 0;
    UINTN length = PLAN_TEXT_MAX;

    if (EFI_ERROR(open_beside_image(system, loaded, L"tare.plan", &file))) {
        return false;
    }
    bool good = !EFI_ERROR(file->Read(file, &length, handoff->plan_text));

    /* Seek to the end for the whole size, so that a plan that is too long is rejected and not cut
     * off. */
    if (good && length == PLAN_TEXT_MAX && !EFI_ERROR(file->SetPosition(file, UINT64_MAX)) &&
        !EFI_ERROR(file->GetPosition(file, &size)) && size > length) {
        length = size;
    }
    file->Close(file);
    if (good) {
        handoff->plan_length = length;
        handoff->plan_source = PLAN_FILE;
    }
    return good;
}

/* ---- the load options ---- */

/* Returns the length of the program name in front of the settings, or 0. A UEFI shell passes its
 * whole command line, whose first word is the program. */
static size_t skip_program(const char *text, size_t length)
{
    size_t end = 0;

    while (end < length && text[end] != ' ' && text[end] != '=') {
        end++;
    }
    const bool is_program = end >= 4 && (memcmp(text + end - 4, ".efi", 4) == 0 ||
                                         memcmp(text + end - 4, ".EFI", 4) == 0);

    return is_program && (end == length || text[end] == ' ') ? end : 0;
}

/* Reads the load options, which are UTF-16. Some firmware passes its own binary data, so a plan
 * must be printable ASCII with an equals sign. */
static bool plan_from_load_options(const EFI_LOADED_IMAGE *loaded, struct handoff *handoff)
{
    const CHAR16 *options = loaded->LoadOptions;
    const size_t characters = loaded->LoadOptionsSize / sizeof(CHAR16);
    size_t length = 0;

    if (options == NULL || loaded->LoadOptionsSize % sizeof(CHAR16) != 0) {
        return false;
    }
    for (; length < characters && options[length] != 0; length++) {
        const CHAR16 c = options[length];

        if ((c < ' ' && c != '\t' && c != '\r' && c != '\n') || c > '~') {
            return false;
        }
        if (length < PLAN_TEXT_MAX) {
            handoff->plan_text[length] = (char)c;
        }
    }
    const size_t kept = length < PLAN_TEXT_MAX ? length : PLAN_TEXT_MAX;
    const size_t program = skip_program(handoff->plan_text, kept);

    memset(handoff->plan_text, ' ', program);
    if (memchr(handoff->plan_text, '=', kept) == NULL) {
        return false;
    }
    handoff->plan_length = length;
    handoff->plan_source = PLAN_LOAD_OPTIONS;
    return true;
}

void plan_find(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, struct handoff *handoff)
{
    EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    EFI_LOADED_IMAGE *loaded;

    handoff->plan_source = PLAN_DEFAULT;
    handoff->plan_length = 0;
    if (EFI_ERROR(
            system->BootServices->HandleProtocol(image, &loaded_image_guid, (void **)&loaded))) {
        loaded = NULL;
    }
    if (plan_from_fw_cfg(handoff) || loaded == NULL) {
        return;
    }
    if (!plan_from_file(system, loaded, handoff) && !plan_from_network(system, loaded, handoff)) {
        plan_from_load_options(loaded, handoff);
    }
}
