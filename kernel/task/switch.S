/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Switches from one thread's stack to another's. Registers that a function call may change are
 * saved by the caller; the others (SysV ABI, figure 3.4) are saved on the stack that is left.
 */
    .section .text.thread_switch_stack, "ax"

    /* void thread_switch_stack(uint64_t *old_rsp, uint64_t new_rsp) */
    .globl thread_switch_stack
    .hidden thread_switch_stack
    .type thread_switch_stack, @function
    .balign 16
thread_switch_stack:
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret
    .size thread_switch_stack, . - thread_switch_stack

    .section .note.GNU-stack, "", @progbits
