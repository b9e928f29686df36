/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/smp/memory_types.h"

#include <stdbool.h>
#include <stddef.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/msr.h"

#define MSR_MTRR_CAPABILITIES 0xfeu
#define MSR_MTRR_VARIABLE     0x200u /* pairs of base and mask */
#define MSR_MTRR_DEFAULT      0x2ffu
#define MTRR_ENABLE           (1ull << 11)
#define VARIABLE_MAX          32 /* number of pairs; at most 10 have been seen */
#define REGISTERS_MAX         (2 * VARIABLE_MAX + 13)

static const uint32_t fixed[] = {0x250, 0x258, 0x259, 0x268, 0x269, 0x26a,
                                 0x26b, 0x26c, 0x26d, 0x26e, 0x26f};

static struct {
    uint32_t index;
    uint64_t value;
} registers[REGISTERS_MAX];
static size_t count;
static uint64_t default_type;
static bool has_mtrr;

static void add(uint32_t index)
{
    uint64_t value;

    if (msr_read(index, &value) == 0) {
        registers[count].index = index;
        registers[count++].value = value;
    }
}

void memory_types_read(const struct cpu_identity *identity)
{
    const uint32_t features = cpuid_leaf(cpuid_instruction, identity, 1, 0).edx;
    uint64_t capabilities;

    count = 0;
    if ((features >> 16 & 1) != 0) {
        add(MSR_PAT);
    }
    has_mtrr = (features >> 12 & 1) != 0 && msr_read(MSR_MTRR_CAPABILITIES, &capabilities) == 0 &&
               msr_read(MSR_MTRR_DEFAULT, &default_type) == 0;
    if (!has_mtrr) {
        return;
    }
    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]) && (capabilities >> 8 & 1) != 0; i++) {
        add(fixed[i]);
    }
    for (uint32_t i = 0; i < (capabilities & 255) && i < VARIABLE_MAX; i++) {
        add(MSR_MTRR_VARIABLE + 2 * i);
        add(MSR_MTRR_VARIABLE + 2 * i + 1);
    }
}

static bool same(void)
{
    uint64_t value;

    for (size_t i = 0; i < count; i++) {
        if (msr_read(registers[i].index, &value) != 0 || value != registers[i].value) {
            return false;
        }
    }
    return !has_mtrr || (msr_read(MSR_MTRR_DEFAULT, &value) == 0 && value == default_type);
}

const char *memory_types_take(void)
{
    const uint64_t cr0 = cr0_read();

    if (same()) {
        return NULL;
    }
    cr0_write((cr0 | CR0_CACHE_DISABLE) & ~CR0_NOT_WRITE_THROUGH);
    caches_flush();
    cr3_write(cr3_read());
    if (has_mtrr) {
        msr_write(MSR_MTRR_DEFAULT, default_type & ~MTRR_ENABLE);
    }
    for (size_t i = 0; i < count; i++) {
        msr_write(registers[i].index, registers[i].value);
    }
    if (has_mtrr) {
        msr_write(MSR_MTRR_DEFAULT, default_type);
    }
    caches_flush();
    cr3_write(cr3_read());
    cr0_write(cr0);
    return same() ? NULL : "its memory types cannot be set to those of the first processor";
}
