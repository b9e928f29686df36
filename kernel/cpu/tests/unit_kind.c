/* SPDX-License-Identifier: BSD-2-Clause */
/* Kinds of processors, kernel/cpu/kind.h, and caches of AMD's old leaves, kernel/cpu/cache.h, on
 * tables made by hand. */
#include "kernel/cpu/kind.h"

#include "tools/tests/support/cpuid_table.h"
#include "tools/tests/support/unit.h"

static void answer_by(const struct leaf *table, size_t count, struct cpu_identity *identity)
{
    leaves = table;
    leaf_count = count;
    cpu_identify(lookup, identity);
}

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

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

/* ---- caches ---- */

/* AMD family 10h: no leaf 4, no topology extensions. */
static void test_old_leaves(void)
{
    struct leaf table[] = {
        AMD(6),
        {0x80000000, 0, {0x8000001b, 0, 0, 0}},
        {0x80000001, 0, {0x100fa0, 0, 0x37ff, 0}},
        {0x80000005, 0, {0xff30ff10, 0xff30ff20, 0x40020140, 0x40020140}},
        {0x80000006, 0, {0x20800000, 0x42004200, 0x02008140, 0x0030b140}},
        {0x80000008, 0, {0x3030, 0, 0x3005, 0}},
    };
    struct cache caches[CACHES_MAX];
    struct cpu_identity identity;
    char text[CACHE_TEXT_MAX];
    char name[CACHE_NAME_MAX];

    answer_by(table, COUNT(table), &identity);
    CHECK_EQUAL(caches_read(lookup, &identity, caches), 4);
    CHECK_TEXT(cache_name(&caches[0], name), "1d");
    CHECK_TEXT(cache_text(&caches[0], text), "65536 bytes, 2 ways, line 64, shared by 1");
    CHECK_TEXT(cache_name(&caches[1], name), "1i");
    CHECK_TEXT(cache_text(&caches[1], text), "65536 bytes, 2 ways, line 64, shared by 1");
    CHECK_TEXT(cache_name(&caches[2], name), "2");
    CHECK_TEXT(cache_text(&caches[2], text), "524288 bytes, 16 ways, line 64, shared by 1");
    CHECK_TEXT(cache_name(&caches[3], name), "3");
    CHECK_TEXT(cache_text(&caches[3], text), "6291456 bytes, 48 ways, line 64, shared by 6");

    /* A disabled second level, one that refers to another leaf, and a full one. */
    table[4].result.ecx = 0x02000140;
    table[4].result.edx = 0x00309140;
    CHECK_EQUAL(caches_read(lookup, &identity, caches), 2);
    table[4].result.ecx = 0x0200f140;
    CHECK_EQUAL(caches_read(lookup, &identity, caches), 3);
    CHECK_TEXT(cache_text(&caches[2], text),
               "524288 bytes, fully associative, line 64, shared by 1");
    /* A maximum below the leaves: what lies above it is another leaf's. */
    table[1].result.eax = 0x80000004;
    answer_by(table, COUNT(table), &identity);
    CHECK_EQUAL(caches_read(lookup, &identity, caches), 0);
}

static void test_old_leaves_are_last(void)
{
    static const struct leaf table[] = {
        AMD(6),
        {0x80000000, 0, {0x8000001d, 0, 0, 0}},
        {0x80000001, 0, {0, 0, 1u << 22, 0}},
        {0x80000005, 0, {0, 0, 0x40020140, 0x40020140}},
        {0x8000001d, 0, {0x121, 0x1c0003f, 0x3f, 0}},
    };
    static const struct leaf intel[] = {
        INTEL(3),
        {0x80000000, 0, {0x80000008, 0, 0, 0}},
        {0x80000005, 0, {0, 0, 0x40020140, 0x40020140}},
    };
    struct cache caches[CACHES_MAX];
    struct cpu_identity identity;

    answer_by(table, COUNT(table), &identity);
    CHECK_EQUAL(caches_read(lookup, &identity, caches), 1);
    CHECK_EQUAL(caches[0].bytes, 32768);
    /* Intel reserves leaf 80000005h. */
    answer_by(intel, COUNT(intel), &identity);
    CHECK_EQUAL(caches_read(lookup, &identity, caches), 0);
}

