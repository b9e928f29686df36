/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/mem/paging.h"

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/msr.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/page_entry.h"
#include "kernel/plan/ranges.h"

#define SIZE_4K PAGE_SIZE
#define SIZE_2M (SIZE_4K * ENTRIES)
#define SIZE_1G (SIZE_2M * ENTRIES)
#define SIZE_4G (4 * SIZE_1G)

/* Above any existing memory or device, and within reach of four levels. */
#define ALIAS_BASE (1ull << 46)

#define GUARDS_MAX  512
#define POOL_TABLES 128

#define CPUID_1_EDX_PAT     (1u << 16)
#define PAT_1_SHIFT         8 /* bits per PAT entry: a byte each (SDM volume 3 section 12.12.2) */
#define PAT_WRITE_COMBINING 1ull
#define PAT_3_SHIFT         24
#define PAT_UNCACHED        0ull
#define PAT_ENTRY           0xffull

/* Page-aligned borders of the image's sections (linker.ld). */
extern const uint8_t image_text_start[] __attribute__((visibility("hidden")));
extern const uint8_t image_text_end[] __attribute__((visibility("hidden")));
extern const uint8_t image_user_start[] __attribute__((visibility("hidden")));
extern const uint8_t image_user_end[] __attribute__((visibility("hidden")));
extern const uint8_t image_rodata_start[] __attribute__((visibility("hidden")));
extern const uint8_t image_rodata_end[] __attribute__((visibility("hidden")));

static uint64_t *root;
static unsigned levels;
static bool large_1g;
static bool in_force;
static uint64_t no_execute; /* ENTRY_NO_EXECUTE, or 0 if the processor has none */
static uint64_t guards[GUARDS_MAX];
static size_t guard_count;

/* The read-only tables: enough for most machines. Further tables, for large memories and for
 * paging_alias_pages(), are ordinary writable memory. */
static uint8_t *pool;
static size_t pool_left;

static uint64_t *table_create(void)
{
    return pool_left > 0 ? (uint64_t *)(pool + --pool_left * SIZE_4K)
                         : memory_allocate(SIZE_4K, SIZE_4K);
}

/* Call before each change of tables: lets ring 0 write to read-only pages (SDM volume 3 section
 * 4.6.1). Returns the value that tables_close() restores. */
static uint64_t tables_open(void)
{
    const uint64_t cr0 = cr0_read();

    if (in_force) {
        cr0_write(cr0 & ~(uint64_t)CR0_WRITE_PROTECT);
    }
    return cr0;
}

static void tables_close(uint64_t cr0)
{
    if (in_force) {
        cr0_write(cr0);
    }
}

/* Returns the number of bytes that one entry of a level maps; level 1 is the lowest. */
static uint64_t level_size(unsigned level)
{
    return SIZE_4K << (9 * (level - 1));
}

/* Returns the table that an entry of `level` points to. Creates it if it is absent; splits a large
 * page into a table that maps the same. Returns NULL if memory ran out. */
static uint64_t *descend(uint64_t *entry, unsigned level)
{
    if ((*entry & ENTRY_PRESENT) != 0 && (*entry & ENTRY_LARGE) == 0) {
        return (uint64_t *)(uintptr_t)(*entry & ENTRY_ADDRESS);
    }
    uint64_t *table = table_create();

    if (table == NULL) {
        return NULL;
    }
    if ((*entry & ENTRY_PRESENT) != 0) {
        const uint64_t step = level_size(level - 1);
        const uint64_t keep = level - 1 == 1 ? *entry & ~ENTRY_LARGE : *entry;

        for (uint64_t i = 0; i < ENTRIES; i++) {
            table[i] = keep + i * step;
        }
    }
    *entry = (uint64_t)(uintptr_t)table | ENTRY_PRESENT | ENTRY_WRITABLE;
    return table;
}

/* Sets the entry for one page of the size of `level` at `address` to map `memory`. For a page that
 * ring 3 may access, access is allowed at every level above as well; the lowest level decides. */
static bool set_entry(uint64_t address, uint64_t memory, unsigned level, uint64_t flags)
{
    uint64_t *table = root;

    for (unsigned at = levels; at > level; at--) {
        uint64_t *entry = page_entry_of(table, address, at);

        table = descend(entry, at);
        if (table == NULL) {
            return false;
        }
        *entry |= flags & ENTRY_USER;
    }
    *page_entry_of(table, address, level) =
        flags == 0 ? 0 : memory | flags | (level > 1 ? ENTRY_LARGE : 0);
    return true;
}

/* Maps a page to its own address. */
static bool set_page(uint64_t address, unsigned level, uint64_t flags)
{
    return set_entry(address, address, level, flags);
}

