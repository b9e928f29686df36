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
    .macro injector name, acknowledge
begin \name
    pushq %rax
    pushq %rdx
    pushq %rcx
    rdtsc
    movq injector_next(%rip), %rcx
    cmpq injector_stop(%rip), %rcx
    je 1f
    movl %eax, (%rcx)
    movl %edx, 4(%rcx)
    addq $8, injector_next(%rip)
1:  movq injector_iterations(%rip), %rcx
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
    movq injector_end_register(%rip), %rcx
    movl $0, (%rcx)
    .endm

    .macro end_by_msr
    movl $X2APIC_END_REGISTER, %ecx
    xorl %eax, %eax
    xorl %edx, %edx
    wrmsr
    .endm

    .section .text.injector, "ax"
injector injector_entry, end_by_memory
injector injector_entry_x2apic, end_by_msr

    /* void injector_raise(uint64_t *stamps): writes two timestamps, with the handler between them.
     * injector_raise_none() does the same with nothing between them. */
begin injector_raise
    stamp %rsi
    int $VECTOR
    stamp %rcx
    movq %rsi, (%rdi)
    movq %rcx, 8(%rdi)
    ret
    .size injector_raise, . - injector_raise

begin injector_raise_none
    stamp %rsi
    stamp %rcx
    movq %rsi, (%rdi)
    movq %rcx, 8(%rdi)
    ret
    .size injector_raise_none, . - injector_raise_none

    .section .note.GNU-stack, "", @progbits
