/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions declared in exceptions.c. void raise(RDI: stamps, RSI: operand) */
#include "kernel/cpu/assembly.inc"

    .set RAISE_BEFORE, 0
    .set RAISE_BEHIND, 8
    /* exceptions.c checks that these numbers match. */
    .set RAISE_VECTOR, 0x48
    .set RAISE_TURNS_MAX, 1000000

    .section .text.raise, "ax"

    /* Continues after the instruction, at R11, whether the exception is a fault, which points at
     * the instruction, or a trap. */
    .macro raise name, instruction:vararg
    begin raise_\name
    xorl %ecx, %ecx
    leaq 1f(%rip), %r11
    stamp %r8
    \instruction
1:  stamp %r9
    movq %r8, RAISE_BEFORE(%rdi)
    movq %r9, RAISE_BEHIND(%rdi)
    ret
    .size raise_\name, . - raise_\name
    .endm

    raise nothing
    raise divide, divl %ecx
    raise read, movq (%rsi), %rax
    raise undefined, ud2
    raise int, int $RAISE_VECTOR

    begin raise_wait
    movl $RAISE_TURNS_MAX, %r10d
    xorl %r9d, %r9d
1:  movq %r9, %r8
    movq (%rsi), %rcx
    stamp %r9
    testq %rcx, %rcx
    jnz 2f
    decq %r10
    jnz 1b
2:  movq %r8, RAISE_BEFORE(%rdi)
    movq %r9, RAISE_BEHIND(%rdi)
    ret
    .size raise_wait, . - raise_wait

    .section .note.GNU-stack, "", @progbits
