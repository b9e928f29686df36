/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/mem/low.h"

#include "kernel/mem/memory.h"
#include "kernel/mem/page_entry.h"
#include "kernel/mem/page_pool.h"
#include "kernel/mem/paging.h"

#define ABOVE      (ENTRY_PRESENT | ENTRY_WRITABLE | ENTRY_USER)
#define LEVELS_MAX 5

static uint64_t *table_at(uint64_t entry)
{
    return (uint64_t *)(uintptr_t)(entry & ENTRY_ADDRESS);
}

/* Pages of the level below that show the same as a large page of `level`. */
static uint64_t *split(uint64_t entry, unsigned level)
{
    const uint64_t keep = level == 2 ? entry & ~ENTRY_LARGE : entry;
    const uint64_t step = PAGE_SIZE << (9 * (level - 2));
    uint64_t *table = page_pool_take();

    for (uint64_t i = 0; i < ENTRIES && table != NULL; i++) {
        table[i] = keep + i * step;
    }
    return table;
}

/* Makes the entry point at a table that no other address space has. NULL: the pool is empty. */
static uint64_t *own_table(uint64_t *entry, unsigned level)
{
    uint64_t *table;

    if ((*entry & ENTRY_PRESENT) == 0) {
        table = page_pool_take();
    } else if ((*entry & ENTRY_LARGE) != 0) {
        table = split(*entry, level);
    } else {
        table = page_pool_take_copy(table_at(*entry));
    }
    if (table != NULL) {
        *entry = (uint64_t)(uintptr_t)table | ABOVE;
    }
    return table;
}

uint64_t address_space_low_pages(void)
{
    return LEVELS_MAX - 1;
}

bool address_space_show_low(const struct address_space *space, uint64_t address,
                            const struct low_page *pages, size_t count)
{
    uint64_t *table = table_at(space->root);

    for (unsigned level = paging_levels(); level > 1 && table != NULL; level--) {
        table = own_table(page_entry_of(table, address, level), level);
    }
    if (table == NULL || count > ADDRESS_SPACE_LOW_MAX) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        *page_entry_of(table, address + i * PAGE_SIZE, 1) =
            (uint64_t)(uintptr_t)pages[i].page | ENTRY_PRESENT | ENTRY_USER |
            (pages[i].code ? 0 : ENTRY_WRITABLE | paging_no_execute());
    }
    return true;
}
