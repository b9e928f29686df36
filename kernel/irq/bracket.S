/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entry of a timed interrupt. The exit time goes to a fixed place, from which the next entry
 * (inside its own measured time) or bracket_stop() takes it. So only five instructions follow the
 * last RDTSC.
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
