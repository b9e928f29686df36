/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/pmu/backend.h"

#include <stdio.h>
#include <string.h>

#include "kernel/cpu/msr.h"

enum {
    P5_CESR = 0x11,
    P5_COUNTER = 0x12,
    INTEL_COUNTER = 0xc1,
    INTEL_SELECT = 0x186,
    INTEL_FIXED = 0x309,
    INTEL_CAPABILITIES = 0x345,
    INTEL_FIXED_CONTROL = 0x38d,
    INTEL_GLOBAL_CONTROL = 0x38f,
    INTEL_OVERFLOW_CLEAR = 0x390,
    INTEL_FULL_WIDTH = 0x4c1,
    AMD_SELECT = 0xc0010000,
    AMD_COUNTER = 0xc0010004,
    AMD_CORE_SELECT = 0xc0010200,
    AMD_CORE_COUNTER = 0xc0010201,
    AMD_GLOBAL_CONTROL = 0xc0000301,
    AMD_STATUS_CLEAR = 0xc0000302,
};

#define RDPMC_FIXED             0x40000000u
#define GENERAL_MAX             16
#define FIXED_MAX               3 /* fixed counter 3 counts slots, which nothing here uses */
#define FIXED_GLOBAL_SHIFT      32
#define CAPABILITY_FREEZE_SMM   (1ull << 12)
#define CAPABILITY_FULL_WIDTH   (1ull << 13)
#define P5_COUNTERS             2
#define P6_COUNTERS             2
#define P6_LAST_MODEL           0x0d /* Pentium M; its successor has leaf 0Ah */
#define OLD_INTEL_WIDTH         40
#define AMD_WIDTH               48
#define AMD_K7_COUNTERS         4
#define AMD_CORE_COUNTERS       6 /* RDPMC 6 and up are counters of other units */
#define FIXED_ARCHITECTURAL_MIN 2 /* version from which there are fixed counters */

#define SELECT_USER     (1ull << 16)
#define SELECT_OS       (1ull << 17)
#define SELECT_EDGE     (1ull << 18)
#define SELECT_ENABLE   (1ull << 22)
#define SELECT_INVERT   (1ull << 23)
#define SELECT_CMASK    24
#define SELECT_AMD_HIGH 32 /* bits 11:8 of the event */
#define SELECT_BITS     64
#define FIXED_ALL_RINGS 3
#define FIXED_BITS      4

#define P5_EVENT_BITS  0x3f
#define P5_CLOCKS      0x100 /* lowest bit of field CC: count clocks while the event is true */
#define P5_ALL_RINGS   0xc0
#define P5_FIELD_BITS  10
#define P5_FIELD_SHIFT 16

static struct pmu_counter *add(struct pmu *pmu, enum pmu_counter_kind kind, unsigned index,
                               unsigned width)
{
    struct pmu_counter *counter = &pmu->counter[pmu->count++];

    *counter = (struct pmu_counter){
        .kind = kind,
        .index = (uint8_t)index,
        .width = (uint8_t)(width < 64 ? width : 64),
        .select_bits = SELECT_BITS,
        .rdpmc = index,
    };
    return counter;
}

static void refuse(struct pmu *pmu, const char *reason)
{
    pmu->backend = PMU_NONE;
    snprintf(pmu->reason, sizeof(pmu->reason), "%s", reason);
}

static void detect_p5(struct pmu *pmu)
{
    pmu->backend = PMU_P5;
    pmu->claimed_general = P5_COUNTERS;
    pmu->claimed_width = OLD_INTEL_WIDTH;
    for (unsigned i = 0; i < P5_COUNTERS; i++) {
        struct pmu_counter *counter = add(pmu, COUNTER_GENERAL, i, pmu->claimed_width);

        counter->select_msr = P5_CESR;
        counter->select_shift = (uint8_t)(P5_FIELD_SHIFT * i);
        counter->select_bits = P5_FIELD_BITS;
        counter->value_msr = P5_COUNTER + i;
    }
}

static void add_intel_general(struct pmu *pmu, unsigned count)
{
    for (unsigned i = 0; i < count && i < GENERAL_MAX; i++) {
        struct pmu_counter *counter = add(pmu, COUNTER_GENERAL, i, pmu->claimed_width);

        counter->select_msr = INTEL_SELECT + i;
        counter->value_msr = INTEL_COUNTER + i;
    }
}

