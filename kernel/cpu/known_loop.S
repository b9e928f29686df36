/* SPDX-License-Identifier: BSD-2-Clause */
    .section .text.known_loop, "ax"

    /* Returns the ticks since ESI (low) and R8D (high). */
    .macro end_timed
    rdtsc
    shlq $32, %rdx
    orq %rdx, %rax
    shlq $32, %r8
    orq %r8, %rsi
    subq %rsi, %rax
    ret
    .endm

    .macro timed_loop name, fillers
    .globl \name
    .type \name, @function
    .balign 64
\name:
    rdtsc
    movl %eax, %esi
    movl %edx, %r8d
    .balign 64
1:
    .rept \fillers
    nop
    .endr
    decq %rdi
    jnz 1b
    end_timed
    .size \name, . - \name
    .endm

    timed_loop known_loop_short, 0
    timed_loop known_loop_long, 8

    .globl known_loop_cpuid
    .type known_loop_cpuid, @function
known_loop_cpuid:
    pushq %rbx /* CPUID changes EAX, EBX, ECX and EDX */
    rdtsc
    movl %eax, %esi
    movl %edx, %r8d
1:  xorl %eax, %eax
    cpuid
    decq %rdi
    jnz 1b
    popq %rbx
    end_timed
    .size known_loop_cpuid, . - known_loop_cpuid

    .globl known_instructions
    .type known_instructions, @function
known_instructions:
    shrq %rdi
    jnc 1f
    nop /* one more instruction for an odd count */
1:  incq %rdi
2:  decq %rdi
    jnz 2b
    ret
    .size known_instructions, . - known_instructions

    .section .note.GNU-stack, "", @progbits
