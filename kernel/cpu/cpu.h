/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Single instructions of the processor, without policy. Functions that read the TSC are always
 * inlined, so that code in ring 3 can use them and optimising for size does not change their cost.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/percpu.h"

/* Flag in a write to CR3: keeps the cached translations of that PCID (SDM volume 2, MOV to CR3). */
#define CR3_KEEP              (1ull << 63)
#define CR0_WRITE_PROTECT     (1ull << 16)
#define CR0_NOT_WRITE_THROUGH (1ull << 29)
#define CR0_CACHE_DISABLE     (1ull << 30)
#define CR0_PAGING            (1ull << 31)
#define CR4_TSD               (1ull << 2)
#define CR4_PGE               (1ull << 7)
#define CR4_LA57              (1ull << 12)
#define CR4_PCIDE             (1ull << 17)
#define CR4_OSXSAVE           (1ull << 18)
#define CR4_SMAP              (1ull << 21)
#define CR4_CET               (1ull << 23)

/* Ticks to deduct from the TSC, so that it is this processor's local time. They change in
 * interrupts, and when a thread moves: who reads them with interrupts on must look at them before
 * and after RDTSC. */
#if TARE_SMP
#define TSC_GIVEN (*(const volatile PER_CPU uint64_t *)&percpu_given)
#else
#define TSC_GIVEN 0
#endif

/* Returns the TSC, not ordered with the code around it (SDM volume 2, RDTSC). */
static inline __attribute__((always_inline)) uint64_t tsc_read(void)
{
    uint64_t given;
    uint32_t low = 0;
    uint32_t high = 0;

    do {
        given = TSC_GIVEN;
        __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    } while (given != TSC_GIVEN);
    return ((uint64_t)high << 32 | low) - given;
}

/* Returns the TSC, read after everything before and before everything after. LFENCE must serialise
 * dispatch, which features_enable() (cpu_state.h) arranges on AMD. */
static inline __attribute__((always_inline)) uint64_t tsc_read_ordered(void)
{
    uint64_t given;
    uint32_t low = 0;
    uint32_t high = 0;

    do {
        given = TSC_GIVEN;
        __asm__ volatile("lfence; rdtsc; lfence" : "=a"(low), "=d"(high) : : "memory");
    } while (given != TSC_GIVEN);
    return ((uint64_t)high << 32 | low) - given;
}

/* A wait by the TSC. It also ends if the TSC stops, because each check takes at least one tick. */
struct tsc_wait {
    uint64_t start;
    uint64_t ticks;
    uint64_t looks;
};

static inline struct tsc_wait tsc_wait_begin(uint64_t ticks)
{
    return (struct tsc_wait){tsc_read(), ticks, 0};
}

static inline bool tsc_wait_over(struct tsc_wait *wait)
{
    return tsc_read() - wait->start >= wait->ticks || wait->looks++ >= wait->ticks;
}

static inline void cpu_pause(void)
{
    __asm__ volatile("pause");
}

#if TARE_SMP
/*
 * In a session on several processors, code with interrupts off is a section: only one processor at
 * a time is in one (kernel/smp/baton.h). These functions therefore enter or leave the section when
 * they change the flag.
 */
#define RFLAGS_IF (1ull << 9)
extern bool sections_shared __attribute__((visibility("hidden")));
void section_enter(void) __attribute__((visibility("hidden")));
void section_leave(void) __attribute__((visibility("hidden")));
#endif

/* Disables interrupts. Returns the previous RFLAGS, for interrupts_restore(). */
static inline uint64_t interrupts_save(void)
{
    uint64_t flags;

    __asm__ volatile("pushfq; popq %0; cli" : "=r"(flags) : : "memory");
#if TARE_SMP
    if (sections_shared && (flags & RFLAGS_IF) != 0) {
        section_enter();
    }
#endif
    return flags;
}

static inline void interrupts_restore(uint64_t flags)
{
#if TARE_SMP
    if (sections_shared && (flags & RFLAGS_IF) != 0) {
        section_leave();
    }
#endif
    __asm__ volatile("pushq %0; popfq" : : "r"(flags) : "memory", "cc");
}

static inline void interrupts_enable(void)
{
#if TARE_SMP
    uint64_t flags;

    __asm__ volatile("pushfq; popq %0" : "=r"(flags) : : "memory");
    if (sections_shared && (flags & RFLAGS_IF) == 0) {
        section_leave();
    }
#endif
    __asm__ volatile("sti" : : : "memory");
}

static inline void interrupts_disable(void)
{
#if TARE_SMP
    (void)interrupts_save();
#else
    __asm__ volatile("cli" : : : "memory");
#endif
}

/* Unblocks NMIs, which otherwise wait until the current NMI handler executes IRET (SDM volume 3
 * section 6.7.1). For code that left the handler by a jump. */
static inline void nmi_unblock(void)
{
    uint64_t scratch;

    __asm__ volatile("movl %%ss, %k0; pushq %0; leaq 8(%%rsp), %0; pushq %0; pushfq\n\t"
                     "movl %%cs, %k0; pushq %0; leaq 1f(%%rip), %0; pushq %0; iretq\n"
                     "1:"
                     : "=&r"(scratch)
                     :
                     : "memory");
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

/* Discards the cached translation of the page at `address` in the current address space. */
static inline void tlb_forget(uint64_t address)
{
    __asm__ volatile("invlpg (%0)" : : "r"(address) : "memory");
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

/* Reads extended control register 0. Only if CR4_OSXSAVE is set. */
static inline uint64_t xcr0_read(void)
{
    uint32_t low;
    uint32_t high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

static inline void xcr0_write(uint64_t value)
{
    __asm__ volatile("xsetbv"
                     :
                     : "a"((uint32_t)value), "d"((uint32_t)(value >> 32)), "c"(0)
                     : "memory");
}

/* Discards the cached translations of all address spaces. With tags (CR4_PCIDE), writing CR3
 * discards those of one tag only; changing CR4_PGE, which every processor with tags has, discards
 * all (SDM volume 3 section 4.10.4.1). */
static inline void tlb_forget_all(void)
{
    const uint64_t cr4 = cr4_read();

    if ((cr4 & CR4_PCIDE) != 0) {
        cr4_write(cr4 ^ CR4_PGE);
        cr4_write(cr4);
    } else {
        cr3_write(cr3_read());
    }
}

/* Empties all caches of all levels; modified data are written to memory (SDM volume 2, WBINVD).
 * Takes up to milliseconds. */
static inline void caches_flush(void)
{
    __asm__ volatile("wbinvd" : : : "memory");
}

/* Halts until an interrupt has been taken; returns at once if one is pending. Interrupts must be
 * off before, and are off afterwards. */
static inline void cpu_wait_for_interrupt(void)
{
    __asm__ volatile("sti; hlt; cli" : : : "memory");
}

/* Stops this processor for good. */
static inline _Noreturn void cpu_halt_forever(void)
{
    for (;;) {
        __asm__ volatile("cli; hlt");
    }
}
