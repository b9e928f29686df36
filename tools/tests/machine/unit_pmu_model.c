/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The PMU models by themselves, register by register: what the driver is tested against has to be
 * right, and strict, first.
 */
#include "tools/tests/machine/pmu_model.h"
#include "tools/tests/support/unit.h"

#define OS     (1ull << 17)
#define USER   (1ull << 16)
#define ENABLE (1ull << 22)
#define BITS40 ((1ull << 40) - 1)
#define BITS48 ((1ull << 48) - 1)

static struct pmu_model model;

static uint64_t read_msr(uint32_t index)
{
    uint64_t value = 0;

    CHECK(pmu_model_rdmsr(&model, index, &value));
    return value;
}

static bool read_faults(uint32_t index)
{
    uint64_t value;

    return !pmu_model_rdmsr(&model, index, &value);
}

static bool write_msr(uint32_t index, uint64_t value)
{
    return pmu_model_wrmsr(&model, index, value);
}

static uint64_t rdpmc(uint32_t index)
{
    uint64_t value = 0;

    CHECK(pmu_model_rdpmc(&model, index, &value));
    return value;
}

static bool rdpmc_faults(uint32_t index)
{
    uint64_t value;

    return !pmu_model_rdpmc(&model, index, &value);
}

/* 10 instructions: 3 that load, 2 that store, one of them both, 1 branch. */
static void run_ten(void)
{
    static const struct instruction_facts facts[10] = {
        [0] = {.loads = true},
        [1] = {.loads = true, .stores = true},
        [2] = {.loads = true, .branch = true},
        [3] = {.stores = true},
    };

    for (int i = 0; i < 10; i++) {
        pmu_model_retire(&model, facts[i]);
    }
}

static void test_totals(void)
{
    pmu_model_init(&model, MACHINE_P6);
    run_ten();
    CHECK_EQUAL(model.total[QUANTITY_INSTRUCTIONS], 10);
    CHECK_EQUAL(model.total[QUANTITY_CYCLES], 10);
    CHECK_EQUAL(model.total[QUANTITY_LOADS], 3);
    CHECK_EQUAL(model.total[QUANTITY_STORES], 2);
    CHECK_EQUAL(model.total[QUANTITY_ACCESSES], 5);
    CHECK_EQUAL(model.total[QUANTITY_BRANCHES], 1);
    CHECK_EQUAL(model.total[QUANTITY_NONE], 0);
}

/* ---- P5 ---- */

static void test_p5(void)
{
    const uint64_t instructions = 3u << 6 | 0x16;
    const uint64_t clocks = 7u << 6;

    pmu_model_init(&model, MACHINE_P5);
    CHECK(write_msr(0x11, instructions | clocks << 16));
    CHECK_EQUAL(read_msr(0x11), instructions | clocks << 16);
    run_ten();
    CHECK_EQUAL(read_msr(0x12), 10);
    CHECK_EQUAL(read_msr(0x13), 10);
    CHECK(write_msr(0x11, (3u << 6) | (1u << 6 | 1) << 16)); /* loads; stores, rings 0 to 2 */
    run_ten();
    CHECK_EQUAL(rdpmc(0), 13);
    CHECK_EQUAL(rdpmc(1), 12);
    CHECK(write_msr(0x11, (2u << 6 | 0x16) | (6u << 6) << 16)); /* ring 3 only */
    run_ten();
    CHECK_EQUAL(rdpmc(0), 13);
    CHECK_EQUAL(rdpmc(1), 12);
    CHECK(!write_msr(0x11, 1u << 10));
    CHECK(!write_msr(0x11, 1ull << 32));
    CHECK(write_msr(0x12, UINT64_MAX));
    CHECK_EQUAL(read_msr(0x12), BITS40);
    CHECK(rdpmc_faults(2));
    CHECK(read_faults(0xc1));
    CHECK(read_faults(0x186));
    CHECK(read_faults(0x34));
}

/* ---- P6 ---- */

