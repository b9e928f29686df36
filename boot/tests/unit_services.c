/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Taking over (boot/services.c) from firmware whose memory map changes and grows under us, lies, or
 * whose memory is refused: boot services end with the map as it is then, or firmware keeps the
 * machine, and the reason is reported.
 */
#include <stdlib.h>

#include "kernel/cpu/cpu.h"
#include "tools/tests/support/unit.h"

static bool interrupts_on;

/* In place of the privileged instructions. */
#define interrupts_disable()      (interrupts_on = false)
#define interrupts_restore(flags) (interrupts_on = (flags) != 0)
#define interrupts_save()         take_interrupts()

static uint64_t take_interrupts(void);

#include "boot/in_use.c"   /* NOLINT(bugprone-suspicious-include): with it */
#include "boot/services.c" /* NOLINT(bugprone-suspicious-include): the unit under test */
#include "boot/status.c"   /* NOLINT(bugprone-suspicious-include) */

#define ENTRIES_MAX 4096
#define STRIDE      48 /* 8 more than the structure, as on EDK2 */
#define SPARE       (SPARE_BYTES / STRIDE)
#define PAGES_A_MIB 256ull
#define ALWAYS      1000

/* What this processor uses, in place of its registers. */
static struct {
    uint64_t start;
    uint64_t bytes; /* 0: nothing that the map has as free */
} used;

void in_use_keep_processor(struct map_in_use *edited)
{
    in_use_keep(edited, used.start, used.bytes);
}

static struct {
    EFI_MEMORY_DESCRIPTOR entries[ENTRIES_MAX];
    size_t count;
    UINTN key;
    unsigned grows_by_pool;  /* entries, by each allocation of the pool */
    unsigned stale;          /* so many attempts to leave fail */
    unsigned grows_by_stale; /* entries, with each of them */
    EFI_STATUS refusal;      /* of leaving */
    UINTN too_much;          /* bytes of map reported beyond its end */
    bool no_pool;
    bool no_pages;
    uint64_t in_use; /* an address, since the map was read; 0: none */
    unsigned attempts;
    unsigned pools; /* not freed */
    bool left;
    uint64_t lent; /* pages */
    EFI_TPL level;
} firmware;

static uint64_t take_interrupts(void)
{
    const bool before = interrupts_on;

    interrupts_on = false;
    return before;
}

static void add(UINT32 type, uint64_t start, uint64_t pages)
{
    firmware.entries[firmware.count++] =
        (EFI_MEMORY_DESCRIPTOR){.Type = type, .PhysicalStart = start, .NumberOfPages = pages};
    firmware.key++;
}

/* Entries of one page each, which none can be merged with. */
static void grow(unsigned entries)
{
    for (unsigned i = 0; i < entries; i++) {
        add(EfiRuntimeServicesData, 0x40000000 + firmware.count * 8192, 1);
    }
    firmware.key++;
}

static EFI_STATUS EFIAPI get_memory_map(UINTN *size, EFI_MEMORY_DESCRIPTOR *descriptors, UINTN *key,
                                        UINTN *stride, UINT32 *version)
{
    const UINTN needed = firmware.count * STRIDE;

    CHECK(!firmware.left);
    if (*size < needed) {
        *size = needed;
        return EFI_BUFFER_TOO_SMALL;
    }
    for (size_t i = 0; i < firmware.count; i++) {
        memcpy((uint8_t *)descriptors + i * STRIDE, &firmware.entries[i],
               sizeof(firmware.entries[i]));
    }
    *size = needed + firmware.too_much;
    *key = firmware.key;
    *stride = STRIDE;
    *version = 1;
    return EFI_SUCCESS;
}

