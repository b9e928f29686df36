/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entry point of a page fault that has to wait for a mapped file (file_map.h). Runs on the thread's
 * kernel stack, which starts with the interrupted state as a struct interrupt_frame.
 */
#include "kernel/cpu/assembly.inc"

    .section .text.file_fault_entry, "ax"

    .globl file_fault_entry
    .hidden file_fault_entry
    .type file_fault_entry, @function
    .balign 16
file_fault_entry:
    movq %rsp, %rdi
    xorl %ebp, %ebp /* ends a walk up the stack */
    cld
    call file_fault_wait
    pop_registers
    addq $16, %rsp
    iretq
    .size file_fault_entry, . - file_fault_entry

    .section .note.GNU-stack, "", @progbits
