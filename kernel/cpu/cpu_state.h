/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of a processor that two owners use by turns: all that one of them set up and the other
 * one changes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/cpu/cpuid.h"

#define CPU_STATE_MSRS 10

struct __attribute__((packed)) table_pointer {
    uint16_t limit;
    uint64_t base;
};

static inline struct table_pointer gdt_read(void)
{
    struct table_pointer gdt;

    __asm__ volatile("sgdt %0" : "=m"(gdt));
    return gdt;
}

static inline struct table_pointer idt_read(void)
{
    struct table_pointer idt;

    __asm__ volatile("sidt %0" : "=m"(idt));
    return idt;
}

struct cpu_state {
    struct table_pointer gdt;
    struct table_pointer idt;
    uint16_t task_register; /* 0: none is loaded, and what is stays */
    uint16_t code;
    uint16_t data[5]; /* DS, ES, SS, FS, GS */
    uint64_t cr0;
    uint64_t cr3;
    uint64_t cr4;
    uint64_t xcr0; /* where CR4.OSXSAVE is set */
    uint64_t efer;
    uint64_t pat;
    uint64_t msr[CPU_STATE_MSRS];
};

/* Interrupts off in both. All of these registers exist in every processor with long mode; the PAT
 * is 0 where CPUID offers none. */
void cpu_state_save(struct cpu_state *state);

/* The code, the stack and `state` are reachable through the page tables of both owners. A task
 * register that cannot be loaded stays as it is: there is none in `state` (loading 0 raises #GP,
 * SDM volume 2, LTR), or its table has no TSS there. A data segment that the table does not have is
 * 0 afterwards. */
void cpu_state_load(const struct cpu_state *state);
/* Of it only what addresses mean: CR3, CR4, CR0, EFER and the PAT. */
void cpu_state_save_paging(struct cpu_state *state);
void cpu_state_load_paging(const struct cpu_state *state);

/* The page attribute table (SDM volume 3 section 12.12): eight memory types, a byte each. */

/* 0 where CPUID offers none. */
uint64_t pat_read(void);

/* Interrupts off. Where it changes anything, all caches are emptied twice. True where the table is
 * `value` afterwards; 0 changes nothing. */
bool pat_write(uint64_t value);

/*
 * The processor's switches that the measurements rely on.
 */

enum lfence_state {
    LFENCE_SERIALISES, /* dispatch waits for it: tsc_read_ordered() orders */
    LFENCE_UNPROVEN,   /* AMD part whose switch could not be read back as set */
};

/* Turns on what firmware may have left off: CR0.WP, and on AMD the serialising LFENCE
 * (APM volume 3, LFENCE; MSR C0011029h[1]; always on where CPUID 80000021h EAX[2]). */
enum lfence_state features_enable(const struct cpu_identity *identity);
