/* SPDX-License-Identifier: BSD-2-Clause */
/* Starts the other image, tare-smp.efi, if the plan needs it (kernel/plan/image_choice.h). */
#include "boot/boot.h"
#include "kernel/plan/image_choice.h"
#include "kernel/plan/names.h"
#include "kernel/plan/profiles.h"

#include <stdio.h>

#define IMAGE_BYTES_MAX (4u << 20)

static struct plan plan; /* too large for firmware's stack */
static char refusal[PLAN_ERROR_MAX];

static EFI_STATUS read_image(EFI_SYSTEM_TABLE *system, const EFI_LOADED_IMAGE *loaded, void *bytes,
                             UINT64 *size)
{
    EFI_FILE_HANDLE file;
    UINTN length = IMAGE_BYTES_MAX;

    if (EFI_ERROR(open_beside_image(system, loaded, L"" IMAGE_SMP_FILE, &file))) {
        return network_read(system, loaded, IMAGE_SMP_FILE, bytes, size);
    }
    const EFI_STATUS status = file->Read(file, &length, bytes);

    file->Close(file);
    *size = length;
    return status;
}

/* The image gets the path of this one, so that it finds the same folder. Returns only if it could
 * not be started, or gave up before it took the machine. */
static EFI_STATUS start(EFI_HANDLE image, EFI_BOOT_SERVICES *services,
                        const EFI_LOADED_IMAGE *loaded, void *bytes, UINTN size)
{
    EFI_GUID path_guid = EFI_LOADED_IMAGE_DEVICE_PATH_PROTOCOL_GUID;
    EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    EFI_LOADED_IMAGE *other;
    EFI_DEVICE_PATH *path;
    EFI_HANDLE handle;
    EFI_STATUS status = services->HandleProtocol(image, &path_guid, (void **)&path);

    if (!EFI_ERROR(status)) {
        status = services->LoadImage(FALSE, image, path, bytes, size, &handle);
    }
    services->FreePool(bytes);
    if (!EFI_ERROR(status)) {
        status = services->HandleProtocol(handle, &loaded_image_guid, (void **)&other);
    }
    if (EFI_ERROR(status)) {
        return status;
    }
    other->LoadOptions = loaded->LoadOptions;
    other->LoadOptionsSize = loaded->LoadOptionsSize;
    return services->StartImage(handle, NULL, NULL);
}

static EFI_STATUS load_and_start(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    EFI_GUID loaded_image_guid = EFI_LOADED_IMAGE_PROTOCOL_GUID;
    EFI_BOOT_SERVICES *services = system->BootServices;
    EFI_LOADED_IMAGE *loaded;
    void *bytes = NULL;
    UINT64 size = IMAGE_BYTES_MAX;
    EFI_STATUS status = services->HandleProtocol(image, &loaded_image_guid, (void **)&loaded);

    if (!EFI_ERROR(status)) {
        status = services->AllocatePool(EfiLoaderData, IMAGE_BYTES_MAX, &bytes);
    }
    if (!EFI_ERROR(status)) {
        status = read_image(system, loaded, bytes, &size);
    }
    return EFI_ERROR(status) ? status : start(image, services, loaded, bytes, size);
}

void chain_load(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, struct handoff *handoff)
{
    char reason[IMAGE_REASON_MAX];

    if (!plan_parse(&plan, handoff->plan_text, handoff->plan_length, refusal)) {
        return; /* the kernel reports it */
    }
    const enum image_choice choice = image_choice(&plan, SMP_BENCHES, reason);

    if (choice == IMAGE_NONE) {
        snprintf(refusal, sizeof(refusal), "%s", reason);
    } else if (choice == IMAGE_SMP && !kernel_is_smp) {
        const EFI_STATUS status = load_and_start(image, system);

        snprintf(
            refusal, sizeof(refusal),
            "%s: needs the image " IMAGE_SMP_FILE
            ", not started from the folder of this one: %s; copy it there, or start it instead",
            reason, status_words(status));
    } else if (choice == IMAGE_ONE && kernel_is_smp) {
        snprintf(refusal, sizeof(refusal),
                 "%s: this image is " IMAGE_SMP_FILE "; start tare.efi, or omit %s", reason,
                 reason);
    } else {
        return;
    }
    handoff->refusal = refusal;
}
