/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Enters ring 3 for the sandbox (sandbox.c) and returns from there. The return abandons the
 * interrupt frame without an IRET: that is allowed because only NMIs stay blocked until an IRET
 * (SDM volume 3 section 6.7.1).
 */
#include "kernel/cpu/assembly.inc"

    .set SELECTOR_DATA, 0x10  /* descriptors.h */
    .set TASK_STATE_RSP0, 4
    .set VECTOR_TIMER, 0x40   /* LAPIC_VECTOR_TIMER */
    .set ENTRY_SIZE, 8        /* INTERRUPT_ENTRY_SIZE */
    .set FRAME_BYTES, 22 * 8

    .section .text.sandbox, "ax"

    /* void sandbox_enter(const struct interrupt_frame *start) */
    begin sandbox_enter
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    pushfq
    movq %rsp, kernel_rsp(%rip)
    movq %rsp, task_state + TASK_STATE_RSP0(%rip) /* of processor 0 */
    subq $FRAME_BYTES, %rsp
    movq %rdi, %rsi
    movq %rsp, %rdi
    movl $FRAME_BYTES / 8, %ecx
    cld
    rep movsq
    pop_registers
    addq $16, %rsp
    iretq
    .size sandbox_enter, . - sandbox_enter

    /* Returns to the caller of sandbox_enter(). The stack has the layout that the common entry stub
     * builds (kernel/irq/interrupt.S). */
    .type leave_sandbox, @function
    .balign 16
leave_sandbox:
    push_registers
    cld
    movq %rsp, %rsi
    leaq sandbox_left(%rip), %rdi
    movl $FRAME_BYTES / 8, %ecx
    rep movsq
    movq %cr2, %rax
    movq %rax, sandbox_cr2(%rip)
    movl $SELECTOR_DATA, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    xorl %eax, %eax
    movl %eax, %fs
    movl %eax, %gs
    movq kernel_rsp(%rip), %rsp
    popfq
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret
    .size leave_sandbox, . - leave_sandbox

    /* Entry stub of a vector. An exception raised in ring 0 goes to the common entry. For the
     * vectors tested here, the same as in interrupt.S, the processor pushes an error code after CS
     * and RIP; the others push 0 in its place. */
    .macro sandbox_entry number, vector
    .type sandbox_entry_\number, @function
    .balign 16
sandbox_entry_\number:
    .if \vector == 8 || (\vector >= 10 && \vector <= 14) || \vector == 17 || \vector == 21 || \vector == 29 || \vector == 30
    testb $3, 16(%rsp)
    jz interrupt_entries + ENTRY_SIZE * \vector
    .else
    testb $3, 8(%rsp)
    jz interrupt_entries + ENTRY_SIZE * \vector
    pushq $0
    .endif
    pushq $\vector
    jmp leave_sandbox
    .size sandbox_entry_\number, . - sandbox_entry_\number
    .endm

    .altmacro
    .set number, 0
    .rept 32
    sandbox_entry %number, %number
    .set number, number + 1
    .endr
    sandbox_entry 32, VECTOR_TIMER

    .section .data.rel.ro.sandbox, "aw"
    .globl sandbox_entries
    .hidden sandbox_entries
    .type sandbox_entries, @object
    .balign 8
sandbox_entries:
    .macro sandbox_address number
    .quad sandbox_entry_\number
    .endm
    .set number, 0
    .rept 33
    sandbox_address %number
    .set number, number + 1
    .endr
    .size sandbox_entries, . - sandbox_entries

    .section .bss.sandbox, "aw", @nobits
    .balign 8
kernel_rsp:
    .quad 0

    .section .note.GNU-stack, "", @progbits
