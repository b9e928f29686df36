/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/qemu/plugin/tlb.h"

#include "tools/tests/support/unit.h"

static unsigned misses(struct tlb *tlb, uint64_t first, uint64_t count, uint64_t step)
{
    unsigned sum = 0;

    for (uint64_t i = 0; i < count; i++) {
        sum += tlb_misses(tlb, first + i * step);
    }
    return sum;
}

/* As many pages in turn as there are entries stay; one more than the ways of a set goes round. */
static void test_capacity(void)
{
    struct tlb tlb;

    tlb_init(&tlb, TLB_DATA_ENTRIES);
    CHECK_EQUAL(misses(&tlb, 0, TLB_DATA_ENTRIES, 1), TLB_DATA_ENTRIES);
    CHECK_EQUAL(misses(&tlb, 0, TLB_DATA_ENTRIES, 1), 0);
    tlb_init(&tlb, TLB_CODE_ENTRIES);
    CHECK_EQUAL(misses(&tlb, 0, TLB_DATA_ENTRIES, 1), TLB_DATA_ENTRIES);
    CHECK_EQUAL(misses(&tlb, 0, TLB_DATA_ENTRIES, 1), TLB_DATA_ENTRIES);
}

static void test_ways(void)
{
    const uint64_t step = TLB_DATA_ENTRIES / TLB_WAYS;
    struct tlb tlb;

    tlb_init(&tlb, TLB_DATA_ENTRIES);
    CHECK_EQUAL(misses(&tlb, 3, TLB_WAYS, step), TLB_WAYS);
    CHECK_EQUAL(misses(&tlb, 3, TLB_WAYS, step), 0);
    CHECK_EQUAL(misses(&tlb, 3, TLB_WAYS + 1, step), 1);
    /* The page that was used least recently, the first, had to go; the second goes for it. */
    CHECK(tlb_misses(&tlb, 3));
    CHECK(!tlb_misses(&tlb, 3 + 2 * step));
    CHECK(tlb_misses(&tlb, 3 + step));
}

static void test_emptied(void)
{
    struct tlb tlb;

    tlb_init(&tlb, TLB_DATA_ENTRIES);
    CHECK(tlb_misses(&tlb, 0));
    CHECK(!tlb_misses(&tlb, 0));
    tlb_empty(&tlb);
    CHECK(tlb_misses(&tlb, 0));
}

int main(void)
{
    RUN(test_capacity());
    RUN(test_ways());
    RUN(test_emptied());
    return unit_finish("unit_tlb");
}
