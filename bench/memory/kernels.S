/* SPDX-License-Identifier: BSD-2-Clause */
/* The pointer chase of kernels.h. */
    .section .text.memory_chase, "ax", @progbits

    /* RDI: address of the pointer; RSI: hops. R8 holds the first stamp. */
    .globl memory_chase
    .hidden memory_chase
    .type memory_chase, @function
    .balign 64
memory_chase:
    movq (%rdi), %rcx
    lfence
    rdtsc
    lfence
    shlq $32, %rdx
    leaq (%rax, %rdx), %r8
    .balign 64
1:  movq (%rcx), %rcx
    decq %rsi
    jnz 1b
    lfence
    rdtsc
    lfence
    shlq $32, %rdx
    addq %rdx, %rax
    subq %r8, %rax
    movq %rcx, (%rdi)
    ret
    .size memory_chase, . - memory_chase

    .section .note.GNU-stack, "", @progbits
