/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry stubs for exceptions and interrupts on processors that do not run the kernel. */
#include "kernel/cpu/assembly.inc"

    .section .text.start, "ax"

    /* As in irq/interrupt.S: if the processor pushes no error code for a vector, the stub pushes 0
     * in its place; then it pushes the vector. */
    .globl other_exception_entries
    .hidden other_exception_entries
    .balign 16
other_exception_entries:
    .set vector, 0
    .rept 32
    .balign 16
    .if vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21 || vector == 29 || vector == 30
    .else
    pushq $0
    .endif
    pushq $vector
    jmp other_exception_common
    .set vector, vector + 1
    .endr

    .type other_exception_common, @function
other_exception_common:
    push_registers
    cld
    movq %rsp, %rdi
    movq %rsp, %rbp
    andq $-16, %rsp
    call other_exception
    movq %rbp, %rsp
    pop_registers
    addq $16, %rsp
    iretq
    .size other_exception_common, . - other_exception_common

    interrupt_entry other_ping_entry, other_ping
    interrupt_entry other_interrupt_entry, other_interrupt

    .globl other_spurious_entry
    .hidden other_spurious_entry
    .type other_spurious_entry, @function
other_spurious_entry:
    iretq
    .size other_spurious_entry, . - other_spurious_entry

    /* Entry stub for the interrupts of an event server (event_server.c). */
    interrupt_entry other_event_server_entry, other_event_server

    .section .note.GNU-stack, "", @progbits
