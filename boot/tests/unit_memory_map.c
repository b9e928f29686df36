/* SPDX-License-Identifier: BSD-2-Clause */
/* The firmware's memory map against boot/memory_map.h: maps by hand, and thousands at random
 * against a slow truth, page by page. */
#include "boot/memory_map.h"

#include <stdlib.h>

#include "tools/tests/support/unit.h"

#define PAGE        4096ull
#define ENTRIES_MAX 16000
#define LIMIT       (1ull << 46)
#define TRUTH_PAGES 512
#define UNUSED      255
#define TYPE_FREE   7

static uint8_t bytes[ENTRIES_MAX * 64];
static size_t used;
static uint64_t stride = 48;
static uint64_t limit = LIMIT;
static struct handoff handoff;

static void store(uint8_t *at, uint64_t value, size_t size)
{
    memcpy(at, &value, size);
}

static void begin(uint64_t descriptor_stride)
{
    stride = descriptor_stride;
    used = 0;
    memset(bytes, 0xee, sizeof(bytes));
}

static void add_with(uint32_t type, uint64_t start, uint64_t pages, uint64_t attribute)
{
    uint8_t *at = bytes + used;

    store(at, type, 4);
    store(at + 8, start, 8);
    store(at + 24, pages, 8);
    store(at + 32, attribute, 8);
    used += stride;
}

static void add(uint32_t type, uint64_t start, uint64_t pages)
{
    add_with(type, start, pages, 0xf);
}

/* In separate memory, so that an access behind its end is found. */
static void reduce_bytes(size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);

    memcpy(copy, bytes, size);
    memset(&handoff, 0xdd, sizeof(handoff));
    memory_map_reduce(copy, size, stride, limit, &handoff);
    free(copy);
}

static void reduce(void)
{
    reduce_bytes(used);
}

static void check_range(size_t index, enum memory_kind kind, uint64_t address, uint64_t pages)
{
    CHECK(index < handoff.range_count);
    CHECK_EQUAL(handoff.ranges[index].kind, kind);
    CHECK_EQUAL(handoff.ranges[index].address, address);
    CHECK_EQUAL(handoff.ranges[index].pages, pages);
}

/* Sorted, merged, apart, of some length: whatever the map was. */
static void check_order(void)
{
    CHECK(handoff.range_count <= HANDOFF_RANGES_MAX);
    for (size_t i = 0; i < handoff.range_count; i++) {
        const struct memory_range *range = &handoff.ranges[i];
        const uint64_t end = range->address + range->pages * PAGE;

        CHECK(range->pages > 0 && range->address % PAGE == 0 && end <= limit);
        if (i + 1 < handoff.range_count) {
            CHECK(end <= range[1].address);
            CHECK(end < range[1].address || range[1].kind != range->kind);
        }
    }
}

/* Types of table 7.10, and undefined ones. */
static void test_types(void)
{
    static const enum memory_kind kinds[] = {
        MEMORY_OTHER,        MEMORY_FIRMWARE,     MEMORY_FIRMWARE, MEMORY_FIRMWARE, MEMORY_FIRMWARE,
        MEMORY_RUNTIME_CODE, MEMORY_RUNTIME_DATA, MEMORY_FREE,     MEMORY_OTHER,    MEMORY_ACPI,
        MEMORY_ACPI,         MEMORY_DEVICE,       MEMORY_DEVICE,   MEMORY_OTHER,    MEMORY_OTHER,
        MEMORY_OTHER,        MEMORY_OTHER};
    static const uint32_t unknown[] = {17, 255, 0x6fffffff, 0x70000000, 0x80000001, UINT32_MAX};

    for (uint32_t type = 0; type < sizeof(kinds) / sizeof(kinds[0]); type++) {
        begin(48);
        add(type, 0x100000, 3);
        reduce();
        CHECK_EQUAL(handoff.range_count, 1);
        check_range(0, kinds[type], 0x100000, 3);
    }
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        begin(48);
        add(TYPE_FREE, 0, 16);
        add(unknown[i], 0x4000, 4);
        reduce();
        CHECK_EQUAL(handoff.range_count, 3);
        check_range(1, MEMORY_OTHER, 0x4000, 4);
        CHECK(handoff.ranges_overlap);
    }
}

/* Not sorted, a hole, two that adjoin, two that are the same. */
static void test_order(void)
{
    begin(48);
    add(TYPE_FREE, 0x300000, 256);
    add(TYPE_FREE, 0x100000, 256);
    add(4, 0x600000, 1);
    add(TYPE_FREE, 0x200000, 256);
    add(TYPE_FREE, 0x200000, 256);
    reduce();
    CHECK_EQUAL(handoff.range_count, 2);
    check_range(0, MEMORY_FREE, 0x100000, 768);
    check_range(1, MEMORY_FIRMWARE, 0x600000, 1);
    CHECK(!handoff.ranges_overlap);
    CHECK(!handoff.ranges_truncated);
    CHECK_EQUAL(handoff.descriptors_refused, 0);
    CHECK_EQUAL(handoff.descriptor_size, 48);
}

