/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The injector's handler, one for each mode of the LAPIC. From its first instruction to IRETQ it
 * executes 17 instructions (19 in x2APIC mode) and two for each iteration. Its inner loop is within
 * the first 64 bytes.
 */
#include "kernel/cpu/assembly.inc"

#define VECTOR              0x40
#define X2APIC_END_REGISTER 0x80b

    /* `acknowledge` may change RAX, RCX and RDX. */
    .macro thief name, acknowledge
begin \name
    pushq %rax
    pushq %rdx
    pushq %rcx
    rdtsc
    movq thief_next(%rip), %rcx
    cmpq thief_stop(%rip), %rcx
    je 1f
    movl %eax, (%rcx)
    movl %edx, 4(%rcx)
    addq $8, thief_next(%rip)
1:  movq thief_iterations(%rip), %rcx
2:  decq %rcx
    jnz 2b
    \acknowledge
    popq %rcx
    popq %rdx
    popq %rax
    iretq
    .size \name, . - \name
    .endm

    .macro end_by_memory
    movq thief_end_register(%rip), %rcx
    movl $0, (%rcx)
    .endm

    .macro end_by_msr
    movl $X2APIC_END_REGISTER, %ecx
    xorl %eax, %eax
    xorl %edx, %edx
    wrmsr
    .endm

    .section .text.thief, "ax"
thief thief_entry, end_by_memory
thief thief_entry_x2apic, end_by_msr

    /* void thief_raise(uint64_t *stamps): writes two timestamps, with the handler between them.
     * thief_raise_none() does the same with nothing between them. */
begin thief_raise
    stamp %rsi
    int $VECTOR
    stamp %rcx
    movq %rsi, (%rdi)
    movq %rcx, 8(%rdi)
    ret
    .size thief_raise, . - thief_raise

begin thief_raise_none
    stamp %rsi
    stamp %rcx
    movq %rsi, (%rdi)
    movq %rcx, 8(%rdi)
    ret
    .size thief_raise_none, . - thief_raise_none

    .section .note.GNU-stack, "", @progbits
