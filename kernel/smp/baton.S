/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry stubs of the interrupts by which processors take turns in exact time (baton.c). */
#include "kernel/cpu/assembly.inc"

#if TARE_SMP
    .section .text.baton, "ax"

    /* Sets the local time so that it is at the end of IRETQ what it was before the first PUSHQ: two
     * instructions before the stamp, and BATON_TICK_INSTRUCTIONS - 2 from the second RDTSC on. */
    .globl baton_tick_entry
    .hidden baton_tick_entry
    .type baton_tick_entry, @function
    .balign 16
baton_tick_entry:
    enter_stamped
    call baton_tick
    movq %rax, %rcx
    rdtsc
    shlq $32, %rdx
    orq %rdx, %rax
    subq %rcx, %rax
    addq baton_tick_ticks(%rip), %rax
    movq %rax, %gs:percpu_given(%rip)
    leave_stamped
    popq %rdx
    popq %rax
    iretq
    .size baton_tick_entry, . - baton_tick_entry

    interrupt_entry baton_grant_entry, lapic_end_of_interrupt
#endif

    .section .note.GNU-stack, "", @progbits
