/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Saves and restores the state of a processor that two owners use in turn: everything that one of
 * them set up and the other changes. Also switches on processor features that measurements rely on.
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
    uint16_t task_register; /* 0: none is loaded; then loading leaves the task register unchanged */
    uint16_t code;
    uint16_t data[5]; /* selectors of DS, ES, SS, FS, GS */
    uint64_t cr0;
    uint64_t cr3;
    uint64_t cr4;
    uint64_t xcr0; /* extended control register 0, if CR4.OSXSAVE is set */
    uint64_t efer;
    uint64_t pat;
    uint64_t msr[CPU_STATE_MSRS];
};

/* Saves the state. Call with interrupts off, as for cpu_state_load(). All of these registers exist
 * in every processor with long mode; the PAT is 0 if CPUID does not offer it. */
void cpu_state_save(struct cpu_state *state);

/* Loads the state. The code, the stack and `state` must be mapped by the page tables of both
 * owners. A task register that cannot be loaded is left unchanged: `state` has none (loading 0
 * raises #GP, SDM volume 2, LTR), or its table has no TSS there. A data segment that the table does
 * not have becomes 0. */
void cpu_state_load(const struct cpu_state *state);
/* Save and load only what determines the meaning of addresses: CR3, CR4, CR0, EFER and the PAT. */
void cpu_state_save_paging(struct cpu_state *state);
void cpu_state_load_paging(const struct cpu_state *state);

/* The page attribute table (SDM volume 3 section 12.12): eight memory types of one byte each. */

/* Returns the table, or 0 if CPUID does not offer it. */
uint64_t pat_read(void);

/* Writes the table. Call with interrupts off. If this changes anything, all caches are emptied
 * twice. Returns whether the table is `value` afterwards. A `value` of 0 changes nothing. */
bool pat_write(uint64_t value);

/*
 * Processor features that measurements rely on.
 */

enum lfence_state {
    LFENCE_SERIALISES, /* dispatch waits for it, so tsc_read_ordered() is ordered */
    LFENCE_UNPROVEN,   /* AMD processor whose switch could not be read back as set */
};

/* Switches on what firmware may have left off: CR0.WP and, on AMD, the serialising LFENCE (APM
 * volume 3, LFENCE; MSR C0011029h[1]; always on if CPUID 80000021h EAX[2] is set). */
enum lfence_state features_enable(const struct cpu_identity *identity);
