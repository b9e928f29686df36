/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Where a fault of a mapped file goes on that has to wait: on its thread's stack in the kernel, which
 * begins with what was interrupted, as struct interrupt_frame; see file_map.h.
 */
#include "kernel/cpu/assembly.inc"

    .section .text.file_fault_entry, "ax"

    .globl file_fault_entry
    .hidden file_fault_entry
    .type file_fault_entry, @function
    .balign 16
file_fault_entry:
    movq %rsp, %rdi
    xorl %ebp, %ebp /* where a walk up the stack ends */
    cld
    call file_fault_wait
    pop_registers
    addq $16, %rsp
    iretq
    .size file_fault_entry, . - file_fault_entry

    .section .note.GNU-stack, "", @progbits
