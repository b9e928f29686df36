/* SPDX-License-Identifier: BSD-2-Clause */
/* Entries of the vectors of bench delivery, 16 bytes apart; each calls delivery_take(frame). */
#include "kernel/cpu/assembly.inc"

    .section .text.delivery_entry, "ax"

    begin delivery_entries
    .irp vector, 0x02, 0x51, 0x55, 0x61, 0x71, 0xe1, 0xf1
    .balign 16
    pushq $0
    pushq $\vector
    jmp take
    .endr
    .size delivery_entries, . - delivery_entries

    .type take, @function
    .balign 16
take:
    push_registers
    cld
    movq %rsp, %rdi
    movq %rsp, %rbp
    andq $-16, %rsp
    call delivery_take
    movq %rbp, %rsp
    pop_registers
    addq $16, %rsp
    iretq
    .size take, . - take

    .section .note.GNU-stack, "", @progbits