/* Nothing but the two calls may be made once leaving was tried. */
static EFI_STATUS EFIAPI allocate_pool(EFI_MEMORY_TYPE type, UINTN size, VOID **memory)
{
    CHECK(type == EfiLoaderData && firmware.attempts == 0);
    if (firmware.no_pool) {
        return EFI_OUT_OF_RESOURCES;
    }
    *memory = malloc(size);
    firmware.pools++;
    grow(firmware.grows_by_pool);
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI free_pool(VOID *memory)
{
    CHECK(firmware.attempts == 0);
    free(memory);
    firmware.pools--;
    firmware.key++;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI exit_boot_services(EFI_HANDLE handle, UINTN key)
{
    CHECK(handle == &firmware && !firmware.left);
    firmware.attempts++;
    if (firmware.refusal != EFI_SUCCESS) {
        return firmware.refusal;
    }
    if (firmware.attempts <= firmware.stale) {
        grow(firmware.grows_by_stale);
    }
    if (key != firmware.key) {
        return EFI_INVALID_PARAMETER;
    }
    firmware.left = true;
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI allocate_pages(EFI_ALLOCATE_TYPE type, EFI_MEMORY_TYPE kind, UINTN pages,
                                        EFI_PHYSICAL_ADDRESS *at)
{
    const uint64_t end = *at + pages * EFI_PAGE_SIZE;

    CHECK(type == AllocateAddress && kind == EfiLoaderData);
    if (firmware.no_pages || (*at <= firmware.in_use && firmware.in_use < end)) {
        return EFI_NOT_FOUND;
    }
    firmware.lent += pages;
    return EFI_SUCCESS;
}

static EFI_TPL EFIAPI raise_tpl(EFI_TPL to)
{
    const EFI_TPL before = firmware.level;

    CHECK(interrupts_on);
    firmware.level = to;
    return before;
}

/* EDK2's lets interrupts in below the highest, whatever they were. */
static VOID EFIAPI restore_tpl(EFI_TPL to)
{
    firmware.level = to;
    interrupts_on = to < TPL_HIGH_LEVEL;
}

static EFI_STATUS EFIAPI wait_us(UINTN us)
{
    (void)us;
    return EFI_SUCCESS;
}

void log_file_open(EFI_HANDLE handle, EFI_SYSTEM_TABLE *system)
{
    (void)handle;
    (void)system;
}

const char *run_mark_set(void)
{
    return NULL;
}

void run_mark_clear(void)
{
}

const char *log_file_create(const char **name)
{
    *name = "";
    return "";
}

const char *log_file_append(const void *bytes, size_t length)
{
    (void)bytes;
    (void)length;
    return NULL;
}

static EFI_BOOT_SERVICES boot_services = {
    .GetMemoryMap = get_memory_map,
    .AllocatePool = allocate_pool,
    .FreePool = free_pool,
    .ExitBootServices = exit_boot_services,
    .AllocatePages = allocate_pages,
    .RaiseTPL = raise_tpl,
    .RestoreTPL = restore_tpl,
    .Stall = wait_us,
};
static EFI_SYSTEM_TABLE firmware_table = {.BootServices = &boot_services};
static struct handoff handoff;

/* 640 KiB, `mib` MiB from 1 MiB on, and what others have. */
static void begin(uint64_t mib)
{
    memset(&firmware, 0, sizeof(firmware));
    memset(&handoff, 0, sizeof(handoff));
    if (map.capacity != 0) {
        free(map.descriptors);
    }
    memset(&map, 0, sizeof(map));
    memset(&used, 0, sizeof(used));
    interrupts_on = true;
    firmware.level = TPL_APPLICATION;
    add(EfiConventionalMemory, 0x1000, 0x9f);
    add(EfiConventionalMemory, 0x100000, mib * PAGES_A_MIB);
    add(EfiReservedMemoryType, 0x30000000, 16);
}

static bool opens(void)
{
    return services_open(&firmware, &firmware_table, &handoff) == EFI_SUCCESS;
}

/* NULL: so it is. */
static const char *leaving(void)
{
    return handoff.firmware->leave(&handoff);
}

static uint64_t pages_of(enum memory_kind kind)
{
    uint64_t pages = 0;

    for (uint32_t i = 0; i < handoff.range_count; i++) {
        pages += handoff.ranges[i].kind == kind ? handoff.ranges[i].pages : 0;
    }
    return pages;
}

static void has_left(unsigned attempts)
{
    CHECK(firmware.left && !interrupts_on);
    CHECK_EQUAL(handoff.exit_attempts, attempts);
    CHECK_EQUAL(handoff.descriptors_refused, 0);
    CHECK_EQUAL(pages_of(MEMORY_FREE), 0x9f + 128 * PAGES_A_MIB);
}

/* ---- leaving ---- */

static void test_leaving(void)
{
    begin(128);
    CHECK(opens());
    CHECK_EQUAL(pages_of(MEMORY_FREE), 0x9f + 128 * PAGES_A_MIB);
    CHECK(leaving() == NULL);
    has_left(1);
}

/* The map changes between the two calls, up to seven times. */
static void test_stale(void)
{
    for (unsigned stale = 1; stale < ATTEMPTS_MAX; stale++) {
        begin(128);
        firmware.stale = stale;
        firmware.grows_by_stale = 1;
        CHECK(opens());
        CHECK(leaving() == NULL);
        has_left(stale + 1);
        CHECK_EQUAL(pages_of(MEMORY_RUNTIME_DATA), stale);
    }
}

static void test_always_stale(void)
{
    begin(128);
    firmware.stale = ALWAYS;
    CHECK(opens());
    CHECK_TEXT(leaving(), "EFI_INVALID_PARAMETER");
    CHECK_EQUAL(firmware.attempts, ATTEMPTS_MAX);
    CHECK(!firmware.left && interrupts_on);
}

/* Since it was read first: other memory is taken for it, as long as that may be done. */
static void test_outgrown(void)
{
    begin(128);
    CHECK(opens());
    grow(3 * SPARE);
    CHECK(leaving() == NULL);
    has_left(1);
    CHECK_EQUAL(firmware.pools, 1);
    CHECK_EQUAL(pages_of(MEMORY_RUNTIME_DATA), 3 * SPARE);
}

/* By the allocation that holds it, and under each attempt: up to what was spared. */
static void test_growing(void)
{
    begin(128);
    firmware.grows_by_pool = 15;
    firmware.stale = 7;
    firmware.grows_by_stale = 10;
    CHECK(opens());
    CHECK(leaving() == NULL);
    has_left(8);
    CHECK_EQUAL(pages_of(MEMORY_RUNTIME_DATA), 85);
    CHECK_EQUAL(SPARE, 85);
}

/* It filled what it had, and grows on. */
static void test_growing_when_full(void)
{
    begin(128);
    CHECK(opens());
    grow(SPARE);
    firmware.stale = 7;
    firmware.grows_by_stale = 12;
    CHECK(leaving() == NULL);
    has_left(8);
    CHECK_EQUAL(pages_of(MEMORY_RUNTIME_DATA), SPARE + 84);
}

static void test_growing_beyond(void)
{
    begin(128);
    firmware.grows_by_pool = 15;
    firmware.stale = 7;
    firmware.grows_by_stale = 11;
    CHECK(opens());
    CHECK_TEXT(leaving(), "EFI_BUFFER_TOO_SMALL: the memory map keeps growing");
    CHECK(!firmware.left && interrupts_on);
}

static void test_refusal(void)
{
    begin(128);
    firmware.refusal = EFI_SECURITY_VIOLATION;
    CHECK(opens());
    CHECK_TEXT(leaving(), "EFI_SECURITY_VIOLATION");
    CHECK_EQUAL(firmware.attempts, 1);
}

/* ---- no map ---- */

static void test_no_map(void)
{
    begin(128);
    firmware.no_pool = true;
    CHECK(!opens());
    begin(128);
    firmware.grows_by_pool = SPARE + 1;
    CHECK(!opens());
    begin(128);
    firmware.too_much = 2 * SPARE_BYTES;
    CHECK(!opens());
}

/* ---- borrowing ---- */

static const char *borrowing(void)
{
    return handoff.firmware->borrow(&handoff);
}

/* An eighth is left, at least 64 MiB, or half where that is less. */
static void test_shares(void)
{
    static const struct {
        uint64_t mib;
        uint64_t lent;
    } machines[] = {{4096, 3584}, {512, 448}, {256, 192}, {128, 64}, {64, 32}};

    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        begin(machines[i].mib);
        firmware.entries[2].PhysicalStart = 1ull << 33;
        CHECK(opens());
        CHECK(borrowing() == NULL);
        CHECK(firmware.lent >= machines[i].lent * PAGES_A_MIB &&
              firmware.lent <= machines[i].lent * PAGES_A_MIB + 0x9f + LOW_PAGES);
        CHECK_EQUAL(pages_of(MEMORY_FREE), firmware.lent);
        CHECK(!firmware.left && interrupts_on);
    }
}

/* Its upper end is in use by now: the part is taken without it. */
static void test_changed_since(void)
{
    begin(128);
    add(EfiConventionalMemory, 0x20000000, 120 * PAGES_A_MIB);
    CHECK(opens());
    firmware.in_use = 0x100000 + 128 * PAGES_A_MIB * EFI_PAGE_SIZE - 1;
    CHECK(borrowing() == NULL);
    CHECK_EQUAL(pages_of(MEMORY_FREE), firmware.lent);
    CHECK(firmware.lent >= 184 * PAGES_A_MIB);
}

/* Firmware has all of the largest part. */
static void test_refused_part(void)
{
    begin(128);
    add(EfiConventionalMemory, 0x20000000, 120 * PAGES_A_MIB);
    CHECK(opens());
    firmware.in_use = 0x100000;
    CHECK(borrowing() == NULL);
    CHECK_EQUAL(pages_of(MEMORY_FREE), firmware.lent);
    CHECK_EQUAL(firmware.lent, 120 * PAGES_A_MIB + LOW_PAGES);
}

static void test_nothing_lent(void)
{
    begin(128);
    firmware.no_pages = true;
    CHECK(opens());
    CHECK_TEXT(borrowing(), "firmware released no memory");
    CHECK_EQUAL(firmware.lent, 0);
}

/* Each part that is cut needs its own entry. */
static void test_no_room_for_parts(void)
{
    begin(128);
    CHECK(opens());
    grow(SPARE);
    CHECK(borrowing() == NULL);
    CHECK(map.size <= map.capacity);
    CHECK_EQUAL(pages_of(MEMORY_FREE), firmware.lent);
}

static void test_holding(void)
{
    begin(128);
    CHECK(opens());
    handoff.firmware->hold();
    CHECK(!interrupts_on && firmware.level == TPL_HIGH_LEVEL);
    handoff.firmware->release();
    CHECK(interrupts_on && firmware.level == TPL_APPLICATION);
}

/* ---- memory in use that the map has as free ---- */

static bool is_free(uint64_t address)
{
    for (uint32_t i = 0; i < handoff.range_count; i++) {
        const struct memory_range *range = &handoff.ranges[i];

        if (range->address <= address && address < range->address + range->pages * EFI_PAGE_SIZE) {
            return range->kind == MEMORY_FREE;
        }
    }
    return false;
}

/* A stack in the middle of free memory, as U-Boot 2023.01 has it: owned or borrowed, its pages are
 * not ours, and those beside it are. */
static void test_stack_in_free_memory(void)
{
    for (unsigned i = 0; i < 2; i++) {
        begin(128);
        used.start = 0x10c800;
        used.bytes = 0x1000; /* of two pages */
        CHECK(opens());
        CHECK((i == 0 ? leaving() : handoff.firmware->borrow(&handoff)) == NULL);
        CHECK((i == 1 || is_free(0x10b000)) && is_free(0x10e000));
        CHECK(!is_free(0x10c000) && !is_free(0x10d000));
        CHECK_EQUAL(handoff.descriptors_refused, 0);
    }
}

/* Pages that follow each other take one descriptor together. */
static void test_pages_in_free_memory(void)
{
    struct map_in_use edited;
    EFI_MEMORY_DESCRIPTOR parts[4] = {
        {.Type = EfiConventionalMemory, .PhysicalStart = 0x100000, .NumberOfPages = 16}};

    edited = (struct map_in_use){parts, sizeof(parts[0]), sizeof(parts), sizeof(parts[0])};
    for (uint64_t page = 2; page < 8; page++) {
        in_use_keep(&edited, 0x100000 + page * EFI_PAGE_SIZE, 1);
    }
    CHECK_EQUAL(edited.size, 3 * sizeof(parts[0]));
    in_use_keep(&edited, 0x100000, 16 * EFI_PAGE_SIZE);
    for (unsigned i = 0; i < edited.size / sizeof(parts[0]); i++) {
        CHECK_EQUAL(parts[i].Type, EfiBootServicesData);
    }
}

/* Without room for more descriptors the smaller side is kept as well. */
static void test_no_room_beside(void)
{
    EFI_MEMORY_DESCRIPTOR parts[2] = {
        {.Type = EfiConventionalMemory, .PhysicalStart = 0x100000, .NumberOfPages = 16}};
    struct map_in_use edited = {parts, sizeof(parts[0]), sizeof(parts), sizeof(parts[0])};

    in_use_keep(&edited, 0x102000, 1);
    CHECK_EQUAL(edited.size, sizeof(parts));
    CHECK_EQUAL(parts[0].Type, EfiBootServicesData);
    CHECK_EQUAL(parts[0].PhysicalStart, 0x100000);
    CHECK_EQUAL(parts[0].NumberOfPages, 3);
    CHECK_EQUAL(parts[1].Type, EfiConventionalMemory);
    CHECK_EQUAL(parts[1].PhysicalStart, 0x103000);
    CHECK_EQUAL(parts[1].NumberOfPages, 13);
}

int main(void)
{
    RUN(test_stack_in_free_memory());
    RUN(test_pages_in_free_memory());
    RUN(test_no_room_beside());
    RUN(test_leaving());
    RUN(test_stale());
    RUN(test_always_stale());
    RUN(test_outgrown());
    RUN(test_growing());
    RUN(test_growing_when_full());
    RUN(test_growing_beyond());
    RUN(test_refusal());
    RUN(test_no_map());
    RUN(test_shares());
    RUN(test_changed_since());
    RUN(test_refused_part());
    RUN(test_nothing_lent());
    RUN(test_no_room_for_parts());
    RUN(test_holding());
    free(map.descriptors);
    return unit_finish("unit_services");
}
