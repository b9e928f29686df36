/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The common entry of all vectors: 256 entries of 8 bytes, then one path that saves all general
 * registers as struct interrupt_frame (interrupt_frame.h) and calls interrupt_dispatch().
 *
 * An entry pushes its vector minus 128, which fits a signed byte. If the processor pushes no error
 * code, the vector is copied below itself, and its first place becomes the error code 0.
 */
#include "kernel/cpu/assembly.inc"

    .section .text.interrupt_entry, "ax"

    .globl interrupt_entries
    .hidden interrupt_entries
    .balign 16
interrupt_entries:
    .set vector, 0
    .rept 256
    .balign 8
    pushq $vector - 128
    /* Vectors with an error code that the processor pushes: 8, 10-14, 17, 21, 29, 30 (SDM volume 3
     * table 6-1; APM volume 2 section 8.2 for 29 and 30). */
    .if vector == 8 || (vector >= 10 && vector <= 14) || vector == 17 || vector == 21 || vector == 29 || vector == 30
    jmp interrupt_common
    .else
    jmp interrupt_without_code
    .endif
    .set vector, vector + 1
    .endr

    .balign 16
    .type interrupt_without_code, @function
interrupt_without_code:
    pushq (%rsp)
    movq $0, 8(%rsp)
    .size interrupt_without_code, . - interrupt_without_code

    .type interrupt_common, @function
interrupt_common:
    addq $128, (%rsp)
    push_registers
    cld
    movq %rsp, %rdi
    movq %rsp, %rbp
    andq $-16, %rsp
    call interrupt_dispatch
    movq %rbp, %rsp
    pop_registers
    addq $16, %rsp
    iretq
    .size interrupt_common, . - interrupt_common

    .section .note.GNU-stack, "", @progbits
