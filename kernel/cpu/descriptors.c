/* SPDX-License-Identifier: BSD-2-Clause */
#include "kernel/cpu/descriptors.h"

#include <string.h>

#include "kernel/cpu/cpu_state.h"

struct gate {
    uint16_t offset_low;
    uint16_t selector;
    uint8_t stack;
    uint8_t type;
    uint16_t offset_middle;
    uint32_t offset_high;
    uint32_t reserved;
};

/* Type of an interrupt gate: present, ring 0, 64 bits; IF is cleared on entry. */
#define GATE_INTERRUPT 0x8e
#define SEGMENT_CODE   0xfb /* type of a code segment: present, ring 3, readable */
#define SEGMENT_DATA   0xf3 /* type of a data segment: present, ring 3, writable */
#define GATE_RING3     0x60 /* bits that allow INT in ring 3 */

/* Long mode ignores base and limit of code and data segments. The TSS takes 16 bytes. */
static uint64_t gdt[GDT_ENTRIES] = {
    [SELECTOR_CODE / 8] = 0x00af9b000000ffff,
    [SELECTOR_DATA / 8] = 0x00cf93000000ffff,
    [SELECTOR_USER_DATA / 8] = 0x00cff3000000ffff,
    [SELECTOR_USER_CODE / 8] = 0x00affb000000ffff,
    [SELECTOR_SYSEXIT_CODE / 8] = 0x00affb000000ffff,
    [SELECTOR_SYSEXIT_DATA / 8] = 0x00cff3000000ffff,
    [SELECTOR_TSS / 8] = 0,
    [SELECTOR_TSS / 8 + 1] = 0,
};
struct task_state task_state;
#if TARE_SMP
struct task_state *PER_CPU task_state_here PER_CPU_SECTION = &task_state;
PER_CPU uint64_t kernel_stack_here PER_CPU_SECTION;
#endif
static struct gate idt[VECTOR_COUNT];
static struct gate other_idt[VECTOR_COUNT]; /* IDT of processors other than the kernel's */

static const uint8_t *entries; /* common entries of all vectors */

static enum interrupt_stack stack_of(unsigned vector)
{
    switch (vector) {
    case VECTOR_NMI:
        return STACK_NMI;
    case VECTOR_DOUBLE_FAULT:
        return STACK_DOUBLE_FAULT;
    case VECTOR_MACHINE_CHECK:
        return STACK_MACHINE_CHECK;
    default:
        return vector < EXCEPTION_COUNT ? STACK_EXCEPTION : STACK_CURRENT;
    }
}

static void set_gate(struct gate *table, unsigned vector, uint64_t target)
{
    table[vector] = (struct gate){
        .offset_low = (uint16_t)target,
        .selector = SELECTOR_CODE,
        .stack = (uint8_t)stack_of(vector),
        .type = GATE_INTERRUPT,
        .offset_middle = (uint16_t)(target >> 16),
        .offset_high = (uint32_t)(target >> 32),
    };
}

/* Returns a 16-bit ring 3 segment of 64 KiB: G, D and L are 0 (SDM volume 3 section 3.4.5). */
static uint64_t segment(uint32_t base, uint64_t type)
{
    return 0xffff | (uint64_t)(base & 0xffffff) << 16 | type << 40 | (uint64_t)(base >> 24) << 56;
}

void descriptors_set_segments(const struct segment_bases *bases)
{
    gdt[SELECTOR_SEGMENT_CODE / 8] = segment(bases->code, SEGMENT_CODE);
    gdt[SELECTOR_SEGMENT_DATA / 8] = segment(bases->data, SEGMENT_DATA);
    gdt[SELECTOR_SEGMENT_EXTRA / 8] = segment(bases->extra, SEGMENT_DATA);
    gdt[SELECTOR_SEGMENT_STACK / 8] = segment(bases->stack, SEGMENT_DATA);
}

