/* SPDX-License-Identifier: BSD-2-Clause */
/* Which processors there are and where: kernel/cpu/topology.h on tables as processors have
 * answered, and MADT by kernel/dev/acpi.h on tables made here. */
#include "kernel/cpu/topology.h"

#include "kernel/dev/acpi.h"
#include "kernel/plan/bytes.h"
#include "tools/tests/support/cpuid_table.h"
#include "tools/tests/support/seal.h"
#include "tools/tests/support/unit.h"

static struct topology read_topology(const struct leaf *table, size_t count)
{
    struct cpu_identity identity;
    struct topology topology;

    leaves = table;
    leaf_count = count;
    cpu_identify(lookup, &identity);
    topology_read(lookup, &identity, &topology);
    return topology;
}

#define READ(table) read_topology(table, sizeof(table) / sizeof((table)[0]))

#define INTEL(max)                                    \
    {                                                 \
        0, 0,                                         \
        {                                             \
            (max), 0x756e6547, 0x6c65746e, 0x49656e69 \
        }                                             \
    }
#define AMD(max)                                      \
    {                                                 \
        0, 0,                                         \
        {                                             \
            (max), 0x68747541, 0x444d4163, 0x69746e65 \
        }                                             \
    }

static void test_leaf_0b(void)
{
    /* Two threads, up to 8 cores: a part of 2012. */
    static const struct leaf table[] = {
        INTEL(0x0d),
        {0x0b, 0, {1, 2, 0x100, 5}},
        {0x0b, 1, {4, 8, 0x201, 5}},
        {0x0b, 2, {0, 0, 2, 5}},
    };
    const struct topology topology = READ(table);
    const struct topology_place place = topology_place_of(&topology, 0x35);

    CHECK_TEXT(topology.source, "leaf 0Bh");
    CHECK_EQUAL(topology.thread_bits, 1);
    CHECK_EQUAL(topology.package_bits, 4);
    CHECK_EQUAL(place.package, 3);
    CHECK_EQUAL(place.core, 2);
    CHECK_EQUAL(place.thread, 1);
}

static void test_leaf_1f(void)
{
    /* Dies within a package: the package begins above the last level that is reported. */
    static const struct leaf table[] = {
        INTEL(0x1f),
        {0x0b, 0, {1, 2, 0x100, 0}},
        {0x0b, 1, {7, 112, 0x201, 0}},
        {0x1f, 0, {1, 2, 0x100, 0}},
        {0x1f, 1, {6, 56, 0x201, 0}},
        {0x1f, 2, {7, 112, 0x502, 0}},
    };
    const struct topology topology = READ(table);

    CHECK_TEXT(topology.source, "leaf 1Fh");
    CHECK_EQUAL(topology.package_bits, 7);
    CHECK_EQUAL(topology_place_of(&topology, 0x83).package, 1);
    CHECK_EQUAL(topology_place_of(&topology, 0x83).core, 1);
    CHECK_EQUAL(topology_place_of(&topology, 0xffffffff).package, 0x1ffffff);
}

static void test_amd(void)
{
    static const struct leaf table[] = {
        AMD(0x0d),
        {0x80000000, 0, {0x8000001e, 0, 0, 0}},
        {0x80000001, 0, {0, 0, 1u << 22, 0}},
        {0x80000008, 0, {0x3030, 0, 4u << 12 | 15, 0}},
        {0x8000001e, 0, {0, 1u << 8, 0, 0}},
    };
    const struct topology topology = READ(table);

    CHECK_TEXT(topology.source, "leaf 8000001Eh");
    CHECK_EQUAL(topology.thread_bits, 1);
    CHECK_EQUAL(topology.package_bits, 4);
}

/* Family 15h with the bit of topology extensions switched off; in another family that is believed.
 */
static void test_amd_switched_off(void)
{
    struct leaf table[] = {
        AMD(0x0d),
        {1, 0, {0x00660f51, 4u << 16, 0, 1u << 28}},
        {0x80000000, 0, {0x8000001e, 0, 0, 0}},
        {0x80000001, 0, {0, 0, 0x2fabbfff, 0}},
        {0x80000008, 0, {0x3030, 0, 4u << 12 | 3, 0}},
        {0x8000001e, 0, {0x10, 1u << 8, 0, 0}},
    };
    const struct topology topology = READ(table);

    CHECK_TEXT(topology.source, "leaf 8000001Eh");
    CHECK_EQUAL(topology.thread_bits, 1);
    CHECK_EQUAL(topology.package_bits, 4);
    CHECK_EQUAL(topology_place_of(&topology, 0x13).core, 1);
    table[1].result.eax = 0x00730f01; /* family 16h */
    CHECK_TEXT(READ(table).source, "leaves 1 and 4");
}