/* Returns the level of the largest page that fits at `address` within `bytes`. Below 4 GiB it is
 * never 1 GiB: memory and devices may share such a page, and if the MTRRs give them different
 * types, the result is undefined (SDM volume 3 section 12.11.9). */
static unsigned page_level(uint64_t address, uint64_t bytes)
{
    if (large_1g && address >= SIZE_4G && address % SIZE_1G == 0 && bytes >= SIZE_1G) {
        return 3;
    }
    return address % SIZE_2M == 0 && bytes >= SIZE_2M ? 2 : 1;
}

/* Identity-maps [address, end); flags 0 makes it absent. */
static bool map(uint64_t address, uint64_t end, uint64_t flags)
{
    const uint64_t cr0 = tables_open();
    bool good = true;

    while (good && address < end) {
        const unsigned level = page_level(address, end - address);

        good = set_page(address, level, flags);
        address += level_size(level);
    }
    tables_close(cr0);
    return good;
}

static uint64_t round_down(uint64_t address, uint64_t size)
{
    return address / size * size;
}

/* Maps everything below 4 GiB, where there are devices that no map lists; above 4 GiB, only what
 * the map lists. */
static bool map_identity(const struct handoff *handoff)
{
    const uint64_t data = ENTRY_PRESENT | ENTRY_WRITABLE | no_execute;
    const struct framebuffer *screen = &handoff->framebuffer;

    if (!map(0, SIZE_4G, data)) {
        return false;
    }
    for (uint32_t i = 0; i < handoff->range_count; i++) {
        const struct memory_range *range = &handoff->ranges[i];
        const uint64_t end = range->address + range->pages * PAGE_SIZE;

        if (range->kind != MEMORY_OTHER && end > SIZE_4G &&
            !map(round_down(range->address < SIZE_4G ? SIZE_4G : range->address, SIZE_2M),
                 round_down(end + SIZE_2M - 1, SIZE_2M), data)) {
            return false;
        }
    }
    if (screen->address >= SIZE_4G) {
        return map(round_down(screen->address, SIZE_2M),
                   round_down(screen->address + screen->size + SIZE_2M - 1, SIZE_2M), data);
    }
    return true;
}

static bool map_executable(const struct handoff *handoff)
{
    const uint64_t runtime = ENTRY_PRESENT | ENTRY_WRITABLE;

    for (uint32_t i = 0; i < handoff->range_count; i++) {
        const struct memory_range *range = &handoff->ranges[i];

        if (range->kind == MEMORY_RUNTIME_CODE &&
            !map(range->address, range->address + range->pages * PAGE_SIZE, runtime)) {
            return false;
        }
    }
    return map((uint64_t)(uintptr_t)image_text_start, (uint64_t)(uintptr_t)image_text_end,
               ENTRY_PRESENT) &&
           map((uint64_t)(uintptr_t)image_user_start, (uint64_t)(uintptr_t)image_user_end,
               ENTRY_PRESENT | ENTRY_USER) &&
           map((uint64_t)(uintptr_t)image_rodata_start, (uint64_t)(uintptr_t)image_rodata_end,
               ENTRY_PRESENT | no_execute);
}

static bool map_guards(void)
{
    for (size_t i = 0; i < memory_ranges(); i++) {
        const uint64_t guard = memory_guard(i);

        if (guard != 0 && !map(guard, guard + SIZE_4K, 0)) {
            return false;
        }
    }
    return true;
}

static bool protect_tables(void)
{
    const uint64_t address = (uint64_t)(uintptr_t)pool;

    return map(address, address + POOL_TABLES * SIZE_4K, ENTRY_PRESENT | no_execute);
}

/* Allocates the pool. If memory is too short for it, the tables are not write-protected. */
static void create_pool(void)
{
    pool = memory_allocate(POOL_TABLES * SIZE_4K, SIZE_4K);
    pool_left = pool != NULL ? POOL_TABLES : 0;
}

bool paging_init(const struct handoff *handoff, const struct cpu_identity *identity)
{
    const uint64_t cr4 = cr4_read();
    uint64_t efer;

    levels = (cr4 & CR4_LA57) != 0 ? 5 : 4;
    large_1g = identity->pages_1gib;
    no_execute = identity->nx ? ENTRY_NO_EXECUTE : 0;
    create_pool();
    root = table_create();
    if (root == NULL || !map_identity(handoff) || !map_executable(handoff) || !map(0, SIZE_4K, 0) ||
        !map_guards() || (pool != NULL && !protect_tables())) {
        return false;
    }
    if (identity->nx && msr_read(MSR_EFER, &efer) == 0) {
        /* without this, the bit in an entry is a reserved one */
        msr_write(MSR_EFER, efer | EFER_NX);
    }
    cr4_write(cr4 & ~(CR4_PCIDE | CR4_PGE | CR4_CET)); /* PGE off also discards global entries */
    cr3_write((uint64_t)(uintptr_t)root);
    in_force = (cr0_read() & CR0_PAGING) != 0;
    return true;
}

