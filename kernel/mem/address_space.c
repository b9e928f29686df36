/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/mem/address_space.h"

#include <stddef.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/page_entry.h"
#include "kernel/mem/page_pool.h"
#include "kernel/mem/paging.h"

#define TABLE_BYTES (ENTRIES * PAGE_SIZE)
/* flags of every entry above the lowest level */
#define ABOVE (ENTRY_PRESENT | ENTRY_WRITABLE | ENTRY_USER)
/* One table each of levels 3 and 2 for the range, and copies of those of levels 5 and 4. */
#define TABLES_ABOVE 4
#define LEVELS_MAX   5

static uint64_t next_tag; /* 0 while there are no tags; the kernel's own tag is 0 */

static uint64_t *table_at(uint64_t entry)
{
    return (uint64_t *)(uintptr_t)(entry & ENTRY_ADDRESS);
}

/* Makes an entry point to a new table: a copy of the table that it points to, or a table of zeroes
 * if it points to none. Returns NULL if the pool is empty. */
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

/* ---- tags ---- */

const char *address_space_use_tags(void)
{
    struct cpu_identity identity;

    if (paging_root() == 0 || cr3_read() != paging_root()) {
        return "the kernel's page tables are not active";
    }
    cpu_identify(cpuid_instruction, &identity);
    if (!identity.pcid) {
        return "the processor has no PCID";
    }
    cr4_write(cr4_read() | CR4_PCIDE);
    if ((cr4_read() & CR4_PCIDE) == 0) {
        return "the processor does not keep CR4.PCIDE";
    }
    next_tag = 1;
    return NULL;
}

void address_space_drop_tags(void)
{
    if (next_tag != 0) {
        cr4_write(cr4_read() & ~CR4_PCIDE);
        next_tag = 0;
    }
}

/* Discards all that is cached under a tag. The address space need not be active: loading its CR3
 * without CR3_KEEP does it, and the old one is loaded again. */
static void forget_tag(uint64_t root)
{
    const uint64_t flags = interrupts_save();
    const uint64_t before = cr3_read();

    cr3_write(root & ~CR3_KEEP);
    cr3_write(before | CR3_KEEP);
    interrupts_restore(flags);
}

/* Discards the translation of a page whose entry was present and has changed. Without tags, nothing
 * is cached of an address space that is not active. */
static void forget_page(const struct address_space *space, uint64_t address)
{
    if (next_tag != 0 && cr3_read() != (space->root & ~CR3_KEEP)) {
        forget_tag(space->root);
    } else {
        tlb_forget(address);
    }
}

/* ---- */

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
        .bits = ENTRY_USER | paging_no_execute(),
        .table_count = bytes / TABLE_BYTES,
    };
    for (uint64_t i = 0; i < space->table_count; i++) {
        space->tables[i] = own_table(page_entry_of(table, base + i * TABLE_BYTES, 2));
        if (space->tables[i] == NULL) {
            return false;
        }
    }
    if (next_tag != 0) {
        space->root |= next_tag++;
        forget_tag(space->root); /* another address space may have had this tag before */
        space->root |= CR3_KEEP;
    }
    return true;
}

/* Returns the entry of the lowest level, or NULL if the address is outside the range. */
static uint64_t *lowest_entry(const struct address_space *space, uint64_t address)
{
    const uint64_t table = (address - space->base) / TABLE_BYTES;

    return table < space->table_count ? page_entry_of(space->tables[table], address, 1) : NULL;
}

static enum page_access access_of(uint64_t entry)
{
    if ((entry & ENTRY_PRESENT) == 0) {
        return (entry & ENTRY_OWN) != 0 ? PAGE_HIDDEN : PAGE_ABSENT;
    }
    if ((entry & ENTRY_WRITABLE) != 0) {
        return PAGE_OWN;
    }
    return (entry & ENTRY_OWN) != 0 ? PAGE_PROTECTED : PAGE_SHARED;
}

static uint64_t bits_of(enum page_access access)
{
    switch (access) {
    case PAGE_OWN:
        return ENTRY_PRESENT | ENTRY_WRITABLE;
    case PAGE_SHARED:
        return ENTRY_PRESENT;
    case PAGE_PROTECTED:
        return ENTRY_PRESENT | ENTRY_OWN;
    default:
        return ENTRY_OWN;
    }
}

void *address_space_page(const struct address_space *space, uint64_t address,
                         enum page_access *access)
{
    const uint64_t *entry = lowest_entry(space, address);

    *access = entry != NULL ? access_of(*entry) : PAGE_ABSENT;
    return *access != PAGE_ABSENT ? table_at(*entry) : NULL;
}

void address_space_show(const struct address_space *space, uint64_t address, const void *page,
                        enum page_access access)
{
    uint64_t *entry = lowest_entry(space, address);
    const uint64_t before = *entry;

    *entry = (uint64_t)(uintptr_t)page | space->bits | bits_of(access);
    if ((before & ENTRY_PRESENT) != 0) {
        forget_page(space, address);
    }
}

/* ---- outside the range ---- */

uint64_t address_space_apart_pages(uint64_t bytes)
{
    return bytes / TABLE_BYTES + 2;
}

/* Returns the entry of the lowest level for an address outside the range, and creates its table if
 * necessary. The space's tables of this GiB exist down to level 2. Returns NULL if the pool is
 * empty. */
static uint64_t *apart_entry(const struct address_space *space, uint64_t address)
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
        uint64_t *entry = apart_entry(space, address + at);

        if (entry == NULL) {
            return false;
        }
        *entry = ((uint64_t)(uintptr_t)memory + at) | space->bits | ENTRY_PRESENT | ENTRY_WRITABLE;
    }
    return true;
}

/* ---- replacing identity-mapped pages ---- */

/* Returns a table of pages of the level below that map the same memory as a large page of
 * `level`. */
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

/* Makes the entry point to a table that belongs to this address space only. Returns NULL if the
 * pool is empty. */
static uint64_t *own_low_table(uint64_t *entry, unsigned level)
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
        table = own_low_table(page_entry_of(table, address, level), level);
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
