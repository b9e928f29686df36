/* SPDX-License-Identifier: BSD-2-Clause */
/* What is believed of CPUID: kernel/cpu/cpuid.h, on tables that answer as real and lying processors
 * do. */
#include "kernel/cpu/cpuid.h"

#include "kernel/cpu/names.h"
#include "tools/tests/support/unit.h"

struct leaf {
    uint32_t leaf;
    struct cpuid_result result;
};

static const struct leaf *table;
static size_t table_size;
static struct cpuid_result beyond; /* what any other leaf answers */

static struct cpuid_result lookup(uint32_t leaf, uint32_t subleaf)
{
    (void)subleaf;
    for (size_t i = 0; i < table_size; i++) {
        if (table[i].leaf == leaf) {
            return table[i].result;
        }
    }
    return beyond;
}

static struct cpu_identity identify(const struct leaf *leaves, size_t count)
{
    struct cpu_identity identity;

    table = leaves;
    table_size = count;
    cpu_identify(lookup, &identity);
    return identity;
}

#define IDENTIFY(leaves) identify(leaves, sizeof(leaves) / sizeof((leaves)[0]))

static void test_intel(void)
{
    static const struct leaf leaves[] = {
        {0, {0x16, 0x756e6547, 0x6c65746e, 0x49656e69}},
        {1, {0x000906ed, 0, 1u << 17 | 1u << 21 | 1u << 24, 0}},
        {7, {0, 1u << 5, 0, 0}},
        {0x15, {2, 216, 24000000, 0}},
        {0x16, {2600, 5000, 100, 0}},
        {0x80000000, {0x80000008, 0, 0, 0}},
        {0x80000001, {0, 0, 0, 1u << 20 | 1u << 26 | 1u << 27}},
        {0x80000002, {0x20202020, 0x74736554, 0x55504320, 0x00000000}},
        {0x80000003, {0, 0, 0, 0}},
        {0x80000004, {0, 0, 0, 0}},
        {0x80000007, {0, 0, 0, 1u << 8}},
        {0x80000008, {0x3027, 0, 0, 0}},
    };
    const struct cpu_identity cpu = IDENTIFY(leaves);

    CHECK_TEXT(cpu.vendor, "GenuineIntel");
    CHECK_TEXT(cpu.brand, "Test CPU");
    CHECK_EQUAL(cpu.family, 6);
    CHECK_EQUAL(cpu.model, 0x9e);
    CHECK_EQUAL(cpu.stepping, 13);
    CHECK(cpu.x2apic && cpu.tsc_deadline && cpu.nx && cpu.pages_1gib && cpu.rdtscp);
    CHECK(cpu.invariant_tsc && cpu.pcid && cpu.avx2 && !cpu.avx512f);
    CHECK_EQUAL(cpu.physical_bits, 39);
    CHECK_EQUAL(cpu.tsc_hz_leaf15, 2592000000);
    CHECK_EQUAL(cpu.tsc_hz_leaf16, 2600000000);
    CHECK(!cpu.hypervisor_bit);
    CHECK_TEXT(cpu.hypervisor, "");
    CHECK_EQUAL(cpu.tsc_hz_virtual, 0);
}

/* No processor of 64 bits has fewer than 32 bits of physical address. */
static void test_widths(void)
{
    static const uint8_t reported[] = {0, 1, 31, 32, 36, 46, 52};
    static const uint8_t believed[] = {36, 36, 36, 32, 36, 46, 52};

    for (size_t i = 0; i < sizeof(reported); i++) {
        const struct leaf leaves[] = {
            {0x80000000, {0x80000008, 0, 0, 0}},
            {0x80000008, {0x3000u | reported[i], 0, 0, 0}},
        };

        CHECK_EQUAL(IDENTIFY(leaves).physical_bits, believed[i]);
    }
}

/* Leaves above the maximum answer with other data, as on Intel silicon, QEMU and Bochs: none of it
 * may be taken for a frequency or a feature. */
static void test_beyond_maximum(void)
{
    static const struct leaf leaves[] = {
        {0, {0x0d, 0x68747541, 0x444d4163, 0x69746e65}},
        {1, {0x00000f61, 0, 0, 0}},
        {0x80000000, {0x80000004, 0, 0, 0}},
    };

    beyond = (struct cpuid_result){0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff};
    const struct cpu_identity cpu = IDENTIFY(leaves);

    beyond = (struct cpuid_result){0};
    CHECK_EQUAL(cpu.tsc_hz_leaf15, 0);
    CHECK_EQUAL(cpu.tsc_hz_leaf16, 0);
    CHECK_EQUAL(cpu.tsc_hz_virtual, 0);
    CHECK(!cpu.invariant_tsc);
    CHECK_EQUAL(cpu.physical_bits, 36);
    CHECK_TEXT(cpu.vendor, "AuthenticAMD");
    CHECK_EQUAL(cpu.family, 15);
    CHECK_EQUAL(cpu.model, 6);
}

static void test_hypervisor(void)
{
    static const struct leaf leaves[] = {
        {0, {1, 0x756e6547, 0x6c65746e, 0x49656e69}},
        {1, {0x000306c3, 0, 1u << 31, 0}},
        {0x40000000, {0x40000010, 0x4b4d564b, 0x564b4d56, 0x0000004d}},
        {0x40000010, {2400000, 1000000, 0, 0}},
        {0x80000000, {0x80000000, 0, 0, 0}},
    };
    /* The bit is set but the leaf answers nonsense: no hypervisor leaves. */
    static const struct leaf nonsense[] = {
        {0, {1, 0, 0, 0}},
        {1, {0, 0, 1u << 31, 0}},
        {0x40000000, {0xffffffff, 0, 0, 0}},
    };
    const struct cpu_identity cpu = IDENTIFY(leaves);

    CHECK(cpu.hypervisor_bit);
    CHECK_TEXT(cpu.hypervisor, "KVMKVMKVM");
    CHECK_EQUAL(cpu.tsc_hz_virtual, 2400000000);
    CHECK_EQUAL(IDENTIFY(nonsense).max_hypervisor, 0);
    CHECK_EQUAL(IDENTIFY(nonsense).max_extended, 0);
}

/* Emulators of instructions by what they announce, and what announces none. */
static void test_emulator(void)
{
    CHECK_TEXT(cpu_emulator(HYPERVISOR_TCG, "Intel Core Processor (Skylake)"), "TCG");
    CHECK_TEXT(cpu_emulator("", "QEMU TCG CPU version 2.5+"), "TCG");
    CHECK(cpu_emulator("KVMKVMKVM", "QEMU Virtual CPU version 2.5+") == NULL);
    CHECK(cpu_emulator("", "") == NULL);
    CHECK(cpu_emulator("TCGTCGTCG", "QEMU") == NULL);
}

/* Skylake-class parts give the ratio and not the crystal. */
static void test_missing_crystal(void)
{
    static const struct leaf leaves[] = {
        {0, {0x15, 0, 0, 0}},
        {1, {0, 0, 0, 0}},
        {0x15, {2, 216, 0, 0}},
    };

    CHECK_EQUAL(IDENTIFY(leaves).tsc_hz_leaf15, 0);
}

int main(void)
{
    RUN(test_intel());
    RUN(test_beyond_maximum());
    RUN(test_widths());
    RUN(test_hypervisor());
    RUN(test_emulator());
    RUN(test_missing_crystal());
    return unit_finish("unit_cpuid");
}
