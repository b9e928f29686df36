/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The firmware calls that the kernel uses (struct firmware_calls): memory map, exit, hold and
 * release, and calls for the log file.
 */
#include "boot/boot.h"

#include "boot/in_use.h"
#include "boot/memory_map.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/plan/ranges.h"

/* The first attempt fails if an event changes the map between GetMemoryMap and ExitBootServices;
 * one machine is known to need more than two attempts. */
#define ATTEMPTS_MAX 8

/* The memory that borrowing leaves to firmware, for its drivers and the file system: an eighth of
 * the free memory, but at least this, or half of the free memory if that is less. */
#define LEFT_PAGES_MIN (64ull << 8) /* 64 MiB */
#define LEFT_SHARE     8
/* Smaller parts are not worth a call. */
#define PART_PAGES_MIN (1ull << 8)
#define FIRST_ADDRESS  0x100000ull
/* Pages for the start-up code of other processors, which start below 640 KiB; memory_low_pages()
 * (kernel/mem/memory.h) hands out the highest of them and leaves the lowest alone. */
#define LOW_PAGES 3
#define LOW_END   0xa0000ull

/* The map may grow by the allocation that holds it, by what events allocate, and by what is taken
 * for the kernel: this leaves room for 64 descriptors of 64 bytes. */
#define SPARE_BYTES 4096

/* Stored in a descriptor's VirtualStart, which has no meaning while boot services are active. */
enum mark {
    NOT_TRIED,
    REFUSED,
    TAKEN,
};

static EFI_HANDLE image;
static EFI_BOOT_SERVICES *services;
static uint64_t limit; /* first address that the processor cannot reach (ranges_limit()) */
static EFI_TPL level;  /* task priority before hold() */
static uint64_t flags;

static struct {
    EFI_MEMORY_DESCRIPTOR *descriptors;
    UINTN capacity; /* bytes; 0 if nothing is allocated yet */
    UINTN size;
    UINTN key;
    UINTN stride; /* bytes per descriptor: on every firmware seen, more than the structure has */
    UINT32 version;
} map;

static EFI_STATUS read_map(void)
{
    map.size = map.capacity;
    const EFI_STATUS status =
        services->GetMemoryMap(&map.size, map.descriptors, &map.key, &map.stride, &map.version);

    return status == EFI_SUCCESS && map.size > map.capacity ? EFI_DEVICE_ERROR : status;
}

/* Reads the map, and allocates more memory for it if less than half of the spare bytes is left. Do
 * not call after a failed ExitBootServices: up to UEFI 2.8, firmware then has to answer only
 * GetMemoryMap and ExitBootServices. */
static EFI_STATUS read_map_with_room(void)
{
    EFI_STATUS status = read_map();

    if (status != EFI_BUFFER_TOO_SMALL &&
        (EFI_ERROR(status) || map.capacity - map.size >= SPARE_BYTES / 2)) {
        return status;
    }
    if (map.capacity != 0) {
        services->FreePool(map.descriptors);
    }
    map.capacity = map.size + SPARE_BYTES;
    status = services->AllocatePool(EfiLoaderData, map.capacity, (void **)&map.descriptors);
    if (EFI_ERROR(status)) {
        map.capacity = 0;
        return status;
    }
    return read_map();
}

/* Marks memory in use as not free, even if the map lists it as free. */
static void keep_what_is_in_use(const struct handoff *handoff)
{
    struct map_in_use edited = {map.descriptors, map.size, map.capacity, map.stride};

    in_use_keep_processor(&edited);
    in_use_keep(&edited, handoff->image_base, handoff->image_size);
    in_use_keep(&edited, (uint64_t)(uintptr_t)map.descriptors, map.capacity);
    in_use_keep(&edited, handoff->rsdp, 1);
    in_use_keep(&edited, handoff->smbios, 1);
    map.size = edited.size;
}

/* Sets the ranges of the handoff; overwrites the map that was read. */
static void report_ranges(struct handoff *handoff)
{
    keep_what_is_in_use(handoff);
    memory_map_reduce(map.descriptors, map.size, map.stride, limit, handoff);
}

static const char *leave(struct handoff *handoff)
{
    EFI_STATUS status = EFI_SUCCESS;

    for (handoff->exit_attempts = 1; !EFI_ERROR(status); handoff->exit_attempts++) {
        status = handoff->exit_attempts == 1 ? read_map_with_room() : read_map();
        if (EFI_ERROR(status)) {
            break;
        }
        status = services->ExitBootServices(image, map.key);
        if (!EFI_ERROR(status)) {
            interrupts_disable();
            handoff->exit_tsc = tsc_read();
            report_ranges(handoff);
            return NULL;
        }
        if (status == EFI_INVALID_PARAMETER && handoff->exit_attempts < ATTEMPTS_MAX) {
            status = EFI_SUCCESS; /* the key was stale: try again */
        }
    }
    return status_words(status);
}

/* ---- borrowing ---- */

/* Returns the descriptor at that offset of the map, or NULL at its end. */
static EFI_MEMORY_DESCRIPTOR *descriptor_at(UINTN at)
{
    return map.stride >= sizeof(EFI_MEMORY_DESCRIPTOR) && map.size >= map.stride &&
                   at <= map.size - map.stride
               ? (EFI_MEMORY_DESCRIPTOR *)((uint8_t *)map.descriptors + at)
               : NULL;
}

/* Allocates the lower or the upper pages of a free part, and splits it into two descriptors: the
 * pages taken, and the rest. Returns false if firmware refused or there is no room for another
 * descriptor. */
