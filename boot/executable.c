/* SPDX-License-Identifier: BSD-2-Clause */
#include "boot/executable.h"

#include <stddef.h>

#include "kernel/mem/memory.h"
#include "kernel/mem/page_entry.h"

/* It takes only one level to forbid it. */
static void allow_page(uint64_t *table, unsigned level, uint64_t address)
{
    while (table != NULL) {
        uint64_t *entry = page_entry_of(table, address, level);

        if ((*entry & ENTRY_PRESENT) == 0) {
            return;
        }
        if ((*entry & ENTRY_NO_EXECUTE) != 0) {
            *entry &= ~ENTRY_NO_EXECUTE;
        }
        table = level == 1 || (*entry & ENTRY_LARGE) != 0
                    ? NULL
                    : (uint64_t *)(uintptr_t)(*entry & ENTRY_ADDRESS);
        level--;
    }
}

void executable_allow(uint64_t *root, unsigned levels, uint64_t start, uint64_t end)
{
    for (uint64_t address = start; address < end; address += PAGE_SIZE) {
        allow_page(root, levels, address);
    }
}