uint32_t descriptors_segment_code(void)
{
    const uint64_t entry = gdt[SELECTOR_SEGMENT_CODE / 8];

    return (uint32_t)(entry >> 16 & 0xffffff) | (uint32_t)(entry >> 56) << 24;
}

void descriptors_set_entry(uint8_t vector, void (*entry)(void))
{
    set_gate(idt, vector, (uint64_t)(uintptr_t)entry);
}

void descriptors_set_other_entry(uint8_t vector, void (*entry)(void))
{
    set_gate(other_idt, vector, (uint64_t)(uintptr_t)entry);
}

void descriptors_set_user_entry(uint8_t vector, void (*entry)(void))
{
    descriptors_set_entry(vector, entry);
    idt[vector].type |= GATE_RING3;
}

void descriptors_reset_entry(uint8_t vector)
{
    set_gate(idt, vector, (uint64_t)(uintptr_t)(entries + INTERRUPT_ENTRY_SIZE * vector));
}

static void load_segments(const struct table_pointer *pointer)
{
    __asm__ volatile("lgdt %0\n\t"
                     "pushq %1\n\t"
                     "leaq 1f(%%rip), %%rax\n\t"
                     "pushq %%rax\n\t"
                     "lretq\n"
                     "1:\tmovl %2, %%eax\n\t"
                     "movl %%eax, %%ds\n\t"
                     "movl %%eax, %%es\n\t"
                     "movl %%eax, %%ss\n\t"
                     "xorl %%eax, %%eax\n\t"
                     "movl %%eax, %%fs\n\t"
                     "movl %%eax, %%gs"
                     :
                     : "m"(*pointer), "i"(SELECTOR_CODE), "i"(SELECTOR_DATA)
                     : "rax", "memory");
}

/* Writes the descriptor of a TSS again. After a processor has loaded it, it is marked busy and
 * could not be loaded once more. */
static void describe_task_state(uint64_t *table, const struct task_state *state)
{
    const uint64_t base = (uint64_t)(uintptr_t)state;
    uint64_t *tss = &table[SELECTOR_TSS / 8];

    tss[0] =
        (sizeof(*state) - 1) | (base & 0xffffff) << 16 | 0x89ull << 40 | (base >> 24 & 255) << 56;
    tss[1] = base >> 32;
}

static void load_tables(const uint64_t *table, const struct gate *gates)
{
    const struct table_pointer gdt_pointer = {sizeof(gdt) - 1, (uint64_t)(uintptr_t)table};
    const struct table_pointer idt_pointer = {sizeof(idt) - 1, (uint64_t)(uintptr_t)gates};

    load_segments(&gdt_pointer);
    __asm__ volatile("ltr %w0" : : "r"(SELECTOR_TSS) : "memory");
    __asm__ volatile("lidt %0" : : "m"(idt_pointer) : "memory");
}

void descriptors_reload(void)
{
    describe_task_state(gdt, &task_state);
    load_tables(gdt, idt);
}

void descriptors_load(const uint64_t tops[STACK_COUNT], const uint8_t *common_entries)
{
    entries = common_entries;
    memset(&task_state, 0, sizeof(task_state));
    for (unsigned i = 0; i < STACK_COUNT; i++) {
        task_state.ist[i] = tops[i];
    }
    task_state.io_map_base = sizeof(task_state); /* beyond the limit, so there is no I/O map */
    for (unsigned vector = 0; vector < VECTOR_COUNT; vector++) {
        descriptors_reset_entry((uint8_t)vector);
    }
    descriptors_reload();
}

void descriptors_load_other(struct other_tables *tables, uint64_t exception_stack_top)
{
    memcpy(tables->gdt, gdt, sizeof(gdt));
    for (unsigned i = 0; i < STACK_COUNT; i++) {
        tables->task_state.ist[i] = exception_stack_top;
    }
    tables->task_state.io_map_base = sizeof(tables->task_state);
    describe_task_state(tables->gdt, &tables->task_state);
    load_tables(tables->gdt, other_idt);
}