static void detect_p6(struct pmu *pmu, struct pmu_registers *registers)
{
    pmu->backend = PMU_P6;
    pmu->claimed_general = P6_COUNTERS;
    pmu->claimed_width = OLD_INTEL_WIDTH;
    registers->shared_enable = true;
    add_intel_general(pmu, P6_COUNTERS);
}

static void add_intel_fixed(struct pmu *pmu, unsigned width, uint32_t bitmap)
{
    static const enum pmu_counter_kind kinds[FIXED_MAX] = {
        COUNTER_FIXED_INSTRUCTIONS, COUNTER_FIXED_CYCLES, COUNTER_FIXED_REF_CYCLES};

    for (unsigned i = 0; i < FIXED_MAX; i++) {
        if ((pmu->claimed_fixed > i) || (bitmap >> i & 1) != 0) {
            struct pmu_counter *counter = add(pmu, kinds[i], i, width);

            counter->select_msr = INTEL_FIXED_CONTROL;
            counter->select_shift = (uint8_t)(FIXED_BITS * i);
            counter->select_bits = FIXED_BITS;
            counter->value_msr = INTEL_FIXED + i;
            counter->rdpmc = RDPMC_FIXED + i;
        }
    }
}

static void read_intel_capabilities(const struct cpu_identity *identity, struct pmu *pmu,
                                    struct pmu_registers *registers)
{
    const bool offered = cpuid_leaf(cpuid_instruction, identity, 1, 0).ecx >> 15 & 1;
    uint64_t capabilities = 0;

    if (!offered || msr_read(INTEL_CAPABILITIES, &capabilities) != 0) {
        return;
    }
    pmu->full_width_writes = (capabilities & CAPABILITY_FULL_WIDTH) != 0;
    pmu->freeze_smm_offered = (capabilities & CAPABILITY_FREEZE_SMM) != 0;
    registers->full_width = pmu->full_width_writes ? INTEL_FULL_WIDTH : 0;
}

static void detect_intel(const struct cpu_identity *identity, const struct cpuid_result *leaf,
                         struct pmu *pmu, struct pmu_registers *registers)
{
    const unsigned events = leaf->eax >> 24;

    pmu->backend = PMU_INTEL;
    pmu->version = leaf->eax & 255;
    pmu->claimed_general = leaf->eax >> 8 & 255;
    pmu->claimed_width = leaf->eax >> 16 & 255;
    /* An event exists if its bit is clear and within the length (SDM 2, CPUID leaf 0Ah). */
    pmu->events_absent = events < 32 ? leaf->ebx | ~0u << events : leaf->ebx;
    if (pmu->version >= FIXED_ARCHITECTURAL_MIN) {
        pmu->claimed_fixed = leaf->edx & 31;
        registers->global_control = INTEL_GLOBAL_CONTROL;
        registers->status_clear = INTEL_OVERFLOW_CLEAR;
    }
    read_intel_capabilities(identity, pmu, registers);
    add_intel_general(pmu, pmu->claimed_general);
    if (pmu->version >= FIXED_ARCHITECTURAL_MIN) {
        add_intel_fixed(pmu, leaf->edx >> 5 & 255, pmu->version >= 5 ? leaf->ecx : 0);
    }
    if (pmu->claimed_general > GENERAL_MAX) {
        snprintf(pmu->errata, sizeof(pmu->errata),
                 "CPUID claims %u general counters, at most %d are used", pmu->claimed_general,
                 GENERAL_MAX);
    }
}

static void detect_any_intel(const struct cpu_identity *identity, struct pmu *pmu,
                             struct pmu_registers *registers)
{
    const struct cpuid_result leaf = cpuid_leaf(cpuid_instruction, identity, 0x0a, 0);
    const struct cpuid_result features = cpuid_leaf(cpuid_instruction, identity, 7, 0);

    if ((features.edx >> 15 & 1) != 0) {
        pmu->core_type = (uint8_t)(cpuid_leaf(cpuid_instruction, identity, 0x1a, 0).eax >> 24);
    }
    if ((leaf.eax & 255) != 0) {
        detect_intel(identity, &leaf, pmu, registers);
    } else if (identity->family == 5) {
        detect_p5(pmu);
    } else if (identity->family == 6 && identity->model <= P6_LAST_MODEL) {
        detect_p6(pmu, registers);
    } else {
        refuse(pmu,
               identity->max_basic < 0x0a ? "CPUID has no leaf 0Ah" : "CPUID leaf 0Ah is empty");
    }
}