static bool take(EFI_MEMORY_DESCRIPTOR *part, uint64_t pages, bool upper)
{
    const uint64_t rest = part->NumberOfPages - pages;
    EFI_PHYSICAL_ADDRESS at = part->PhysicalStart + (upper ? rest * 4096 : 0);

    if (map.size + map.stride > map.capacity ||
        EFI_ERROR(services->AllocatePages(AllocateAddress, EfiLoaderData, pages, &at))) {
        return false;
    }
    if (rest != 0) {
        map.size += map.stride;
        EFI_MEMORY_DESCRIPTOR *other = descriptor_at(map.size - map.stride);

        *other = *part;
        other->PhysicalStart = upper ? part->PhysicalStart : at + pages * 4096;
        other->NumberOfPages = rest;
        other->VirtualStart = REFUSED;
    }
    part->PhysicalStart = at;
    part->NumberOfPages = pages;
    part->VirtualStart = TAKEN;
    return true;
}

/* Returns the largest free part in [from, to) that has not been tried yet and has at least `pages`
 * pages, or NULL if there is none. */
static EFI_MEMORY_DESCRIPTOR *largest_part(uint64_t from, uint64_t to, uint64_t pages)
{
    EFI_MEMORY_DESCRIPTOR *descriptor;
    EFI_MEMORY_DESCRIPTOR *largest = NULL;

    for (UINTN at = 0; (descriptor = descriptor_at(at)) != NULL; at += map.stride) {
        if (descriptor->Type == EfiConventionalMemory && descriptor->VirtualStart == NOT_TRIED &&
            descriptor->PhysicalStart >= from && descriptor->PhysicalStart < to &&
            descriptor->NumberOfPages >= pages &&
            (largest == NULL || descriptor->NumberOfPages > largest->NumberOfPages)) {
            largest = descriptor;
        }
    }
    return largest;
}

static uint64_t pages_to_take(void)
{
    EFI_MEMORY_DESCRIPTOR *descriptor;
    uint64_t free_pages = 0;

    for (UINTN at = 0; (descriptor = descriptor_at(at)) != NULL; at += map.stride) {
        descriptor->VirtualStart = NOT_TRIED;
        free_pages += descriptor->Type == EfiConventionalMemory ? descriptor->NumberOfPages : 0;
    }
    const uint64_t share = free_pages / LEFT_SHARE;
    const uint64_t min = free_pages / 2 < LEFT_PAGES_MIN ? free_pages / 2 : LEFT_PAGES_MIN;

    return free_pages - (share > min ? share : min);
}

/* Takes the lower end of each part, up to `wanted` pages, and returns how many it took. Firmware
 * allocates from the top, so what it allocated since the map was read is at the upper end; a second
 * attempt leaves that end out. */
static uint64_t take_parts(uint64_t wanted)
{
    EFI_MEMORY_DESCRIPTOR *part;
    uint64_t taken = 0;

    while (wanted - taken >= PART_PAGES_MIN &&
           (part = largest_part(FIRST_ADDRESS, limit, PART_PAGES_MIN)) != NULL) {
        const uint64_t left = wanted - taken;
        const uint64_t pages = part->NumberOfPages < left ? part->NumberOfPages : left;

        if (take(part, pages, false)) {
            taken += pages;
        } else if (pages > PART_PAGES_MIN && take(part, pages - PART_PAGES_MIN, false)) {
            taken += pages - PART_PAGES_MIN;
        } else {
            part->VirtualStart = REFUSED;
        }
    }
    return taken;
}

static void take_low_pages(void)
{
    EFI_MEMORY_DESCRIPTOR *part = largest_part(0, LOW_END, LOW_PAGES);

    if (part != NULL && part->PhysicalStart + part->NumberOfPages * 4096 <= LOW_END) {
        take(part, LOW_PAGES, true);
    }
}

/* Marks all free memory that was not taken as firmware's. */
static void leave_the_rest(void)
{
    EFI_MEMORY_DESCRIPTOR *descriptor;

    for (UINTN at = 0; (descriptor = descriptor_at(at)) != NULL; at += map.stride) {
        if (descriptor->Type == EfiConventionalMemory && descriptor->VirtualStart != TAKEN) {
            descriptor->Type = EfiBootServicesData;
        }
    }
}

static const char *borrow(struct handoff *handoff)
{
    const EFI_STATUS status = read_map_with_room();

    if (EFI_ERROR(status)) {
        return status_words(status);
    }
    keep_what_is_in_use(handoff);
    if (take_parts(pages_to_take()) == 0) {
        return "firmware released no memory";
    }
    take_low_pages();
    leave_the_rest();
    report_ranges(handoff);
    return NULL;
}

static void hold(void)
{
    flags = interrupts_save();
    interrupts_restore(flags); /* RaiseTPL must be called with the interrupt flag unchanged */
    level = services->RaiseTPL(TPL_HIGH_LEVEL);
    interrupts_disable();
}

/* Switches interrupts on or off as they were before hold(), whatever RestoreTPL does. */
static void release(void)
{
    services->RestoreTPL(level);
    interrupts_restore(flags);
}

static void stall(uint64_t us)
{
    services->Stall(us);
}

EFI_STATUS services_open(EFI_HANDLE own, EFI_SYSTEM_TABLE *system, struct handoff *handoff)
{
    static const struct firmware_calls calls = {
        .leave = leave,
        .borrow = borrow,
        .hold = hold,
        .release = release,
        .stall = stall,
        .log_create = log_file_create,
        .log_append = log_file_append,
        .run_begins = run_mark_set,
        .run_ended = run_mark_clear,
    };

    image = own;
    services = system->BootServices;
    limit = ranges_limit(cpu_physical_bits(cpuid_instruction));
    handoff->firmware = &calls;
    log_file_open(own, system);
    const EFI_STATUS status = read_map_with_room();

    if (!EFI_ERROR(status)) {
        report_ranges(handoff);
    }
    return status;
}