static void test_legacy(void)
{
    /* Two cores of two threads, reported by leaves 1 and 4. */
    static const struct leaf table[] = {
        INTEL(0x06),
        {1, 0, {0x106c2, 4u << 16, 0, 1u << 28}},
        {4, 0, {1u << 26, 0, 0, 0}},
    };
    static const struct leaf single[] = {INTEL(0x02), {1, 0, {0x6f0, 0, 0, 0}}};
    const struct topology topology = READ(table);
    const struct topology none = READ(single);

    CHECK_TEXT(topology.source, "leaves 1 and 4");
    CHECK_EQUAL(topology.thread_bits, 1);
    CHECK_EQUAL(topology.package_bits, 2);
    CHECK_TEXT(none.source, "none");
    CHECK_EQUAL(topology_place_of(&none, 5).package, 5);
    CHECK_EQUAL(topology_place_of(&none, 5).core, 0);
}

/* Levels without sense are as if absent. */
static void test_liars(void)
{
    static const struct leaf shrinking[] = {
        INTEL(0x0b),
        {0x0b, 0, {4, 2, 0x100, 0}},
        {0x0b, 1, {1, 8, 0x201, 0}},
    };
    static const struct leaf endless[] = {
        INTEL(0x0b),
        {0x0b, 0, {31, 2, 0x100, 0}},
        {0x0b, 1, {31, 8, 0x201, 0}},
    };
    /* Threads alone: the next leaf that knows is asked. */
    static const struct leaf threads[] = {
        AMD(0x0d),
        {0x0b, 0, {1, 2, 0x100, 0}},
        {0x80000000, 0, {0x8000001e, 0, 0, 0}},
        {0x80000001, 0, {0, 0, 1u << 22, 0}},
        {0x80000008, 0, {0x3030, 0, 7u << 12 | 11, 0}},
        {0x8000001e, 0, {0, 1u << 8, 0, 0}},
    };
    const struct topology wide = READ(endless);
    const struct topology next = READ(threads);

    CHECK_TEXT(next.source, "leaf 8000001Eh");
    CHECK_EQUAL(next.thread_bits, 1);
    CHECK_EQUAL(next.package_bits, 7);
    CHECK_TEXT(READ(shrinking).source, "none");
    CHECK_EQUAL(topology_place_of(&wide, 0x80000001).package, 1);
    CHECK_EQUAL(topology_place_of(&wide, 0x80000001).thread, 1);
}

/* ---- MADT ---- */

static uint8_t madt[4096];
static uint8_t root[64];
static uint8_t pointer[36];

static size_t begin_madt(void)
{
    memset(madt, 0, sizeof(madt));
    memcpy(madt, "APIC", 4);
    bytes_put(madt + 36, 0xfee00000, 4);
    return 44;
}

static size_t add_lapic(size_t at, uint8_t id, uint32_t flags)
{
    madt[at] = 0;
    madt[at + 1] = 8;
    madt[at + 3] = id;
    bytes_put(madt + at + 4, flags, 4);
    return at + 8;
}

static size_t add_x2apic(size_t at, uint32_t id, uint32_t flags)
{
    madt[at] = 9;
    madt[at + 1] = 16;
    bytes_put(madt + at + 4, id, 4);
    bytes_put(madt + at + 8, flags, 4);
    return at + 16;
}

static const void *memory_at(const void *context, uint64_t address, uint64_t length)
{
    (void)context;
    (void)length;
    return (const void *)(uintptr_t)address;
}

static bool anywhere(const void *context, uint64_t address, uint64_t length)
{
    (void)context;
    (void)address;
    (void)length;
    return true;
}

static const struct acpi_facts *read_madt(size_t length)
{
    static const struct acpi_memory memory = {memory_at, anywhere, NULL};
    static struct acpi_facts facts;

    bytes_put(madt + 4, length, 4);
    seal(madt, length, 9);
    memset(root, 0, sizeof(root));
    memcpy(root, "XSDT", 4);
    bytes_put(root + 4, 44, 4);
    bytes_put(root + 36, (uint64_t)(uintptr_t)madt, 8);
    seal(root, 44, 9);
    memset(pointer, 0, sizeof(pointer));
    memcpy(pointer, "RSD PTR ", 8);
    pointer[15] = 2;
    bytes_put(pointer + 24, (uint64_t)(uintptr_t)root, 8);
    seal(pointer, 20, 8);
    acpi_read(&memory, (uint64_t)(uintptr_t)pointer, &facts);
    return &facts;
}

