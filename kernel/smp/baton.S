/* SPDX-License-Identifier: BSD-2-Clause */
/* Entry stubs of the interrupts by which processors take turns in exact time (baton.c). */
#include "kernel/cpu/assembly.inc"

#if TARE_SMP
    .section .text.baton, "ax"

    interrupt_entry baton_tick_entry, baton_tick
    interrupt_entry baton_grant_entry, lapic_end_of_interrupt
#endif

    .section .note.GNU-stack, "", @progbits
