/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/boot.h"

#include "boot/executable.h"
#include "boot/unpack.h"
#include "kernel/cpu/cpu.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/page_entry.h"

/* linker.ld: the image, where its packed part is unpacked to, and where it is. */
extern uint8_t image_start[] __attribute__((visibility("hidden")));
extern uint8_t image_packed_start[] __attribute__((visibility("hidden")));
extern const volatile struct packed_location image_packed_location
    __attribute__((visibility("hidden")));

typedef EFI_STATUS packed_entry(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, uint64_t entry_tsc);

static struct packed_header header;

bool kernel_unpack(void)
{
    const uint32_t packed = image_packed_location.rva;
    const uint32_t rva = (uint32_t)(image_packed_start - image_start);

    return image_unpack(image_start + packed, image_packed_location.size, image_packed_start,
                        packed - rva, &header) &&
           image_relocate(&header, image_start, rva, (uint64_t)(uintptr_t)image_start);
}

/* The firmware's tables may be read only, and CR0.WP cannot be cleared as long as CR4.CET is set.
 * CET stays off: the kernel does without it. */
static void allow_execution(void)
{
    const uint64_t start = (uint64_t)(uintptr_t)image_packed_start;
    const uint64_t end = start + header.code_size;
    const uint64_t cr0 = cr0_read();
    const uint64_t cr4 = cr4_read();

    cr4_write(cr4 & ~CR4_CET);
    cr0_write(cr0 & ~CR0_WRITE_PROTECT);
    executable_allow((uint64_t *)(uintptr_t)(cr3_read() & ENTRY_ADDRESS),
                     (cr4 & CR4_LA57) != 0 ? 5 : 4, start, end);
    cr0_write(cr0);
    for (uint64_t address = start; address < end; address += PAGE_SIZE) {
        tlb_forget(address); /* of global pages as well, which a new CR3 would leave */
    }
}

EFI_STATUS kernel_enter(EFI_HANDLE image, EFI_SYSTEM_TABLE *system, uint64_t entry_tsc)
{
    packed_entry *entry = (packed_entry *)(uintptr_t)(image_start + header.entry);

    allow_execution();
    return entry(image, system, entry_tsc);
}