static void test_p6(void)
{
    pmu_model_init(&model, MACHINE_P6);
    CHECK(write_msr(0x187, OS | 0xc4));
    run_ten();
    CHECK_EQUAL(read_msr(0xc2), 0);
    CHECK(write_msr(0x186, ENABLE | OS | 0x43));
    run_ten();
    CHECK_EQUAL(read_msr(0xc1), 5);
    CHECK_EQUAL(read_msr(0xc2), 1);
    CHECK(!write_msr(0x187, ENABLE | OS | 0xc0));
    CHECK(!write_msr(0x186, 1ull << 21));
    CHECK(!write_msr(0x186, 1ull << 32));
    CHECK(write_msr(0x186, 0));
    run_ten();
    CHECK_EQUAL(read_msr(0xc1), 5);
    CHECK_EQUAL(read_msr(0xc2), 1);
    CHECK(write_msr(0xc1, 0x80000000)); /* 32 bits, sign-extended */
    CHECK_EQUAL(read_msr(0xc1), 0xff80000000);
    CHECK(write_msr(0xc1, 0x7fffffff));
    CHECK_EQUAL(read_msr(0xc1), 0x7fffffff);
    CHECK(read_faults(0x188));
    CHECK(read_faults(0x38f));
    CHECK(read_faults(0x38d));
    CHECK(rdpmc_faults(1u << 30));
}

/* ---- Intel ---- */

static void test_intel_without_global_control(void)
{
    pmu_model_init(&model, MACHINE_INTEL_V1);
    CHECK(write_msr(0x187, ENABLE | OS | 0xc0));
    run_ten();
    CHECK_EQUAL(read_msr(0xc2), 10);
    CHECK(read_faults(0x38f));
    CHECK(!write_msr(0x38f, 0));
    CHECK(read_faults(0x38d));
    CHECK(read_faults(0x309));
    CHECK(!write_msr(0x187, ENABLE | OS | 1ull << 21 | 0xc0));
}

static void test_intel_global_control(void)
{
    pmu_model_init(&model, MACHINE_INTEL_V3);
    CHECK_EQUAL(read_msr(0x38f), 0xf);
    CHECK(write_msr(0x38f, 0));
    CHECK(write_msr(0x186, ENABLE | OS | USER | 0xc0));
    CHECK(write_msr(0x187, ENABLE | OS | 0x0b | 0x01 << 8));
    CHECK(write_msr(0x38d, 0x3));
    run_ten();
    CHECK_EQUAL(read_msr(0xc1), 0);
    CHECK_EQUAL(read_msr(0x309), 0);
    CHECK(write_msr(0x38f, 1ull << 32 | 3));
    run_ten();
    CHECK_EQUAL(read_msr(0xc1), 10);
    CHECK_EQUAL(read_msr(0xc2), 3);
    CHECK_EQUAL(read_msr(0x309), 10);
    CHECK_EQUAL(rdpmc(1u << 30), 10);
    CHECK(!write_msr(0x38f, 1ull << 4));
    CHECK(!write_msr(0x38f, 1ull << 35));
    CHECK(!write_msr(0x38e, 0));
    CHECK(read_faults(0x391));
    CHECK(read_faults(0x392));
    CHECK(rdpmc_faults(4));
    CHECK(rdpmc_faults(1u << 30 | 3));
    CHECK(write_msr(0x186, ENABLE | USER | 0xc0)); /* ring 3 only */
    run_ten();
    CHECK_EQUAL(read_msr(0xc1), 10);
}

