/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/cpu_state.h"

#include <stdbool.h>

#include "kernel/cpu/cpu.h"
#include "kernel/cpu/cpuid.h"
#include "kernel/cpu/msr.h"

/* The bit "busy" in a descriptor of a TSS (SDM volume 3 section 8.2.3). */
#define TASK_BUSY  (1ull << 41)
#define TASK_BYTES 16u /* size of a descriptor of a TSS */
/* Fields of the result of LAR (SDM volume 2, LAR): the type, and whether the segment is present. */
#define ACCESS_TYPE    0x1f00u
#define ACCESS_TASK    0x0900u /* type of a TSS that is not busy */
#define ACCESS_MEMORY  0x1000u /* bit of the type that is set for code and data */
#define ACCESS_PRESENT 0x8000u
#define SELECTOR_BITS  7u /* bits of a selector that hold the privilege level and the table */
#define CR3_FLAGS      0xfffull

static const uint32_t msrs[CPU_STATE_MSRS] = {
    MSR_STAR,         MSR_LSTAR,        MSR_CSTAR,   MSR_FMASK,   MSR_SYSENTER_CS,
    MSR_SYSENTER_ESP, MSR_SYSENTER_EIP, MSR_FS_BASE, MSR_GS_BASE, MSR_KERNEL_GS_BASE,
};

void cpu_state_save_paging(struct cpu_state *state)
{
    state->cr0 = cr0_read();
    state->cr3 = cr3_read();
    state->cr4 = cr4_read();
    msr_read(MSR_EFER, &state->efer);
    state->pat = pat_read();
}

void cpu_state_save(struct cpu_state *state)
{
    cpu_state_save_paging(state);
    state->gdt = gdt_read();
    state->idt = idt_read();
    __asm__ volatile("str %0" : "=m"(state->task_register));
    __asm__ volatile("movw %%cs, %0" : "=m"(state->code));
    __asm__ volatile("movw %%ds, %0" : "=m"(state->data[0]));
    __asm__ volatile("movw %%es, %0" : "=m"(state->data[1]));
    __asm__ volatile("movw %%ss, %0" : "=m"(state->data[2]));
    __asm__ volatile("movw %%fs, %0" : "=m"(state->data[3]));
    __asm__ volatile("movw %%gs, %0" : "=m"(state->data[4]));
    state->xcr0 = (state->cr4 & CR4_OSXSAVE) != 0 ? xcr0_read() : 0;
    for (unsigned i = 0; i < CPU_STATE_MSRS; i++) {
        msr_read(msrs[i], &state->msr[i]);
    }
}

/* Returns the access rights of a selector in the current table, or 0 if it is not valid there. */
static uint32_t access_of(uint16_t selector)
{
    uint32_t access = 0;

    __asm__("larl %1, %0" : "+r"(access) : "r"((uint32_t)selector) : "cc");
    return access;
}

/* Returns the selector if it can be loaded into a data segment register, otherwise 0. Firmware may
 * hold a selector whose descriptor is no longer in its table, as with U-Boot, or never was. Loading
 * it would raise #GP. In long mode every data segment register may be 0, because the bases of FS
 * and GS are MSRs. */
static uint16_t loadable(uint16_t selector)
{
    const uint32_t access = access_of(selector);
    bool readable;

    __asm__("verr %1" : "=@ccz"(readable) : "r"(selector));
    return readable && (access & ACCESS_PRESENT) != 0 && (access & ACCESS_MEMORY) != 0 ? selector
                                                                                       : 0;
}

/* Returns the selector if it can be loaded into SS, otherwise 0. As for other segments, but it must
 * also be writable, and SS may be 0 only in ring 0. */
static uint16_t loadable_stack(uint16_t selector)
{
    bool writable;

    __asm__("verw %1" : "=@ccz"(writable) : "r"(selector));
    return writable ? loadable(selector) : 0;
}

/* Returns whether the descriptor of the task register is inside the table's limit. */
static bool has_task_descriptor(const struct cpu_state *state)
{
    return state->task_register != 0 &&
           (state->task_register & ~SELECTOR_BITS) + TASK_BYTES - 1 <= state->gdt.limit;
}

/* Returns whether the task register can be loaded from the current table. A busy TSS cannot be
 * loaded, and in a table in ROM it stays busy. */
static bool can_load_task(const struct cpu_state *state)
{
    const uint32_t access = access_of(state->task_register);

    return has_task_descriptor(state) && (access & ACCESS_PRESENT) != 0 &&
           (access & ACCESS_TYPE) == ACCESS_TASK;
}

/* Clears the busy bit of a TSS, which is set if it was loaded before. Ignores other descriptors. */
static void make_available(const struct cpu_state *state)
{
    uint64_t *descriptor =
        (uint64_t *)(uintptr_t)(state->gdt.base + (state->task_register & ~SELECTOR_BITS));

    if ((*descriptor >> 32 & ACCESS_TYPE) == (ACCESS_TASK | TASK_BUSY >> 32)) {
        *descriptor &= ~TASK_BUSY;
    }
}

