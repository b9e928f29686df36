/* SPDX-License-Identifier: BSD-2-Clause */
/* Marks the memory that the processor uses as firmware left it. It is found from the registers and
 * from the page tables, which nothing changes meanwhile. */
#include "boot/in_use.h"
#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/msr.h"

#define PAGE_BYTES 4096ull
/* UEFI 2.10 section 2.3.4 guarantees 128 KiB of stack; firmware decides how much of it lies above
 * the current frame. */
#define AROUND_STACK (128u << 10)
/* bytes on both sides of the FS and GS bases: U-Boot has its global data there */
#define AROUND_BASE     (16u << 10)
#define TABLE_ENTRIES   512
#define TABLE_LEVELS    3
#define ENTRY_PRESENT   1u
#define ENTRY_LARGE     (1u << 7)
#define ENTRY_ADDRESS   0x000ffffffffff000ull
#define CR4_FIVE_LEVELS (1u << 12)

static void keep_around(struct map_in_use *map, uint64_t address, uint64_t bytes)
{
    const uint64_t start = address > bytes ? address - bytes : 0;

    in_use_keep(map, start, address - start + bytes);
}

/* Marks `levels` levels of page tables, beginning with the root. The entries of the last level are
 * not followed. Tables can be read at their physical addresses because firmware maps memory one to
 * one. */
static void keep_tables(struct map_in_use *map, uint64_t root, unsigned levels)
{
    uint64_t table[TABLE_LEVELS + 1] = {root & ENTRY_ADDRESS};
    unsigned next[TABLE_LEVELS + 1] = {0};
    unsigned level = 0;

    in_use_keep(map, table[0], PAGE_BYTES);
    while (level > 0 || next[0] < TABLE_ENTRIES) {
        if (next[level] == TABLE_ENTRIES) {
            level--;
            continue;
        }
        const uint64_t entry = ((const uint64_t *)(uintptr_t)table[level])[next[level]++];

        if ((entry & ENTRY_PRESENT) == 0 || (level > 0 && (entry & ENTRY_LARGE) != 0)) {
            continue;
        }
        in_use_keep(map, entry & ENTRY_ADDRESS, PAGE_BYTES);
        if (level + 2 < levels) {
            table[++level] = entry & ENTRY_ADDRESS;
            next[level] = 0;
        }
    }
}

void in_use_keep_processor(struct map_in_use *map)
{
    const struct table_pointer gdt = gdt_read();
    const struct table_pointer idt = idt_read();
    uint64_t base;

    in_use_keep(map, gdt.base, gdt.limit + 1ull);
    in_use_keep(map, idt.base, idt.limit + 1ull);
    keep_around(map, (uint64_t)(uintptr_t)__builtin_frame_address(0), AROUND_STACK);
    for (unsigned i = 0; i < 2; i++) {
        if (msr_read(i == 0 ? MSR_FS_BASE : MSR_GS_BASE, &base) == 0 && base != 0) {
            keep_around(map, base, AROUND_BASE);
        }
    }
    keep_tables(map, cr3_read(),
                (cr4_read() & CR4_FIVE_LEVELS) != 0 ? TABLE_LEVELS + 1 : TABLE_LEVELS);
}