/* Family 15h with the bit of topology extensions switched off: what answers is read. */
static void test_switched_off(void)
{
    struct leaf table[] = {
        AMD(6),
        {1, 0, {0x00660f51, 0, 0, 0}},
        {0x80000000, 0, {0x8000001e, 0, 0, 0}},
        {0x80000001, 0, {0, 0, 0x2fabbfff, 0}},
        {0x80000005, 0, {0, 0, 0x20080140, 0x60030140}},
        {0x80000006, 0, {0, 0, 0x04008140, 0}},
        {0x8000001d, 0, {0x121, 0x1c0003f, 0x3f, 0}},
        {0x8000001d, 1, {0x4122, 0x80003f, 0x1ff, 0}},
        {0x8000001e, 0, {0x10, 1u << 8, 0, 0}},
    };
    struct cache caches[CACHES_MAX];
    struct cpu_identity identity;
    char text[CACHE_TEXT_MAX];

    answer_by(table, COUNT(table), &identity);
    CHECK_EQUAL(caches_read(lookup, &identity, caches), 2);
    CHECK_TEXT(cache_text(&caches[1], text), "98304 bytes, 3 ways, line 64, shared by 2");
    table[6].result.eax = 0; /* the old leaves state nothing of sharing: the unit does */
    CHECK_EQUAL(caches_read(lookup, &identity, caches), 3);
    CHECK_EQUAL(caches[0].shared_by, 1);
    CHECK_TEXT(cache_text(&caches[1], text), "98304 bytes, 3 ways, line 64, shared by 2");
    CHECK_TEXT(cache_text(&caches[2], text), "1048576 bytes, 16 ways, line 64, shared by 2");
}

/* VIA's processors of 64 bits have the same leaves, and nothing in leaf 4. */
static void test_old_leaves_of_via(void)
{
    static const struct leaf table[] = {
        {0, 0, {0x0a, 0x746e6543, 0x736c7561, 0x48727561}},
        {0x80000000, 0, {0x80000008, 0, 0, 0}},
        {0x80000005, 0, {0, 0x08800880, 0x40100140, 0x40100140}},
        {0x80000006, 0, {0, 0, 0x02008140, 0}},
        {0x80000008, 0, {0x3024, 0, 0, 0}},
    };
    struct cache caches[CACHES_MAX];
    struct cpu_identity identity;
    char text[CACHE_TEXT_MAX];

    answer_by(table, COUNT(table), &identity);
    CHECK_TEXT(identity.vendor, "CentaurHauls");
    CHECK_EQUAL(caches_read(lookup, &identity, caches), 3);
    CHECK_TEXT(cache_text(&caches[0], text), "65536 bytes, 16 ways, line 64, shared by 1");
    CHECK_TEXT(cache_text(&caches[2], text), "524288 bytes, 16 ways, line 64, shared by 1");
}

/* ---- kinds ---- */

static struct cpu_kind read_kind(const struct leaf *table, size_t count)
{
    struct cpu_identity identity;
    struct cpu_kind kind;

    answer_by(table, count, &identity);
    cpu_kind_read(lookup, &identity, &kind);
    return kind;
}

/* A hybrid's core: leaf 7 EDX[15], the class, and the sizes of L1d and L2. */
static struct cpu_kind hybrid(uint32_t edx, uint32_t native, uint32_t sets)
{
    const struct leaf table[] = {
        INTEL(0x20),
        {7, 0, {0, 0, 0, edx}},
        {0x1a, 0, {native, 0, 0, 0}},
        {4, 0, {0x121, 7u << 22 | 63, sets, 0}},
        {4, 1, {0x1c143, 15u << 22 | 63, 0x7ff, 0}},
    };

    return read_kind(table, COUNT(table));
}

static void test_hybrid(void)
{
    const struct cpu_kind fast = hybrid(1u << 15, 0x40000001, 95);
    const struct cpu_kind thrifty = hybrid(1u << 15, 0x20000001, 63);
    const struct cpu_kind unsaid = hybrid(0, 0x40000001, 95);
    struct cpu_kinds kinds = {0};
    char name[CPU_KIND_NAME_MAX];

    CHECK_EQUAL(fast.class, CORE_PERFORMANCE);
    CHECK_EQUAL(fast.native_model, 1);
    CHECK_EQUAL(fast.cache[0].bytes, 49152);
    CHECK_EQUAL(fast.cache[1].shared_by, 8);
    CHECK_EQUAL(thrifty.class, CORE_EFFICIENT);
    CHECK_EQUAL(unsaid.class, CORE_NOT_STATED);
    CHECK(cpu_kinds_add(&kinds, &thrifty));
    CHECK_TEXT(cpu_kind_name(&kinds, 0, name), "all");
    CHECK(cpu_kinds_add(&kinds, &fast));
    CHECK(cpu_kinds_add(&kinds, &thrifty));
    CHECK_EQUAL(kinds.count, 2);
    CHECK_EQUAL(cpu_kinds_find(&kinds, &fast), 0);
    CHECK_EQUAL(cpu_kinds_find(&kinds, &thrifty), 1);
    CHECK_EQUAL(cpu_kinds_find(&kinds, &unsaid), 2);
    CHECK_TEXT(cpu_kind_name(&kinds, 0, name), "P");
    CHECK_TEXT(cpu_kind_name(&kinds, 1, name), "E");
}

