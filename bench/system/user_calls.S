/* SPDX-License-Identifier: BSD-2-Clause */
/* The calls of syscall.c, in ring 3: uint64_t calls(RDI: samples, RSI: count, RDX: address) */
#include "kernel/cpu/assembly.inc"

    /* from kernel/task/user.h; syscall.c checks that they match */
    .set SYSCALL_NULL, 0
    .set SYSCALL_SUM1, 10
    .set SYSCALL_COPY64, 16
    .set SYSCALL_STAT, 17
    .set USER_NAME_BYTES, 64
    .set SYSCALL_VECTOR, 0x80

    .section .user, "ax"

    .macro empty
    .endm

    .macro null
    movl $SYSCALL_NULL, %eax
    syscall
    .endm

    .macro arguments count
    movl $1, %edi
    .if \count > 1
    movl $2, %esi
    .endif
    .if \count > 2
    movl $4, %edx
    .endif
    .if \count > 3
    movl $8, %r10d
    .endif
    .if \count > 4
    movl $16, %r8d
    .endif
    .if \count > 5
    movl $32, %r9d
    .endif
    movl $SYSCALL_SUM1 - 1 + \count, %eax
    syscall
    .endm

    .macro copy64
    movq %r15, %rdi
    movl $SYSCALL_COPY64, %eax
    syscall
    .endm

    .macro stat
    movq %r15, %rdi
    leaq USER_NAME_BYTES(%r15), %rsi
    movl $SYSCALL_STAT, %eax
    syscall
    .endm

    .macro interrupt
    movl $SYSCALL_NULL, %eax
    int $SYSCALL_VECTOR
    .endm

    .macro sysenter_null
    movl $SYSCALL_NULL, %eax
    call user_sysenter
    .endm

    .macro timed name, call:vararg
    .globl user_calls_\name
    .hidden user_calls_\name
    .type user_calls_\name, @function
    .balign 64
user_calls_\name:
    pushq %rbp
    movq %rsp, %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    pushq %rax /* makes RSP a multiple of 16 */
    movq %rdi, %rbx
    movq %rsi, %r12
    movq %rdx, %r15
    xorl %r13d, %r13d
    .balign 64
1:  stamp %r14
    \call
    movq %rax, %rcx
    stamp %rax
    subq %r14, %rax
    movq %rax, (%rbx)
    addq %rcx, %r13
    addq $8, %rbx
    decq %r12
    jnz 1b
    movq %r13, %rax
    popq %rcx
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .size user_calls_\name, . - user_calls_\name
    .endm

    timed empty, empty
    timed null, null
    timed arguments1, arguments 1
    timed arguments2, arguments 2
    timed arguments3, arguments 3
    timed arguments4, arguments 4
    timed arguments5, arguments 5
    timed arguments6, arguments 6
    timed copy64, copy64
    timed stat, stat
    timed interrupt, interrupt
    timed sysenter, sysenter_null

    .section .note.GNU-stack, "", @progbits