static void test_strides(void)
{
    static const uint64_t good[] = {40, 41, 48, 56, 63};
    static const uint64_t bad[] = {0, 1, 24, 39, UINT64_MAX, 1ull << 63};

    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        begin(good[i]);
        add(TYPE_FREE, 0x300000, 1);
        add(9, 0x100000, 2);
        add(TYPE_FREE, 0x200000, 3);
        reduce_bytes(used + good[i] - 1); /* and the beginning of one more */
        CHECK_EQUAL(handoff.range_count, 3);
        check_range(0, MEMORY_ACPI, 0x100000, 2);
        check_range(1, MEMORY_FREE, 0x200000, 3);
        check_range(2, MEMORY_FREE, 0x300000, 1);
    }
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        begin(48);
        add(TYPE_FREE, 0x100000, 1);
        stride = bad[i];
        reduce_bytes(used);
        CHECK_EQUAL(handoff.range_count, 0);
    }
    begin(48);
    reduce();
    CHECK_EQUAL(handoff.range_count, 0);
    CHECK_EQUAL(handoff.descriptors_refused, 0);
}

/* No pages, an end beyond what can be addressed or beyond 2^64, no whole page. What is not free and
 * reaches too far still takes what it covers. */
static void test_nonsense(void)
{
    begin(48);
    add(TYPE_FREE, 0x100000, 0);
    add(TYPE_FREE, 0x100000, UINT64_MAX);
    add(TYPE_FREE, 0x100000, 1ull << 52);
    add(TYPE_FREE, UINT64_MAX - 4095, 2);
    add(0, UINT64_MAX - 8191, 1);
    add(TYPE_FREE, 0x100001, 1);
    reduce();
    CHECK_EQUAL(handoff.range_count, 0);
    CHECK_EQUAL(handoff.descriptors_refused, 6);

    begin(48);
    add(TYPE_FREE, 0x100000, 256);
    add(0, 0x180000, UINT64_MAX);
    add(TYPE_FREE, 0x300800, 3);
    add(0, 0x280801, 1);
    reduce();
    CHECK_EQUAL(handoff.range_count, 2);
    check_range(0, MEMORY_FREE, 0x100000, 128);
    check_range(1, MEMORY_OTHER, 0x180000, (LIMIT - 0x180000) / PAGE);

    begin(48);
    add(TYPE_FREE, 0x300800, 3); /* two whole pages */
    add(0, 0x380801, 1);         /* in two pages */
    reduce();
    CHECK_EQUAL(handoff.range_count, 2);
    check_range(0, MEMORY_FREE, 0x301000, 2);
    check_range(1, MEMORY_OTHER, 0x380000, 2);
}

/* A processor with 32 bits of physical address. */
static void test_reach(void)
{
    limit = 1ull << 32;
    begin(48);
    add(TYPE_FREE, limit - 4 * PAGE, 4);
    add(TYPE_FREE, limit - 8 * PAGE, 9);
    add(9, limit - 2 * PAGE, 100);
    add(TYPE_FREE, limit, 256);
    add(5, limit, 1);
    reduce();
    CHECK_EQUAL(handoff.range_count, 2);
    check_range(0, MEMORY_FREE, limit - 4 * PAGE, 2);
    check_range(1, MEMORY_ACPI, limit - 2 * PAGE, 2);
    CHECK_EQUAL(handoff.descriptors_refused, 3);
    limit = LIMIT;
}

static int larger_first(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;

    return left < right ? 1 : left > right ? -1 : 0;
}

/* 10,000 entries, in no order, with holes: the largest free ranges are kept, and the firmware's
 * code. */
static void test_many(void)
{
    enum { COUNT = 10000 };
    static uint64_t pages[COUNT];
    uint64_t seed = 77;
    uint64_t kept = 0;
    size_t runtime = 0;

    begin(48);
    for (size_t i = 0; i < COUNT; i++) {
        const size_t place = i * 7919 % COUNT;

        pages[i] = 1 + unit_random(&seed) % 60;
        add(i % 1000 == 0 ? 5 : TYPE_FREE, place * 64 * PAGE + 0x100000, pages[i]);
        pages[i] = i % 1000 == 0 ? 0 : pages[i];
    }
    reduce();
    check_order();
    CHECK_EQUAL(handoff.range_count, HANDOFF_RANGES_MAX);
    CHECK(handoff.ranges_truncated);
    qsort(pages, COUNT, sizeof(pages[0]), larger_first);
    uint64_t largest = 0;

    for (size_t i = 0; i < HANDOFF_RANGES_MAX - 10; i++) {
        largest += pages[i];
    }
    for (size_t i = 0; i < handoff.range_count; i++) {
        kept += handoff.ranges[i].kind == MEMORY_FREE ? handoff.ranges[i].pages : 0;
        runtime += handoff.ranges[i].kind == MEMORY_RUNTIME_CODE ? 1 : 0;
    }
    CHECK_EQUAL(kept, largest);
    CHECK_EQUAL(runtime, 10);
}