static struct cpu_kind made(enum core_class class, uint64_t second, uint64_t third)
{
    return (struct cpu_kind){
        .class = class,
        .cache_count = third != 0 ? 3 : 2,
        .cache = {{1, CACHE_DATA, 32768, 8, 64, 2},
                  {2, CACHE_UNIFIED, second, 8, 64, 2},
                  {3, CACHE_UNIFIED, third, 16, 64, 16}},
    };
}

#define MIB (1ull << 20)

static void check_names(const struct cpu_kind *kind, size_t count, const char *const *names)
{
    struct cpu_kinds kinds = {0};
    char name[CPU_KIND_NAME_MAX];

    for (size_t i = count; i-- > 0;) {
        CHECK(cpu_kinds_add(&kinds, &kind[i]));
    }
    CHECK_EQUAL(kinds.count, count);
    for (size_t i = 0; i < count; i++) {
        CHECK_EQUAL(cpu_kinds_find(&kinds, &kind[i]), i);
        CHECK_TEXT(cpu_kind_name(&kinds, i, name), names[i]);
    }
}

static void test_names(void)
{
    const struct cpu_kind stacked[] = {made(CORE_NOT_STATED, MIB, 96 * MIB),
                                       made(CORE_NOT_STATED, MIB, 32 * MIB)};
    const struct cpu_kind three[] = {made(CORE_PERFORMANCE, 2 * MIB, 24 * MIB),
                                     made(CORE_EFFICIENT, 2 * MIB, 24 * MIB),
                                     made(CORE_EFFICIENT, 2 * MIB, 0)};
    const struct cpu_kind both[] = {made(CORE_PERFORMANCE, 2 * MIB, 16 * MIB),
                                    made(CORE_PERFORMANCE, 1280 * 1024, 16 * MIB),
                                    made(CORE_PERFORMANCE, MIB, 8 * MIB)};
    struct cpu_kind models[] = {made(CORE_EFFICIENT, MIB, MIB), made(CORE_EFFICIENT, MIB, MIB)};
    static const char *const stacked_names[] = {"L3-96M", "L3-32M"};
    static const char *const three_names[] = {"P", "E", "LP-E"};
    static const char *const both_names[] = {"P-L3-16M-L2-2M", "P-L3-16M-L2-1280K", "P-L3-8M"};
    static const char *const model_names[] = {"E-kind-0", "E-kind-1"};

    models[0].native_model = 2;
    check_names(stacked, 2, stacked_names);
    check_names(three, 3, three_names);
    check_names(models, 2, model_names);
    check_names(both, 3, both_names);
}

/* Sharing is no part of a kind: half of a package may be switched off. */
static void test_equal(void)
{
    struct cpu_kind a = made(CORE_NOT_STATED, MIB, MIB);
    struct cpu_kind b = a;

    b.cache[2].shared_by = 3;
    CHECK(cpu_kind_equal(&a, &b));
    b.cache[2].ways = 3;
    CHECK(!cpu_kind_equal(&a, &b));
    b = a;
    b.native_model = 1;
    CHECK(!cpu_kind_equal(&a, &b));
    b = a;
    b.cache_count = 2;
    CHECK(!cpu_kind_equal(&a, &b));
}

static void test_amd_unlike(void)
{
    struct leaf table[] = {
        AMD(0x10),
        {0x80000000, 0, {0x80000026, 0, 0, 0}},
        {0x80000026, 0, {1u << 30 | 1, 1u << 28 | 1u << 24 | 2, 0x100, 0}},
    };
    struct cpu_kind kind = read_kind(table, COUNT(table));

    CHECK_EQUAL(kind.class, CORE_EFFICIENT);
    CHECK_EQUAL(kind.native_model, 1);
    table[2].result.ebx = 2;
    kind = read_kind(table, COUNT(table));
    CHECK_EQUAL(kind.class, CORE_PERFORMANCE);
    table[2].result.eax = 1;
    kind = read_kind(table, COUNT(table));
    CHECK_EQUAL(kind.class, CORE_NOT_STATED);
}

static void test_too_many(void)
{
    struct cpu_kinds kinds = {0};

    for (uint32_t i = 0; i < CPU_KINDS_MAX; i++) {
        const struct cpu_kind kind = {.native_model = i};

        CHECK(cpu_kinds_add(&kinds, &kind));
    }
    const struct cpu_kind one_more = {.native_model = CPU_KINDS_MAX};

    CHECK(!cpu_kinds_add(&kinds, &one_more));
    CHECK_EQUAL(cpu_kinds_find(&kinds, &one_more), CPU_KINDS_MAX);
}

int main(void)
{
    RUN(test_old_leaves());
    RUN(test_old_leaves_are_last());
    RUN(test_old_leaves_of_via());
    RUN(test_switched_off());
    RUN(test_hybrid());
    RUN(test_names());
    RUN(test_equal());
    RUN(test_amd_unlike());
    RUN(test_too_many());
    return unit_finish("unit_kind");
}