/* Tags (CR4.PCIDE) can be switched on only while CR3 has tag 0, and changing CR4.PGE discards
 * global entries (SDM volume 3 sections 4.10.1 and 4.10.4.1). EFER must allow the no-execute bit
 * while the page tables of either owner that uses it are in force. */
void cpu_state_load_paging(const struct cpu_state *state)
{
    uint64_t efer;

    pat_write(state->pat);
    msr_read(MSR_EFER, &efer);
    msr_write(MSR_EFER, state->efer | (efer & EFER_NX));
    cr4_write(cr4_read() & ~(CR4_PCIDE | CR4_PGE));
    cr3_write(state->cr3 & ~CR3_FLAGS);
    cr4_write(state->cr4);
    cr3_write(state->cr3);
    cr0_write(state->cr0);
    msr_write(MSR_EFER, state->efer);
}

static void load_segments(const struct cpu_state *state)
{
    const uint64_t code = state->code;

    __asm__ volatile("lgdt %0\n\t"
                     "pushq %1\n\t"
                     "leaq 1f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "lretq\n"
                     "1:"
                     :
                     : "m"(state->gdt), "r"(code)
                     : "rax", "memory");
    __asm__ volatile("movw %0, %%ds" : : "r"(loadable(state->data[0])));
    __asm__ volatile("movw %0, %%es" : : "r"(loadable(state->data[1])));
    __asm__ volatile("movw %0, %%ss" : : "r"(loadable_stack(state->data[2])));
    __asm__ volatile("movw %0, %%fs" : : "r"(loadable(state->data[3])));
    __asm__ volatile("movw %0, %%gs" : : "r"(loadable(state->data[4])));
}

void cpu_state_load(const struct cpu_state *state)
{
    if (has_task_descriptor(state)) {
        /* the next owner's page tables may not allow this write */
        make_available(state);
    }
    cpu_state_load_paging(state);
    load_segments(state);
    __asm__ volatile("lidt %0" : : "m"(state->idt) : "memory");
    if (can_load_task(state)) {
        __asm__ volatile("ltr %0" : : "m"(state->task_register) : "memory");
    }
    if ((state->cr4 & CR4_OSXSAVE) != 0) {
        xcr0_write(state->xcr0);
    }
    for (unsigned i = 0; i < CPU_STATE_MSRS; i++) { /* after the segments, which set two bases */
        msr_write(msrs[i], state->msr[i]);
    }
}

#define CPUID_1_EDX_PAT (1u << 16)

uint64_t pat_read(void)
{
    uint64_t value = 0;

    if ((cpuid_instruction(1, 0).edx & CPUID_1_EDX_PAT) != 0) {
        msr_read(MSR_PAT, &value);
    }
    return value;
}

/* The order of flushes is that of SDM volume 3 sections 12.11.8 and 12.12.4 for one processor:
 * disable and empty the caches, empty the TLB, and do both again after the change. */
bool pat_write(uint64_t value)
{
    const uint64_t cr0 = cr0_read();

    if (value == 0 || pat_read() == value) {
        return true;
    }
    cr0_write((cr0 | CR0_CACHE_DISABLE) & ~CR0_NOT_WRITE_THROUGH);
    caches_flush();
    cr3_write(cr3_read());
    msr_write(MSR_PAT, value);
    caches_flush();
    cr3_write(cr3_read());
    cr0_write(cr0);
    return pat_read() == value;
}

#define DE_CFG_LFENCE_SERIALISES (1ull << 1)

static enum lfence_state enable_lfence(const struct cpu_identity *identity)
{
    uint64_t value;

    if (!cpu_is_amd(identity)) {
        return LFENCE_SERIALISES;
    }
    if ((cpuid_leaf(cpuid_instruction, identity, CPUID_EXTENDED + 0x21, 0).eax >> 2 & 1) != 0) {
        return LFENCE_SERIALISES;
    }
    if (msr_read(MSR_AMD_DE_CFG, &value) != 0) {
        return LFENCE_UNPROVEN;
    }
    if ((value & DE_CFG_LFENCE_SERIALISES) == 0 &&
        msr_write(MSR_AMD_DE_CFG, value | DE_CFG_LFENCE_SERIALISES) != 0) {
        return LFENCE_UNPROVEN;
    }
    msr_read(MSR_AMD_DE_CFG, &value);
    return (value & DE_CFG_LFENCE_SERIALISES) != 0 ? LFENCE_SERIALISES : LFENCE_UNPROVEN;
}

enum lfence_state features_enable(const struct cpu_identity *identity)
{
    cr0_write(cr0_read() | CR0_WRITE_PROTECT);
    return enable_lfence(identity);
}