/* ---- at random ---- */

static uint8_t truth[TRUTH_PAGES];

/* UEFI 2.10, table 7.10: of the types that are drawn. */
static enum memory_kind kind_of(uint32_t type)
{
    switch (type) {
    case 3:
        return MEMORY_FIRMWARE;
    case 5:
        return MEMORY_RUNTIME_CODE;
    case 6:
        return MEMORY_RUNTIME_DATA;
    case 7:
        return MEMORY_FREE;
    case 9:
        return MEMORY_ACPI;
    case 11:
        return MEMORY_DEVICE;
    default:
        return MEMORY_OTHER;
    }
}

static void add_random(uint64_t *seed)
{
    static const uint32_t types[] = {0, 3, 5, 6, 7, 7, 7, 7, 9, 11, 14, 15, 0x70000001};
    const uint64_t first = unit_random(seed) % TRUTH_PAGES;
    const uint64_t pages = unit_random(seed) % (unit_random(seed) % 8 == 0 ? TRUTH_PAGES : 40);
    const uint64_t within = unit_random(seed) % 6 == 0 ? unit_random(seed) % PAGE : 0;
    const uint32_t type = types[unit_random(seed) % (sizeof(types) / sizeof(types[0]))];
    const enum memory_kind kind = kind_of(type);

    add(type, first * PAGE + within, pages);
    if (kind == MEMORY_FREE && first + pages + (within != 0 ? 1 : 0) > limit / PAGE) {
        return;
    }
    const uint64_t start = first + (within != 0 && kind == MEMORY_FREE ? 1 : 0);
    const uint64_t end = first + pages + (within != 0 && kind != MEMORY_FREE ? 1 : 0);

    for (uint64_t i = start; pages > 0 && i < end && i < TRUTH_PAGES && i < limit / PAGE; i++) {
        truth[i] = truth[i] == UNUSED || truth[i] < kind ? (uint8_t)kind : truth[i];
    }
}

static bool same_as_truth(void)
{
    uint8_t seen[TRUTH_PAGES];

    memset(seen, UNUSED, sizeof(seen));
    for (size_t i = 0; i < handoff.range_count; i++) {
        const struct memory_range *range = &handoff.ranges[i];

        for (uint64_t k = 0; k < range->pages; k++) {
            const uint64_t page = range->address / PAGE + k;

            if (page < TRUTH_PAGES) {
                seen[page] = (uint8_t)range->kind;
            }
        }
    }
    return memcmp(seen, truth, sizeof(truth)) == 0;
}

static void test_random(void)
{
    uint64_t seed = 20261122;

    for (unsigned run = 0; run < 4000; run++) {
        const uint64_t entries = unit_random(&seed) % 60;

        limit = run % 2 == 0 ? LIMIT : (100 + unit_random(&seed) % TRUTH_PAGES) * PAGE;
        begin(40 + unit_random(&seed) % 24);
        memset(truth, UNUSED, sizeof(truth));
        for (uint64_t i = 0; i < entries; i++) {
            add_random(&seed);
        }
        reduce();
        check_order();
        CHECK(same_as_truth());
    }
}

/* HBM or CXL beside ordinary memory; the attribute changes nothing of what is not free. */
static void test_special(void)
{
    begin(48);
    add_with(TYPE_FREE, 0x100000000, 0x40000, 0xf);
    add_with(TYPE_FREE, 0x200000000, 0x400000, 0x4000f);
    add_with(3, 0x800000000, 2, 0x4000f);
    reduce();
    CHECK_EQUAL(handoff.range_count, 3);
    check_range(0, MEMORY_FREE, 0x100000000, 0x40000);
    check_range(1, MEMORY_SPECIAL, 0x200000000, 0x400000);
    check_range(2, MEMORY_FIRMWARE, 0x800000000, 2);
}

int main(void)
{
    RUN(test_types());
    RUN(test_order());
    RUN(test_strides());
    RUN(test_nonsense());
    RUN(test_reach());
    RUN(test_many());
    RUN(test_special());
    RUN(test_random());
    return unit_finish("unit_memory_map");
}
