/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Into the kernel by SYSCALL, and back; see syscall.h.
 *
 * SYSRET with an address that is not canonical would fault in ring 0 on the stack of ring 3. The
 * address is the one behind SYSCALL, and ring 3 executes nothing but .user pages, which lie low;
 * where the processor cannot forbid execution, its own memory, which lies below 2^47 as well.
 */
    /* user.h; syscall.c checks them. */
    .set SYSCALL_EXIT, 1
    .set SYSCALL_COUNT, 10
    /* struct task_state of descriptors.h. */
    .set TASK_STATE_RSP0, 4
    .set FLAGS_RING3, 0x202 /* IF, and the bit that is always set */

    .section .text.syscall_entry, "ax"

    .globl syscall_entry
    .hidden syscall_entry
    .type syscall_entry, @function
    .balign 64
syscall_entry:
    /* Interrupts are off, so nobody else comes here before this thread's RSP is on its stack. */
    movq %rsp, user_rsp(%rip)
    movq task_state + TASK_STATE_RSP0(%rip), %rsp
    pushq user_rsp(%rip)
    pushq %r11
    pushq %rcx
    pushq %rax
    cmpq $SYSCALL_COUNT, %rax
    jae 3f
    cmpb $0, syscall_traced(%rip)
    jne 4f
1:  leaq syscall_table(%rip), %rcx
    call *(%rcx,%rax,8)
    cmpb $0, syscall_traced(%rip)
    jne 5f
    /* A handler that waited comes back with interrupts off as well; this is the net. */
2:  cli
    addq $8, %rsp
    popq %rcx
    popq %r11
    popq %rsp
    sysretq
3:  movq $-1, %rax /* SYSCALL_REFUSED */
    jmp 2b
4:  pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rax
    movl %eax, %edi
    call trace_syscall_entry
    popq %rax
    popq %rdx
    popq %rsi
    popq %rdi
    jmp 1b
5:  movq (%rsp), %rdi
    movq %rax, (%rsp)
    call trace_syscall_exit
    movq (%rsp), %rax
    jmp 2b
    .size syscall_entry, . - syscall_entry

    /* syscall_launch(argument, entry, stack_top) */
    .globl syscall_launch
    .hidden syscall_launch
    .type syscall_launch, @function
    .balign 16
syscall_launch:
    cli
    movq %rdx, %rsp
    leaq user_main(%rip), %rcx
    movl $FLAGS_RING3, %r11d
    xorl %eax, %eax
    xorl %ebx, %ebx
    xorl %edx, %edx
    xorl %ebp, %ebp /* where a walk up the stack ends */
    xorl %r8d, %r8d
    xorl %r9d, %r9d
    xorl %r10d, %r10d
    xorl %r12d, %r12d
    xorl %r13d, %r13d
    xorl %r14d, %r14d
    xorl %r15d, %r15d
    sysretq
    .size syscall_launch, . - syscall_launch

    .section .user, "ax"

    /* user_main(argument, entry), in ring 3 */
    .type user_main, @function
    .balign 16
user_main:
    pushq $0 /* nobody called */
    pushq %rbp
    movq %rsp, %rbp
    call *%rsi
    movl $SYSCALL_EXIT, %eax
    syscall
    ud2
    .size user_main, . - user_main

    .section .bss.user_rsp, "aw", @nobits
    .balign 8
user_rsp:
    .quad 0

    .section .note.GNU-stack, "", @progbits