uint64_t paging_root(void)
{
    return in_force ? (uint64_t)(uintptr_t)root : 0;
}

unsigned paging_levels(void)
{
    return levels;
}

uint64_t paging_no_execute(void)
{
    return no_execute;
}

static bool is_shown(uint64_t address)
{
    const unsigned highest = (cr4_read() & CR4_LA57) != 0 ? 5 : 4;
    uint64_t entry = cr3_read();

    if ((cr0_read() & CR0_PAGING) == 0) {
        return true; /* Some emulators run 64-bit code without paging. */
    }
    if (address >> (12 + 9 * highest - 1) != 0) {
        /* not canonical, or in the upper half, which the identity mapping never uses */
        return false;
    }
    for (unsigned level = highest; level > 0; level--) {
        entry = *page_entry_of((uint64_t *)(uintptr_t)(entry & ENTRY_ADDRESS), address, level);
        if ((entry & ENTRY_PRESENT) == 0) {
            return false;
        }
        if (level <= 3 && (entry & ENTRY_LARGE) != 0) {
            break;
        }
    }
    return true;
}

bool paging_reaches(uint64_t address, uint64_t bytes)
{
    for (uint64_t at = round_down(address, SIZE_4K); at < address + bytes; at += SIZE_4K) {
        if (!is_shown(at)) {
            return false;
        }
    }
    return true;
}

const void *paging_memory_at(const void *handoff, uint64_t address, uint64_t length)
{
    const bool there =
        ranges_are_memory(handoff, address, length) && paging_reaches(address, length);

    return there ? (const void *)(uintptr_t)address : NULL;
}

/* Below 4 GiB, firmware's MTRRs say what must not be cached. For devices above that they may say
 * nothing, since firmware's own page tables do; so entry 3 of the PAT is used, which is UC. */
bool paging_map_device(uint64_t address, uint64_t bytes)
{
    if (root == NULL || address < SIZE_4G) {
        return true;
    }
    return map(round_down(address, SIZE_4K), round_down(address + bytes + SIZE_4K - 1, SIZE_4K),
               ENTRY_PRESENT | ENTRY_WRITABLE | ENTRY_PAT_3 | no_execute);
}

/* Sets entry 1 of the PAT to WC, and entry 3 to UC, its value after a reset. No entry of the
 * kernel's tables selects them during the change, and the remaining firmware code runs on the
 * kernel's tables. Linux uses the same entries. */
static bool set_pat(void)
{
    const uint64_t others = ~(PAT_ENTRY << PAT_1_SHIFT | PAT_ENTRY << PAT_3_SHIFT);

    return pat_write((pat_read() & others) | PAT_WRITE_COMBINING << PAT_1_SHIFT |
                     PAT_UNCACHED << PAT_3_SHIFT);
}

static const char no_pat[] = "the processor has no PAT";
static const char forgetful_pat[] = "the PAT does not keep what is written to it";
static const char firmware_tables[] = "firmware's page tables are active";
static const char no_tables[] = "no memory for page tables";

static bool has_pat(const struct cpu_identity *identity)
{
    return (cpuid_leaf(cpuid_instruction, identity, 1, 0).edx & CPUID_1_EDX_PAT) != 0;
}

static bool ours_in_force(void)
{
    return in_force && cr3_read() == (uint64_t)(uintptr_t)root;
}

/* The pages were cacheable. So they are made absent and the caches are flushed before they get the
 * new type (SDM volume 3 section 12.12.4). */
const char *paging_combine_writes(const struct cpu_identity *identity, uint64_t address,
                                  uint64_t bytes)
{
    const uint64_t data = ENTRY_PRESENT | ENTRY_WRITABLE | no_execute;
    const uint64_t begin = round_down(address + SIZE_4K - 1, SIZE_4K);
    const uint64_t end = round_down(address + bytes, SIZE_4K);

    if (!has_pat(identity)) {
        return no_pat;
    }
    if (!ours_in_force()) {
        return firmware_tables;
    }
    /* Map the pages as they are first: this splits larger pages, so that the next steps need no
     * memory. */
    if (!map(begin, end, data)) {
        return no_tables;
    }
    if (!set_pat()) {
        return forgetful_pat;
    }
    map(begin, end, 0);
    cr3_write(cr3_read());
    caches_flush();
    map(begin, end, data | ENTRY_PAT_1);
    return NULL;
}

