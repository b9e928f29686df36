/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Single instructions of the processor. No policy here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define CR0_WRITE_PROTECT (1ull << 16)
#define CR0_PAGING        (1ull << 31)
#define CR4_PGE           (1ull << 7)
#define CR4_LA57          (1ull << 12)
#define CR4_PCIDE         (1ull << 17)
#define CR4_CET           (1ull << 23)

/* TSC, not ordered with what surrounds it (SDM volume 2, RDTSC). */
static inline uint64_t tsc_read(void)
{
    uint32_t low;
    uint32_t high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

/* TSC, read after all that comes before and before all that comes after. Needs LFENCE to serialise
 * dispatch, which features_enable() (features.h) arranges on AMD. */
static inline uint64_t tsc_read_ordered(void)
{
    uint32_t low;
    uint32_t high;

    __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
    return (uint64_t)high << 32 | low;
}

static inline void cpu_pause(void)
{
    __asm__ volatile("pause");
}

static inline void interrupts_enable(void)
{
    __asm__ volatile("sti" : : : "memory");
}

static inline void interrupts_disable(void)
{
    __asm__ volatile("cli" : : : "memory");
}

static inline uint64_t cr0_read(void)
{
    uint64_t value;

    __asm__ volatile("mov %%cr0, %0" : "=r"(value));
    return value;
}

static inline void cr0_write(uint64_t value)
{
    __asm__ volatile("mov %0, %%cr0" : : "r"(value) : "memory");
}

static inline uint64_t cr2_read(void)
{
    uint64_t value;

    __asm__ volatile("mov %%cr2, %0" : "=r"(value));
    return value;
}

static inline uint64_t cr3_read(void)
{
    uint64_t value;

    __asm__ volatile("mov %%cr3, %0" : "=r"(value));
    return value;
}

static inline void cr3_write(uint64_t value)
{
    __asm__ volatile("mov %0, %%cr3" : : "r"(value) : "memory");
}

static inline uint64_t cr4_read(void)
{
    uint64_t value;

    __asm__ volatile("mov %%cr4, %0" : "=r"(value));
    return value;
}

static inline void cr4_write(uint64_t value)
{
    __asm__ volatile("mov %0, %%cr4" : : "r"(value) : "memory");
}

/* Stops this processor for good. */
static inline _Noreturn void cpu_halt_forever(void)
{
    for (;;) {
        __asm__ volatile("cli; hlt");
    }
}