static void test_intel_reserved_bits(void)
{
    static const struct {
        enum pmu_machine machine;
        bool any, pin;
    } cases[] = {
        {MACHINE_INTEL_V1, false, true},  {MACHINE_INTEL_V2, false, true},
        {MACHINE_INTEL_V3, true, true},   {MACHINE_INTEL_V4, true, false},
        {MACHINE_INTEL_V5, false, false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pmu_model_init(&model, cases[i].machine);
        CHECK_EQUAL(write_msr(0x186, 1ull << 21), cases[i].any);
        CHECK_EQUAL(write_msr(0x186, 1ull << 19), cases[i].pin);
        CHECK(!write_msr(0x186, 1ull << 32));
        CHECK_EQUAL(write_msr(0x38d, 4), cases[i].any);
        CHECK(!write_msr(0x38d, 1ull << 20));
        CHECK(write_msr(0x186, 0xff84ffff & ~(1ull << 19)));
    }
}

static void test_intel_full_width(void)
{
    pmu_model_init(&model, MACHINE_INTEL_V2);
    CHECK(read_faults(0x4c1));
    CHECK(!write_msr(0x4c1, 0));
    CHECK_EQUAL(read_msr(0x345), 0);
    pmu_model_init(&model, MACHINE_INTEL_V4);
    CHECK_EQUAL(read_msr(0x345), 0x3000);
    CHECK(write_msr(0x4c1, 0x812345678901));
    CHECK_EQUAL(read_msr(0x4c1), 0x812345678901);
    CHECK_EQUAL(read_msr(0xc1), 0x812345678901);
    CHECK(!write_msr(0x4c1, 1ull << 48));
    CHECK(write_msr(0xc1, 0x8000000000000001));
    CHECK_EQUAL(read_msr(0xc1), 1);
    CHECK(write_msr(0x309, BITS48));
    CHECK(!write_msr(0x309, 1ull << 48));
    CHECK(read_faults(0x4c9));
    model.no_full_width = true;
    CHECK(!write_msr(0x4c1, 0));
}

static void test_intel_overflow(void)
{
    pmu_model_init(&model, MACHINE_INTEL_V4);
    CHECK(write_msr(0x187, ENABLE | OS | 0xc0));
    CHECK(write_msr(0x38d, 0x30));
    CHECK(write_msr(0x4c2, BITS48 - 4));
    CHECK(write_msr(0x30a, BITS48 - 9));
    CHECK(write_msr(0x38f, 2 | 1ull << 33));
    run_ten();
    CHECK_EQUAL(read_msr(0x38e), 2 | 1ull << 33);
    CHECK_EQUAL(read_msr(0xc2), 5);
    CHECK_EQUAL(read_msr(0x30a), 0);
    CHECK_EQUAL(read_msr(0x392), 2 | 1ull << 33);
    CHECK(write_msr(0x390, 2));
    CHECK_EQUAL(read_msr(0x38e), 1ull << 33);
    CHECK(!write_msr(0x390, 1ull << 8));
    CHECK(write_msr(0x391, 1));
    CHECK_EQUAL(read_msr(0x38e), 1ull << 33 | 1);
    CHECK_EQUAL(model.interrupts, 0);
    CHECK(write_msr(0x187, ENABLE | OS | 1ull << 20 | 0xc0));
    CHECK(write_msr(0x4c2, BITS48));
    run_ten();
    CHECK_EQUAL(read_msr(0xc2), 9);
    CHECK_EQUAL(model.interrupts, 1);
    CHECK_EQUAL(read_msr(0x392), 2 | 1ull << 33 | 1ull << 63);
}

static void test_intel_freeze(void)
{
    pmu_model_init(&model, MACHINE_INTEL_V3);
    CHECK(!write_msr(0x1d9, 1ull << 14));
    pmu_model_init(&model, MACHINE_INTEL_V5);
    CHECK(write_msr(0x186, ENABLE | OS | 0xc0));
    pmu_model_smi(&model, 100);
    CHECK_EQUAL(read_msr(0xc1), 100);
    CHECK(write_msr(0x1d9, 1ull << 14));
    pmu_model_smi(&model, 100);
    CHECK_EQUAL(read_msr(0xc1), 100);
    CHECK_EQUAL(read_msr(0x34), 2);
    CHECK(!write_msr(0x34, 0));
    CHECK(!write_msr(0x1d9, 1ull << 20));
}

/* Each generation has its own code for loads; those of others are not modelled, and stay 0. */
static void test_events(void)
{
    static const struct {
        enum pmu_machine machine;
        uint32_t select, counter;
        uint64_t event;
        uint64_t count;
    } cases[] = {
        {MACHINE_INTEL_V2, 0x186, 0xc1, 0x01c0, 3},
        {MACHINE_INTEL_V2, 0x186, 0xc1, 0x02c0, 2},
        {MACHINE_INTEL_V2, 0x186, 0xc1, 0x81d0, 0},
        {MACHINE_INTEL_V3, 0x186, 0xc1, 0x020b, 2},
        {MACHINE_INTEL_V4, 0x186, 0xc1, 0x81d0, 3},
        {MACHINE_INTEL_V4, 0x186, 0xc1, 0x82d0, 2},
        {MACHINE_INTEL_V4, 0x186, 0xc1, 0x013c, 10},
        {MACHINE_INTEL_V4, 0x186, 0xc1, 0x00c4, 1},
        {MACHINE_INTEL_V4, 0x186, 0xc1, 0x00c5, 0},
        {MACHINE_INTEL_V4, 0x186, 0xc1, 0x10000c0, 0}, /* count mask */
        {MACHINE_INTEL_V4, 0x186, 0xc1, 0x400c0, 0},   /* edge */
        {MACHINE_AMD_K7, 0xc0010000, 0xc0010004, 0x40, 5},
        {MACHINE_AMD_CORE, 0xc0010200, 0xc0010201, 0x40, 0},
        {MACHINE_AMD_CORE, 0xc0010200, 0xc0010201, 0x0529, 3},
        {MACHINE_AMD_CORE, 0xc0010200, 0xc0010201, 0x0629, 2},
        {MACHINE_AMD_CORE, 0xc0010200, 0xc0010201, 0xc2, 1},
        {MACHINE_AMD_CORE, 0xc0010200, 0xc0010201, 0x76, 10},
        {MACHINE_AMD_CORE, 0xc0010200, 0xc0010201, 1ull << 32 | 0xc0, 0},
        {MACHINE_AMD_CORE, 0xc0010200, 0xc0010201, 1ull << 40 | 0xc0, 0}, /* guest only */
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pmu_model_init(&model, cases[i].machine);
        CHECK(write_msr(cases[i].select, ENABLE | OS | cases[i].event));
        run_ten();
        CHECK_EQUAL(read_msr(cases[i].counter), cases[i].count);
    }
}

/* ---- AMD ---- */

static void test_amd_k7(void)
{
    pmu_model_init(&model, MACHINE_AMD_K7);
    CHECK(write_msr(0xc0010003, ENABLE | OS | 0xc0));
    run_ten();
    CHECK_EQUAL(read_msr(0xc0010007), 10);
    CHECK_EQUAL(rdpmc(3), 10);
    CHECK(rdpmc_faults(4));
    CHECK(read_faults(0xc0010200));
    CHECK(read_faults(0xc0000301));
    CHECK(!write_msr(0xc0010000, 1ull << 21));
    CHECK(!write_msr(0xc0010000, 1ull << 36));
    CHECK(write_msr(0xc0010007, UINT64_MAX));
    CHECK_EQUAL(read_msr(0xc0010007), BITS48);
}

static void test_amd_core(void)
{
    pmu_model_init(&model, MACHINE_AMD_CORE);
    CHECK(write_msr(0xc0010206, ENABLE | OS | 0xc0));
    CHECK_EQUAL(read_msr(0xc0010003), ENABLE | OS | 0xc0);
    run_ten();
    CHECK_EQUAL(read_msr(0xc0010207), 10);
    CHECK_EQUAL(read_msr(0xc0010007), 10);
    CHECK(write_msr(0xc0010007, 500));
    CHECK_EQUAL(read_msr(0xc0010207), 500);
    CHECK(write_msr(0xc001020a, ENABLE | OS | 0x2b));
    pmu_model_smi(&model, 0);
    CHECK_EQUAL(read_msr(0xc001020b), 1);
    CHECK(read_faults(0xc001020c));
    CHECK(read_faults(0xc0000301));
    CHECK(rdpmc_faults(6));
    CHECK(read_faults(0x34));
}

static void test_amd_v2(void)
{
    pmu_model_init(&model, MACHINE_AMD_V2);
    CHECK(write_msr(0xc0010200, ENABLE | OS | 0xc0));
    run_ten();
    CHECK_EQUAL(read_msr(0xc0010201), 0);
    CHECK(write_msr(0xc0000301, 1));
    CHECK(write_msr(0xc0010201, BITS48 - 4));
    run_ten();
    CHECK_EQUAL(read_msr(0xc0010201), 5);
    CHECK_EQUAL(read_msr(0xc0000300), 1);
    CHECK(!write_msr(0xc0000300, 0));
    CHECK(write_msr(0xc0000302, 1));
    CHECK_EQUAL(read_msr(0xc0000300), 0);
    CHECK(!write_msr(0xc0000301, 1u << 6));
    CHECK(!write_msr(0xc0000302, 1u << 6));
}

/* ---- defects ---- */

static void test_defects(void)
{
    pmu_model_init(&model, MACHINE_AMD_CORE);
    model.counter[0].dead = true;
    model.counter[1].forgets = true;
    model.counter[2].wrong = true;
    model.counter[3].short_writes = true;
    model.counter[4].no_rdpmc = true;
    model.counter[5].faults = true;
    for (uint32_t i = 0; i < 5; i++) {
        CHECK(write_msr(0xc0010200 + 2 * i, ENABLE | OS | 0xc0));
    }
    CHECK(!write_msr(0xc001020a, 0));
    CHECK(read_faults(0xc001020b));
    CHECK(rdpmc_faults(5));
    CHECK(write_msr(0xc0010207, 0xfffffffff));
    run_ten();
    CHECK_EQUAL(read_msr(0xc0010201), 0);
    CHECK_EQUAL(read_msr(0xc0010202), 0);
    CHECK_EQUAL(read_msr(0xc0010203), 0);
    CHECK_EQUAL(read_msr(0xc0010205), 20);
    CHECK_EQUAL(read_msr(0xc0010207), 9);
    CHECK_EQUAL(read_msr(0xc0010209), 10);
    CHECK(rdpmc_faults(4));
    CHECK(write_msr(0xc0010201, 7));
    CHECK_EQUAL(read_msr(0xc0010201), 7);
    model.reserved_select = 1ull << 23;
    CHECK(!write_msr(0xc0010200, ENABLE | OS | 1ull << 23 | 0xc0));
    model.no_registers = true;
    CHECK(read_faults(0xc0010200));
    CHECK(rdpmc_faults(0));
}

static void test_busy(void)
{
    pmu_model_init(&model, MACHINE_INTEL_V4);
    pmu_model_make_busy(&model, 2);
    run_ten();
    CHECK_EQUAL(read_msr(0xc3), 10);
    CHECK(write_msr(0x188, 0));
    CHECK(write_msr(0x38f, 0));
    run_ten();
    CHECK_EQUAL(read_msr(0xc3), 20);
    CHECK_EQUAL(read_msr(0x188), 0);
}

static void test_left_running(void)
{
    for (int i = 0; i < MACHINE_COUNT; i++) {
        pmu_model_init(&model, (enum pmu_machine)i);
        pmu_model_leave_running(&model, 1, 1000);
        run_ten();
        CHECK_EQUAL(pmu_model_value(&model, 1), 1010);
        CHECK_EQUAL(pmu_model_value(&model, 0), 0);
    }
}

/* ---- readings, CPUID ---- */

static struct pmu_reading readings[4];
static size_t reading_count;

static void keep_reading(void *context, const struct pmu_reading *reading)
{
    CHECK(context == &model);
    readings[reading_count++ % 4] = *reading;
}

static void test_readings(void)
{
    pmu_model_init(&model, MACHINE_INTEL_V4);
    run_ten();
    CHECK(write_msr(0x186, ENABLE | OS | 0x81d0));
    model.on_reading = keep_reading;
    model.context = &model;
    model.tag = 77;
    run_ten();
    CHECK_EQUAL(rdpmc(0), 3);
    CHECK_EQUAL(read_msr(0xc1), 3);
    CHECK_EQUAL(read_msr(0x34), 0);
    CHECK(rdpmc_faults(8));
    CHECK_EQUAL(reading_count, 3);
    CHECK(readings[0].by_rdpmc && !readings[1].by_rdpmc);
    CHECK_EQUAL(readings[0].counter, 0);
    CHECK_EQUAL(readings[0].quantity, QUANTITY_LOADS);
    CHECK_EQUAL(readings[0].value, 3);
    CHECK_EQUAL(readings[0].truth, 6); /* of all 20 instructions */
    CHECK_EQUAL(readings[0].tag, 77);
    CHECK_EQUAL(readings[2].counter, MODEL_SMI_COUNTER);
}

static void test_aperf(void)
{
    pmu_model_init(&model, MACHINE_INTEL_V4);
    CHECK_EQUAL(pmu_model_cpuid(&model, 6, 0).ecx, 1);
    CHECK(write_msr(0xe7, 100));
    run_ten();
    CHECK_EQUAL(read_msr(0xe7), 110);
    CHECK_EQUAL(read_msr(0xe8), 10);
    pmu_model_init(&model, MACHINE_INTEL_V1);
    CHECK_EQUAL(pmu_model_cpuid(&model, 6, 0).ecx, 0);
    CHECK(read_faults(0xe7));
}

static void test_cpuid(void)
{
    pmu_model_init(&model, MACHINE_INTEL_V4);
    CHECK_EQUAL(pmu_model_cpuid(&model, 0x0a, 0).eax, 0x07300804);
    CHECK_EQUAL(pmu_model_cpuid(&model, 0x0a, 0).edx, 0x603);
    CHECK_EQUAL(pmu_model_cpuid(&model, 1, 0).eax, 0x506e2);
    CHECK_EQUAL(pmu_model_cpuid(&model, 0x80000022, 0).eax,
                pmu_model_cpuid(&model, 0x16, 0).eax); /* the highest basic leaf */
    pmu_model_init(&model, MACHINE_INTEL_V5);
    CHECK_EQUAL(pmu_model_cpuid(&model, 0x0a, 0).edx, 0x8604);
    CHECK_EQUAL(pmu_model_cpuid(&model, 0x0a, 0).ecx, 0xf);
    pmu_model_init(&model, MACHINE_P6);
    CHECK_EQUAL(pmu_model_cpuid(&model, 0x0a, 0).eax & 255, 0);
    model.garbage_leaves = true;
    CHECK_EQUAL(pmu_model_cpuid(&model, 0x0a, 0).eax & 255, 5);
    CHECK_EQUAL(pmu_model_cpuid(&model, 0x80000022, 0).eax & 1, 1);
    pmu_model_init(&model, MACHINE_AMD_V2);
    CHECK_EQUAL(pmu_model_cpuid(&model, 1, 0).eax, 0xa10f12);
    CHECK_EQUAL(pmu_model_cpuid(&model, 0x80000022, 0).eax, 1);
    CHECK_EQUAL(pmu_model_cpuid(&model, 0x80000022, 0).ebx, 6);
    CHECK_EQUAL(pmu_model_cpuid(&model, 0x80000001, 0).ecx >> 23 & 1, 1);
    CHECK_EQUAL(pmu_model_cpuid(&model, 0x80000029, 0).eax, 0);
    pmu_model_init(&model, MACHINE_AMD_CORE);
    CHECK_EQUAL(pmu_model_cpuid(&model, 0x80000022, 0).eax, 0);
    pmu_model_init(&model, MACHINE_AMD_K7);
    CHECK_EQUAL(pmu_model_cpuid(&model, 0x80000001, 0).ecx >> 23 & 1, 0);
    CHECK_EQUAL(pmu_model_cpuid(&model, 1, 0).eax, 0x100f22);
}

int main(void)
{
    RUN(test_totals());
    RUN(test_p5());
    RUN(test_p6());
    RUN(test_intel_without_global_control());
    RUN(test_intel_global_control());
    RUN(test_intel_reserved_bits());
    RUN(test_intel_full_width());
    RUN(test_intel_overflow());
    RUN(test_intel_freeze());
    RUN(test_events());
    RUN(test_amd_k7());
    RUN(test_amd_core());
    RUN(test_amd_v2());
    RUN(test_defects());
    RUN(test_busy());
    RUN(test_left_running());
    RUN(test_readings());
    RUN(test_aperf());
    RUN(test_cpuid());
    return unit_finish("unit_pmu_model");
}