static void add_amd(struct pmu *pmu, unsigned count, uint32_t select, uint32_t value,
                    unsigned distance)
{
    pmu->claimed_general = count;
    pmu->claimed_width = AMD_WIDTH;
    for (unsigned i = 0; i < count && i < AMD_CORE_COUNTERS; i++) {
        struct pmu_counter *counter = add(pmu, COUNTER_GENERAL, i, pmu->claimed_width);

        counter->select_msr = select + distance * i;
        counter->value_msr = value + distance * i;
    }
}

static void detect_amd(const struct cpu_identity *identity, struct pmu *pmu,
                       struct pmu_registers *registers)
{
    const struct cpuid_result features =
        cpuid_leaf(cpuid_instruction, identity, CPUID_EXTENDED + 1, 0);
    const struct cpuid_result version =
        cpuid_leaf(cpuid_instruction, identity, CPUID_EXTENDED + 0x22, 0);
    const unsigned count = version.ebx & 15;

    if (identity->family < 6) {
        refuse(pmu, "AMD processors before the K7 have no counters");
    } else if ((version.eax & 1) != 0 && count != 0) {
        pmu->backend = PMU_AMD_V2;
        pmu->version = 2;
        registers->global_control = AMD_GLOBAL_CONTROL;
        registers->status_clear = AMD_STATUS_CLEAR;
        add_amd(pmu, count, AMD_CORE_SELECT, AMD_CORE_COUNTER, 2);
    } else if ((features.ecx >> 23 & 1) != 0) {
        pmu->backend = PMU_AMD_CORE;
        add_amd(pmu, AMD_CORE_COUNTERS, AMD_CORE_SELECT, AMD_CORE_COUNTER, 2);
    } else {
        pmu->backend = PMU_AMD_K7;
        add_amd(pmu, AMD_K7_COUNTERS, AMD_SELECT, AMD_COUNTER, 1);
    }
}

void backend_detect(const struct cpu_identity *identity, struct pmu *pmu,
                    struct pmu_registers *registers)
{
    *pmu = (struct pmu){.hypervisor = identity->hypervisor_bit};
    *registers = (struct pmu_registers){0};
    if (strcmp(identity->vendor, "GenuineIntel") == 0) {
        detect_any_intel(identity, pmu, registers);
    } else if (cpu_is_amd(identity)) {
        detect_amd(identity, pmu, registers);
    } else {
        refuse(pmu, "the counters of this vendor's processors are not supported");
    }
    pmu->global_control = registers->global_control != 0;
}

static bool encode_p5(const struct event_code *code, uint64_t *field)
{
    if ((code->select & ~(P5_EVENT_BITS | P5_CLOCKS)) != 0 || code->umask != 0 ||
        code->cmask != 0 || code->edge || code->invert) {
        return false;
    }
    *field = code->select | P5_ALL_RINGS;
    return true;
}

bool backend_encode(const struct pmu *pmu, const struct pmu_counter *counter,
                    const struct event_code *code, uint64_t *field)
{
    const bool amd = pmu->backend >= PMU_AMD_K7;

    if (pmu->backend == PMU_P5) {
        return encode_p5(code, field);
    }
    if (counter->kind != COUNTER_GENERAL) {
        *field = FIXED_ALL_RINGS;
        return true;
    }
    if (code->select > (amd ? 0xfff : 0xff)) {
        return false;
    }
    *field = (code->select & 0xffu) | (uint64_t)code->umask << 8 | SELECT_USER | SELECT_OS |
             SELECT_ENABLE | (uint64_t)code->cmask << SELECT_CMASK |
             (uint64_t)(code->select >> 8) << SELECT_AMD_HIGH | (code->edge ? SELECT_EDGE : 0) |
             (code->invert ? SELECT_INVERT : 0);
    return true;
}

uint64_t backend_enable_bits(const struct pmu *pmu, const struct pmu_counter *counter)
{
    if (pmu->backend == PMU_P5) {
        return P5_ALL_RINGS | P5_CLOCKS;
    }
    return counter->kind == COUNTER_GENERAL ? SELECT_ENABLE : FIXED_ALL_RINGS;
}

struct event_code backend_instructions(const struct pmu *pmu)
{
    return (struct event_code){.select = pmu->backend == PMU_P5 ? 0x16 : 0xc0};
}

uint64_t backend_global_bit(const struct pmu_counter *counter)
{
    return 1ull << (counter->index + (counter->kind == COUNTER_GENERAL ? 0 : FIXED_GLOBAL_SHIFT));
}
