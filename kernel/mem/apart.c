/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/mem/apart.h"

#include "kernel/mem/memory.h"
#include "kernel/mem/page_entry.h"
#include "kernel/mem/page_pool.h"
#include "kernel/mem/paging.h"

#define TABLE_BYTES (ENTRIES * PAGE_SIZE)
#define ABOVE       (ENTRY_PRESENT | ENTRY_WRITABLE | ENTRY_USER)

static uint64_t *table_at(uint64_t entry)
{
    return (uint64_t *)(uintptr_t)(entry & ENTRY_ADDRESS);
}

uint64_t address_space_apart_pages(uint64_t bytes)
{
    return bytes / TABLE_BYTES + 2;
}

/* The space's tables of the GiB exist down to level 2. NULL: the pool is empty. */
static uint64_t *lowest_entry(const struct address_space *space, uint64_t address)
{
    uint64_t *table = table_at(space->root);

    for (unsigned level = paging_levels(); level > 2; level--) {
        table = table_at(*page_entry_of(table, address, level));
    }
    uint64_t *entry = page_entry_of(table, address, 2);

    if ((*entry & ENTRY_PRESENT) == 0) {
        const void *fresh = page_pool_take();

        if (fresh == NULL) {
            return NULL;
        }
        *entry = (uint64_t)(uintptr_t)fresh | ABOVE;
    }
    return page_entry_of(table_at(*entry), address, 1);
}

bool address_space_show_apart(const struct address_space *space, uint64_t address,
                              const void *memory, uint64_t bytes)
{
    for (uint64_t at = 0; at < bytes; at += PAGE_SIZE) {
        uint64_t *entry = lowest_entry(space, address + at);

        if (entry == NULL) {
            return false;
        }
        *entry = ((uint64_t)(uintptr_t)memory + at) | space->bits | ENTRY_PRESENT | ENTRY_WRITABLE;
    }
    return true;
}
