/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GDT, TSS and IDT (SDM volume 3 chapters 3, 6 and 8), which replace the firmware's.
 */
#pragma once

#include <stdint.h>

#include "kernel/cpu/percpu.h"

/* Selectors in the order that SYSCALL and SYSRET require (SDM volume 2): ring 0 code, then data;
 * ring 3 data, then code. The ring 3 selectors include its privilege level. */
#define SELECTOR_CODE      0x08
#define SELECTOR_DATA      0x10
#define SELECTOR_USER_DATA 0x1b
#define SELECTOR_USER_CODE 0x23
#define SELECTOR_TSS       0x38 /* selector of the TSS, which takes two entries */
#define GDT_ENTRIES        (SELECTOR_SEGMENT_STACK / 8 + 1)
/* Selectors that SYSEXIT derives from SELECTOR_CODE (SDM volume 2): again those of ring 3. */
#define SELECTOR_SYSEXIT_CODE 0x2b
#define SELECTOR_SYSEXIT_DATA 0x33
/* 16-bit ring 3 segments, after the TSS; not present before descriptors_set_segments(). */
#define SELECTOR_SEGMENT_CODE  0x4b
#define SELECTOR_SEGMENT_DATA  0x53
#define SELECTOR_SEGMENT_EXTRA 0x5b
#define SELECTOR_SEGMENT_STACK 0x63

#define VECTOR_COUNT         256
#define VECTOR_DEBUG         1
#define VECTOR_NMI           2
#define VECTOR_DOUBLE_FAULT  8
#define VECTOR_PAGE_FAULT    14
#define VECTOR_MACHINE_CHECK 18
#define EXCEPTION_COUNT      32

/* Stacks to which the processor switches by itself (TSS IST entries, 1-based). Exceptions have
 * their own stack, so that a stack overflow can still be reported. So do the three events that must
 * not overwrite another exception's frame. Interrupts stay on the interrupted stack, because the
 * time for a switch would be charged to what is measured. */
enum interrupt_stack {
    STACK_CURRENT = 0,
    STACK_EXCEPTION = 1,
    STACK_NMI = 2,
    STACK_DOUBLE_FAULT = 3,
    STACK_MACHINE_CHECK = 4,
    STACK_COUNT = 4,
};

struct __attribute__((packed)) task_state {
    uint32_t reserved0;
    uint64_t rsp[3]; /* stacks for rings 0 to 2 */
    uint64_t reserved1;
    uint64_t ist[7];
    uint64_t reserved2;
    uint16_t reserved3;
    uint16_t io_map_base;
};
extern struct task_state task_state __attribute__((visibility("hidden")));

/* Sets the stack for interrupts that arrive in ring 3, with one instruction. */
#if TARE_SMP
/* The TSS of this processor, and its stack for interrupts and system calls from ring 3 once more,
 * for syscall.S. */
extern struct task_state *PER_CPU task_state_here __attribute__((visibility("hidden")));
extern PER_CPU uint64_t kernel_stack_here __attribute__((visibility("hidden")));
static inline void descriptors_set_kernel_stack(uint64_t top)
{
    task_state_here->rsp[0] = top;
    kernel_stack_here = top;
}
#else
static inline void descriptors_set_kernel_stack(uint64_t top)
{
    task_state.rsp[0] = top;
}
#endif

/* Loads GDT, segment registers, TSS and an IDT in which every vector leads to its common entry;
 * each entry is INTERRUPT_ENTRY_SIZE bytes long: interrupt_entries (irq/interrupt.h). tops[i] is
 * the top of interrupt stack i + 1. */
#define INTERRUPT_ENTRY_SIZE 8
void descriptors_load(const uint64_t tops[STACK_COUNT], const uint8_t *common_entries);

/* Bases of the segments for 16-bit code, each of 64 KiB and below 4 GiB. In 64-bit mode a stack has
 * no base, so the stack of 16-bit code must begin at a multiple of 64 KiB: then SP means the same
 * place in both modes. */
struct segment_bases {
    uint32_t code;
    uint32_t data;
    uint32_t extra;
    uint32_t stack;
};
void descriptors_set_segments(const struct segment_bases *bases);
/* Returns the base of SELECTOR_SEGMENT_CODE. */
uint32_t descriptors_segment_code(void);

/* Points one vector to another entry; timed interrupts (irq/timed_section.h) have their own. */
void descriptors_set_entry(uint8_t vector, void (*entry)(void));

/* As descriptors_set_entry(), and allows ring 3 to raise the vector by INT. */
void descriptors_set_user_entry(uint8_t vector, void (*entry)(void));

/* Points a vector back to its common entry. */
void descriptors_reset_entry(uint8_t vector);

/* Loads the tables of the boot processor on the processor to which the kernel moves. No other
 * processor may use them at that time. */
void descriptors_reload(void);

/* GDT and TSS of a processor other than the kernel's; must be zeroed before first use. */
struct other_tables {
    uint64_t gdt[GDT_ENTRIES];
    struct task_state task_state;
};

/* Loads these tables, and an IDT for all such processors. All exceptions use the one stack. */
void descriptors_load_other(struct other_tables *tables, uint64_t exception_stack_top);
/* Sets an entry of the IDT of processors other than the kernel's. */
void descriptors_set_other_entry(uint8_t vector, void (*entry)(void));
