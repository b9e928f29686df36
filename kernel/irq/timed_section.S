/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entry of a timed interrupt. The exit time goes to a fixed place, from which the next entry
 * (inside its own measured time) or timed_section_stop() takes it. So only five instructions follow
 * the last RDTSC.
 */
#include "kernel/cpu/assembly.inc"

    .section .text.timed_section_entry, "ax"
    .globl timed_section_entry
    .hidden timed_section_entry
    .type timed_section_entry, @function
    .balign 64
timed_section_entry:
    enter_stamped
    call timed_section_interrupt
    leave_stamped
    lfence
    rdtsc
    movl %eax, timed_section_exit_stamp(%rip)
    movl %edx, 4 + timed_section_exit_stamp(%rip)
    popq %rdx
    popq %rax
    iretq
    .size timed_section_entry, . - timed_section_entry

    .section .note.GNU-stack, "", @progbits
