/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/mem/address_space.h"

#include <stddef.h>

#include "kernel/cpu/cpu.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/page_entry.h"
#include "kernel/mem/page_pool.h"
#include "kernel/mem/paging.h"

#define TABLE_BYTES (ENTRIES * PAGE_SIZE)
#define ABOVE       (ENTRY_PRESENT | ENTRY_WRITABLE | ENTRY_USER) /* all that is not the lowest level */
/* Levels 3 and 2, which the range needs one table of each; and 5 and 4, of which it has copies. */
#define TABLES_ABOVE 4

static uint64_t *table_at(uint64_t entry)
{
    return (uint64_t *)(uintptr_t)(entry & ENTRY_ADDRESS);
}

/* Makes an entry point at a table: a copy of the one that it points at, or one of zeroes where it
 * points at none. NULL where the pool is empty. */
static uint64_t *own_table(uint64_t *entry)
{
    uint64_t *table =
        (*entry & ENTRY_PRESENT) != 0 ? page_pool_take_copy(table_at(*entry)) : page_pool_take();

    if (table != NULL) {
        *entry = (uint64_t)(uintptr_t)table | ABOVE;
    }
    return table;
}

uint64_t address_space_pages(uint64_t bytes)
{
    return TABLES_ABOVE + bytes / TABLE_BYTES;
}

bool address_space_create(struct address_space *space, uint64_t base, uint64_t bytes)
{
    uint64_t root = paging_root() | ENTRY_PRESENT;
    uint64_t *table = own_table(&root);

    for (unsigned level = paging_levels(); level > 2 && table != NULL; level--) {
        table = own_table(page_entry_of(table, base, level));
    }
    if (table == NULL) {
        return false;
    }
    *space = (struct address_space){
        .root = root & ENTRY_ADDRESS,
        .base = base,
        .table_count = bytes / TABLE_BYTES,
    };
    for (uint64_t i = 0; i < space->table_count; i++) {
        space->tables[i] = own_table(page_entry_of(table, base + i * TABLE_BYTES, 2));
        if (space->tables[i] == NULL) {
            return false;
        }
    }
    return true;
}

/* NULL outside the range. */
static uint64_t *lowest_entry(const struct address_space *space, uint64_t address)
{
    const uint64_t table = (address - space->base) / TABLE_BYTES;

    return table < space->table_count ? page_entry_of(space->tables[table], address, 1) : NULL;
}

void *address_space_page(const struct address_space *space, uint64_t address,
                         enum page_access *access)
{
    const uint64_t *entry = lowest_entry(space, address);

    *access = PAGE_ABSENT;
    if (entry == NULL || (*entry & ENTRY_PRESENT) == 0) {
        return NULL;
    }
    *access = (*entry & ENTRY_WRITABLE) != 0 ? PAGE_OWN : PAGE_SHARED;
    return table_at(*entry);
}

void address_space_show(const struct address_space *space, uint64_t address, const void *page,
                        enum page_access access)
{
    uint64_t *entry = lowest_entry(space, address);
    const uint64_t before = *entry;

    *entry = (uint64_t)(uintptr_t)page | ENTRY_PRESENT | ENTRY_USER | paging_no_execute() |
             (access == PAGE_OWN ? ENTRY_WRITABLE : 0);
    if ((before & ENTRY_PRESENT) != 0) {
        tlb_forget(address); /* of one that is not in force nothing is cached */
    }
}
