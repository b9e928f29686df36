/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entry of a bracketed interrupt. The exit stamp goes to a fixed place, from where the next entry
 * (inside its own bracket) or bracket_stop() files it: that keeps the path behind the last RDTSC at
 * five instructions.
 */
#include "kernel/cpu/assembly.inc"

    .section .text.bracket_entry, "ax"
    .globl bracket_entry
    .hidden bracket_entry
    .type bracket_entry, @function
    .balign 64
bracket_entry:
    enter_stamped
    call bracket_interrupt
    leave_stamped
    lfence
    rdtsc
    movl %eax, bracket_exit_stamp(%rip)
    movl %edx, 4 + bracket_exit_stamp(%rip)
    popq %rdx
    popq %rax
    iretq
    .size bracket_entry, . - bracket_entry

    .section .note.GNU-stack, "", @progbits