static void test_madt(void)
{
    size_t at = begin_madt();

    at = add_lapic(at, 0, 1);
    at = add_lapic(at, 2, 1);
    at = add_lapic(at, 0xff, 0); /* stands for none */
    at = add_x2apic(at, 2, 1);   /* the same in the other form */
    at = add_x2apic(at, 0x1234, 1);
    at = add_lapic(at, 4, 0);
    at = add_lapic(at, 5, 2);
    at = add_x2apic(at, 0xffffffff, 1);
    const struct acpi_facts *facts = read_madt(at);

    CHECK_EQUAL(facts->processors, 3);
    CHECK_EQUAL(facts->processor_count, 5);
    CHECK_EQUAL(facts->processor[0].apic_id, 0);
    CHECK_EQUAL(facts->processor[1].apic_id, 2);
    CHECK(facts->processor[1].enabled);
    CHECK_EQUAL(facts->processor[2].apic_id, 0x1234);
    CHECK(!facts->processor[3].enabled && !facts->processor[3].online_capable);
    CHECK(!facts->processor[4].enabled && facts->processor[4].online_capable);
}

/* More than there is room for, entries that end beyond the table, entries without length. */
static void test_bad_madt(void)
{
    size_t at = begin_madt();

    for (uint32_t i = 0; i < 250; i++) {
        at = add_x2apic(at, 1000 + i, 1);
    }
    CHECK_EQUAL(read_madt(at)->processors, 250);
    at = begin_madt();
    at = add_lapic(at, 7, 1);
    const size_t whole = at;

    at = add_lapic(at, 8, 1);
    CHECK_EQUAL(read_madt(at - 1)->processor_count, 1);
    madt[whole + 1] = 4; /* too short to hold its flags */
    CHECK_EQUAL(read_madt(at)->processor_count, 1);
    madt[whole + 1] = 0;
    CHECK_EQUAL(read_madt(at)->processor_count, 1);
}

/* A free place beside the processor that has taken it, in either order. */
static void test_disabled_twin(void)
{
    size_t at = begin_madt();

    at = add_lapic(at, 0, 1);
    at = add_lapic(at, 0, 0);
    at = add_lapic(at, 2, 0);
    at = add_lapic(at, 2, 1);
    const struct acpi_facts *facts = read_madt(at);

    CHECK_EQUAL(facts->processors, 2);
    CHECK_EQUAL(facts->processor_count, 2);
    CHECK(facts->processor[0].enabled);
    CHECK(facts->processor[1].enabled);
}

/* Eight processors of one id, as one firmware's pattern; one entry given twice is still one. */
static void test_bogus_x2apic(void)
{
    size_t at = begin_madt();

    for (uint8_t i = 0; i < 4; i++) {
        at = add_lapic(at, i, 1);
    }
    for (uint32_t i = 0; i < 8; i++) {
        at = add_x2apic(at, 0x17161514, 1);
        bytes_put(madt + at - 4, 16 + i, 4);
    }
    const struct acpi_facts *facts = read_madt(at);

    CHECK_EQUAL(facts->processors, 4);
    CHECK_EQUAL(facts->processor_count, 4);
    CHECK(strstr(facts->refused, "x2APIC id repeated") != NULL);
    at = begin_madt();
    at = add_x2apic(at, 300, 1);
    at = add_x2apic(at, 300, 1);
    facts = read_madt(at);
    CHECK_EQUAL(facts->processors, 1);
    CHECK_EQUAL(facts->processor_count, 1);
    CHECK(strstr(facts->refused, "x2APIC") == NULL);
}

int main(void)
{
    RUN(test_leaf_0b());
    RUN(test_leaf_1f());
    RUN(test_amd());
    RUN(test_amd_switched_off());
    RUN(test_legacy());
    RUN(test_liars());
    RUN(test_madt());
    RUN(test_bad_madt());
    RUN(test_disabled_twin());
    RUN(test_bogus_x2apic());
    return unit_finish("unit_topology");
}
