/* SPDX-License-Identifier: BSD-2-Clause */
/* Hints of MWAIT by what CPUID reports. */
#include "kernel/cpu/cpuid.h"

#include "tools/tests/support/unit.h"

static uint32_t feature_ecx, states_ecx, states_edx;

static struct cpuid_result port(uint32_t leaf, uint32_t subleaf)
{
    (void)subleaf;
    if (leaf == 1) {
        return (struct cpuid_result){.ecx = feature_ecx};
    }
    return (struct cpuid_result){0xffff0040, 0x80, states_ecx, states_edx};
}

static struct mwait_facts find(uint32_t max, uint32_t ecx, uint32_t extensions, uint32_t states)
{
    const struct cpu_identity identity = {.max_basic = max};
    struct mwait_facts facts;

    feature_ecx = ecx;
    states_ecx = extensions;
    states_edx = states;
    mwait_find(port, &identity, &facts);
    return facts;
}

static void test_absent(void)
{
    CHECK(!find(5, 0, 3, 0x11).offered);
    CHECK(!find(4, 8, 3, 0x11).offered);
    CHECK_EQUAL(find(5, 0, 3, 0x11).hint_count, 0);
}

/* Without a list of states there is hint 0. */
static void test_plain(void)
{
    struct mwait_facts facts = find(5, 8, 3, 0);

    CHECK(facts.offered && !facts.by_hint && facts.wakes_masked);
    CHECK_EQUAL(facts.smallest, 64);
    CHECK_EQUAL(facts.largest, 128);
    CHECK_EQUAL(facts.hint_count, 1);
    CHECK_EQUAL(facts.hint[0], 0);
    facts = find(5, 8, 0, 0x1120);
    CHECK(!facts.by_hint && !facts.wakes_masked && facts.hint_count == 1);
}

static void test_hints(void)
{
    /* As a Skylake: C1 two, C2 to C4 and so on. */
    static const uint8_t expected[] = {0x00, 0x01, 0x10, 0x20, 0x21, 0x60};
    const struct mwait_facts facts = find(22, 8, 3, 0x10002120);

    CHECK(facts.by_hint);
    CHECK_EQUAL(facts.hint_count, sizeof(expected));
    for (size_t i = 0; i < sizeof(expected); i++) {
        CHECK_EQUAL(facts.hint[i], expected[i]);
    }
    /* C0 has hint F0h; of fifteen sub-states four are kept. */
    CHECK_EQUAL(find(5, 8, 1, 1).hint[0], 0xf0);
    CHECK_EQUAL(find(5, 8, 1, 0xffffffff).hint_count, MWAIT_HINTS_MAX);
}

int main(void)
{
    RUN(test_absent());
    RUN(test_plain());
    RUN(test_hints());
    return unit_finish("unit_mwait");
}
