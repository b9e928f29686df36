/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/boot.h"

#include "kernel/cpu/cpu.h"

#include <string.h>

/* The first attempt fails where an event changes the map between the two calls; one machine is
 * known to need more than two. */
#define ATTEMPTS_MAX 8
/* The map may grow by the allocation that holds it, and by what events allocate. */
#define SPARE_DESCRIPTORS 64

struct memory_map {
    EFI_MEMORY_DESCRIPTOR *descriptors;
    UINTN capacity; /* bytes */
    UINTN size;
    UINTN key;
    UINTN stride; /* of a descriptor: larger than the structure on every firmware seen */
    UINT32 version;
};

static enum memory_kind kind_of(const EFI_MEMORY_DESCRIPTOR *descriptor)
{
    switch (descriptor->Type) {
    case EfiConventionalMemory:
        return MEMORY_FREE;
    case EfiLoaderCode:
    case EfiLoaderData:
    case EfiBootServicesCode:
    case EfiBootServicesData:
        return MEMORY_FIRMWARE;
    case EfiRuntimeServicesCode:
        return MEMORY_RUNTIME_CODE;
    case EfiRuntimeServicesData:
        return MEMORY_RUNTIME_DATA;
    case EfiACPIReclaimMemory:
    case EfiACPIMemoryNVS:
        return MEMORY_ACPI;
    case EfiMemoryMappedIO:
    case EfiMemoryMappedIOPortSpace:
        return MEMORY_DEVICE;
    default:
        return MEMORY_OTHER;
    }
}

static void copy_ranges(const struct memory_map *map, struct handoff *handoff)
{
    handoff->range_count = 0;
    handoff->ranges_truncated = false;
    handoff->descriptor_size = (uint32_t)map->stride;
    for (UINTN at = 0; at + map->stride <= map->size; at += map->stride) {
        const EFI_MEMORY_DESCRIPTOR *descriptor =
            (const EFI_MEMORY_DESCRIPTOR *)((const uint8_t *)map->descriptors + at);
        const enum memory_kind kind = kind_of(descriptor);
        struct memory_range *last =
            handoff->range_count > 0 ? &handoff->ranges[handoff->range_count - 1] : NULL;

        if (last != NULL && last->kind == kind &&
            last->address + last->pages * 4096 == descriptor->PhysicalStart) {
            last->pages += descriptor->NumberOfPages;
        } else if (handoff->range_count < HANDOFF_RANGES_MAX) {
            handoff->ranges[handoff->range_count++] =
                (struct memory_range){descriptor->PhysicalStart, descriptor->NumberOfPages, kind};
        } else {
            handoff->ranges_truncated = true;
        }
    }
}

static EFI_STATUS read_map(EFI_BOOT_SERVICES *services, struct memory_map *map)
{
    map->size = map->capacity;
    return services->GetMemoryMap(&map->size, map->descriptors, &map->key, &map->stride,
                                  &map->version);
}

/* Memory for the map is taken once, before the first attempt: after a failed ExitBootServices,
 * firmware up to UEFI 2.8 need only answer GetMemoryMap and ExitBootServices. */
static EFI_STATUS allocate_map(EFI_BOOT_SERVICES *services, struct memory_map *map)
{
    memset(map, 0, sizeof(*map));
    const EFI_STATUS status = read_map(services, map);

    if (status != EFI_BUFFER_TOO_SMALL) {
        return EFI_ERROR(status) ? status : EFI_DEVICE_ERROR;
    }
    map->capacity = map->size + SPARE_DESCRIPTORS * map->stride;
    return services->AllocatePool(EfiLoaderData, map->capacity, (void **)&map->descriptors);
}

EFI_STATUS boot_services_leave(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, struct handoff *handoff)
{
    EFI_BOOT_SERVICES *services = system->BootServices;
    struct memory_map map;
    EFI_STATUS status = allocate_map(services, &map);

    for (handoff->exit_attempts = 1; !EFI_ERROR(status); handoff->exit_attempts++) {
        status = read_map(services, &map);
        if (EFI_ERROR(status)) {
            break;
        }
        status = services->ExitBootServices(image, map.key);
        if (!EFI_ERROR(status)) {
            interrupts_disable();
            handoff->exit_tsc = tsc_read();
            copy_ranges(&map, handoff);
            return EFI_SUCCESS;
        }
        if (status == EFI_INVALID_PARAMETER && handoff->exit_attempts < ATTEMPTS_MAX) {
            status = EFI_SUCCESS; /* the key was stale: once more */
        }
    }
    return status;
}
