/* SPDX-License-Identifier: BSD-2-Clause */
/* Page tables that forbid execution, built here: after executable_allow() a walk of them says yes
 * for the pages asked for, and what it had no need to change is as it was. */
#include <stdbool.h>
#include <stdlib.h>

#include "boot/executable.h"
#include "kernel/mem/memory.h"
#include "kernel/mem/page_entry.h"
#include "tools/tests/support/unit.h"

#define TABLES  16
#define FORBID  (ENTRY_PRESENT | ENTRY_WRITABLE | ENTRY_NO_EXECUTE)
#define ADDRESS 0x7f12345000ull /* some page */

static uint64_t tables[TABLES][ENTRIES] __attribute__((aligned(4096)));
static unsigned used;

static uint64_t *new_table(void)
{
    memset(tables[used], 0, sizeof(tables[used]));
    return tables[used++];
}

/* An entry of this level for `address`, with all tables above it, whose entries get `above`. */
static uint64_t *entry_for(uint64_t *root, unsigned levels, unsigned level, uint64_t address,
                           uint64_t above)
{
    uint64_t *table = root;

    for (unsigned at = levels; at > level; at--) {
        uint64_t *entry = page_entry_of(table, address, at);

        if (*entry == 0) {
            *entry = (uint64_t)(uintptr_t)new_table() | above;
        }
        table = (uint64_t *)(uintptr_t)(*entry & ENTRY_ADDRESS);
    }
    return page_entry_of(table, address, level);
}

/* A processor as a guest may see it. */
static struct {
    uint32_t max_basic, max_extended;
    bool guest;
    uint32_t sev; /* EAX of its leaf */
    const char *tdx;
    uint32_t status;
    unsigned asked; /* for the status */
} guest;

static struct cpuid_result guest_cpuid(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_result result = {0};

    (void)subleaf;
    switch (leaf) {
    case 0:
        result.eax = guest.max_basic;
        break;
    case 1:
        result.ecx = guest.guest ? 1u << 31 : 0;
        break;
    case 0x21:
        memcpy(&result.ebx, guest.tdx, 4);
        memcpy(&result.edx, guest.tdx + 4, 4);
        memcpy(&result.ecx, guest.tdx + 8, 4);
        break;
    case 0x80000000:
        result.eax = guest.max_extended;
        break;
    case 0x8000001f:
        result.eax = guest.sev;
        break;
    default:
        CHECK(false);
    }
    return result;
}

static uint32_t guest_status(void)
{
    guest.asked++;
    return guest.status;
}

static bool is_encrypted(void)
{
    return executable_is_encrypted(guest_cpuid, guest_status);
}

/* The register is read only where a guest's processor says that it has one. */
static void test_encrypted(void)
{
    guest.max_basic = 0x21;
    guest.max_extended = 0x8000001f;
    guest.sev = 2;
    guest.status = 1;
    guest.tdx = "IntelTDX    ";
    CHECK(!is_encrypted());
    CHECK_EQUAL(guest.asked, 0);
    guest.guest = true;
    CHECK(is_encrypted());
    CHECK_EQUAL(guest.asked, 1);
    guest.status = 6; /* of others of its kinds, which are not without the first */
    CHECK(!is_encrypted());
    guest.sev = 1;         /* SME */
    CHECK(is_encrypted()); /* as TDX */
    guest.max_extended = 0x8000001e;
    guest.sev = 2;
    guest.tdx = "IntelTDX   ?";
    CHECK(!is_encrypted());
    guest.tdx = "IntelTDX    ";
    guest.max_basic = 0x20;
    CHECK(!is_encrypted());
    CHECK_EQUAL(guest.asked, 2);
}

/* As the processor decides it. */
static bool may_execute(const uint64_t *root, unsigned levels, uint64_t address)
{
    const uint64_t *table = root;

    for (unsigned level = levels; level > 0; level--) {
        const uint64_t entry = *page_entry_of((uint64_t *)table, address, level);

        if ((entry & ENTRY_PRESENT) == 0 || (entry & ENTRY_NO_EXECUTE) != 0) {
            return false;
        }
        if (level == 1 || (entry & ENTRY_LARGE) != 0) {
            return true;
        }
        table = (const uint64_t *)(uintptr_t)(entry & ENTRY_ADDRESS);
    }
    return false;
}

static uint64_t *start(void)
{
    used = 0;
    return new_table();
}

/* Forbidden at the lowest level only, and at every level. */
static void small_pages(unsigned levels, uint64_t above)
{
    uint64_t *root = start();

    for (unsigned i = 0; i < 5; i++) {
        *entry_for(root, levels, 1, ADDRESS + i * PAGE_SIZE, above) = i * PAGE_SIZE | FORBID;
    }
    executable_allow(root, levels, ADDRESS + PAGE_SIZE, ADDRESS + 4 * PAGE_SIZE);
    for (unsigned i = 0; i < 5; i++) {
        const uint64_t page = ADDRESS + i * PAGE_SIZE;
        const uint64_t entry = *entry_for(root, levels, 1, page, 0);
        const bool asked_for = i >= 1 && i < 4;

        CHECK_EQUAL(may_execute(root, levels, page), asked_for);
        CHECK_EQUAL(entry, i * PAGE_SIZE | (asked_for ? FORBID & ~ENTRY_NO_EXECUTE : FORBID));
    }
}

static void large_page(unsigned levels, unsigned level)
{
    uint64_t *root = start();
    uint64_t *entry = entry_for(root, levels, level, ADDRESS, FORBID);

    *entry = FORBID | ENTRY_LARGE;
    executable_allow(root, levels, ADDRESS, ADDRESS + 2 * PAGE_SIZE);
    CHECK(may_execute(root, levels, ADDRESS));
    CHECK(may_execute(root, levels, ADDRESS + PAGE_SIZE));
    CHECK_EQUAL(*entry, (FORBID | ENTRY_LARGE) & ~ENTRY_NO_EXECUTE);
}

/* From the last page that one table maps to the first of the next. */
static void test_border(void)
{
    const uint64_t border = ADDRESS & ~(ENTRIES * PAGE_SIZE - 1);
    uint64_t *root = start();

    *entry_for(root, 4, 1, border - PAGE_SIZE, FORBID) = FORBID;
    *entry_for(root, 4, 1, border, FORBID) = FORBID;
    executable_allow(root, 4, border - PAGE_SIZE, border + PAGE_SIZE);
    CHECK(may_execute(root, 4, border - PAGE_SIZE));
    CHECK(may_execute(root, 4, border));
}

static void test_absent(void)
{
    uint64_t *root = start();

    executable_allow(root, 4, ADDRESS, ADDRESS + PAGE_SIZE);
    CHECK_EQUAL(*page_entry_of(root, ADDRESS, 4), 0);
    *entry_for(root, 4, 1, ADDRESS, FORBID) = ENTRY_NO_EXECUTE;
    executable_allow(root, 4, ADDRESS, ADDRESS + PAGE_SIZE);
    CHECK_EQUAL(*entry_for(root, 4, 1, ADDRESS, 0), ENTRY_NO_EXECUTE);
}

int main(void)
{
    RUN(test_encrypted());
    RUN(small_pages(4, ENTRY_PRESENT | ENTRY_WRITABLE));
    RUN(small_pages(4, FORBID));
    RUN(small_pages(5, FORBID));
    RUN(large_page(4, 2));
    RUN(large_page(4, 3));
    RUN(large_page(5, 3));
    RUN(test_border());
    RUN(test_absent());
    return unit_finish("unit_executable");
}