bool paging_allow_execution(uint64_t address, uint64_t bytes, bool allowed)
{
    const uint64_t flags = ENTRY_PRESENT | ENTRY_WRITABLE | (allowed ? 0 : no_execute);

    if (!in_force || !map(address, address + bytes, flags)) {
        return false;
    }
    cr3_write(cr3_read());
    return true;
}

/* ---- views ---- */

/* Maps whole pages from `address` on to those from `memory` on; flags 0 makes them absent. Returns
 * false if memory for tables ran out. */
static bool show(uint64_t address, uint64_t memory, uint64_t bytes, unsigned level, uint64_t flags)
{
    const uint64_t cr0 = tables_open();
    bool good = true;

    for (uint64_t at = 0; good && at < bytes; at += level_size(level)) {
        good = set_entry(address + at, memory + at, level, flags);
    }
    tables_close(cr0);
    return good;
}

/* Sets the pages of a view. */
static bool show_view(const struct paging_view *view, uint64_t flags)
{
    return show(view->address, view->memory, view->bytes, view->level, flags);
}

/* Sets the identity mapping of a view's memory. It uses pages of 2 MiB whatever was there before,
 * so that a table made to split a larger page is used again. */
static bool show_identity(const struct paging_view *view, uint64_t flags)
{
    return show(view->memory, view->memory, view->bytes, 2, flags);
}

/* Creates all tables first, so that the later steps cannot fail. */
static bool make_tables(const struct paging_view *view)
{
    return show_identity(view, ENTRY_PRESENT | ENTRY_WRITABLE | no_execute) && show_view(view, 0);
}

/* Discards translations, and cached lines if needed. Call after pages changed from present to
 * absent. */
static void forget_view(const struct paging_view *view)
{
    cr3_write(cr3_read());
    if (view->type != PAGING_WRITE_BACK) {
        caches_flush();
    }
}

const char *paging_view_open(const struct cpu_identity *identity, const struct paging_view *view)
{
    static const uint64_t types[] = {
        [PAGING_WRITE_BACK] = 0,
        [PAGING_WRITE_COMBINING] = ENTRY_PAT_1,
        [PAGING_UNCACHED] = ENTRY_PAT_3,
    };

    if (view->type != PAGING_WRITE_BACK && !has_pat(identity)) {
        return no_pat;
    }
    if (!ours_in_force()) {
        return firmware_tables;
    }
    if (!make_tables(view)) {
        return no_tables;
    }
    if (view->type != PAGING_WRITE_BACK && !set_pat()) {
        return forgetful_pat;
    }
    show_identity(view, 0);
    forget_view(view);
    show_view(view, ENTRY_PRESENT | ENTRY_WRITABLE | no_execute | types[view->type]);
    return NULL;
}

void paging_view_close(const struct paging_view *view)
{
    show_view(view, 0);
    forget_view(view);
    show_identity(view, ENTRY_PRESENT | ENTRY_WRITABLE | no_execute);
}

uint64_t paging_alias_pages(uint64_t pages)
{
    static uint64_t mapped; /* number of pages mapped from ALIAS_BASE on */
    static uint64_t memory; /* address of the page that all of them map */

    if (memory == 0) {
        memory = (uint64_t)(uintptr_t)memory_allocate(SIZE_4K, SIZE_4K);
    }
    if (memory == 0 || !ours_in_force()) {
        return 0;
    }
    const uint64_t cr0 = tables_open();

    while (mapped < pages &&
           set_entry(ALIAS_BASE + mapped * SIZE_4K, memory, 1, ENTRY_PRESENT | no_execute)) {
        mapped++;
    }
    tables_close(cr0);
    return mapped >= pages ? ALIAS_BASE : 0;
}

bool paging_stack_create(size_t bytes, struct stack *stack)
{
    const uint64_t guard = (uint64_t)(uintptr_t)memory_allocate(bytes + SIZE_4K, SIZE_4K);

    if (guard == 0 || guard_count == GUARDS_MAX) {
        return false;
    }
    if (root != NULL) {
        if (!map(guard, guard + SIZE_4K, 0)) {
            return false;
        }
        tlb_forget_all();
        guards[guard_count++] = guard;
    }
    *stack = (struct stack){guard + SIZE_4K, guard + SIZE_4K + bytes};
    return true;
}

bool paging_is_guard(uint64_t address)
{
    for (size_t i = 0; i < guard_count; i++) {
        if (round_down(address, SIZE_4K) == guards[i]) {
            return true;
        }
    }
    return false;
}
