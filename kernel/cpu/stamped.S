/* SPDX-License-Identifier: BSD-2-Clause */
/* The exception handlers of stamped.h. */
    /* Offsets in struct stamped; stamped.c checks them. */
    .set STAMPED_ENTRY, 0
    .set STAMPED_EXIT, 8
    .set STAMPED_COUNT, 16

    .section .text.stamped_entry, "ax"

    /* code: size of the error code in bytes */
    .macro stamped_handler name, code
    .globl \name
    .hidden \name
    .type \name, @function
    .balign 64
\name:
    pushq %rax
    pushq %rdx
    rdtsc
    movl %eax, stamped + STAMPED_ENTRY(%rip)
    movl %edx, stamped + STAMPED_ENTRY + 4(%rip)
    incq stamped + STAMPED_COUNT(%rip)
    movq %r11, 16 + \code(%rsp)
    lfence
    rdtsc
    movl %eax, stamped + STAMPED_EXIT(%rip)
    movl %edx, stamped + STAMPED_EXIT + 4(%rip)
    popq %rdx
    popq %rax
    .if \code
    addq $\code, %rsp
    .endif
    iretq
    .size \name, . - \name
    .endm

    stamped_handler stamped_entry, 0
    stamped_handler stamped_entry_code, 8

    .section .note.GNU-stack, "", @progbits
