/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entry of a bracketed interrupt. The exit stamp goes to a fixed place, from where the next entry
 * (inside its own bracket) or bracket_stop() files it: that keeps the path behind the last RDTSC at
 * five instructions.
 */
    .section .text.bracket_entry, "ax"
    .globl bracket_entry
    .hidden bracket_entry
    .type bracket_entry, @function
    .balign 64
bracket_entry:
    pushq %rax
    pushq %rdx
    rdtsc
    pushq %rcx
    pushq %rsi
    pushq %rdi
    pushq %r8
    pushq %r9
    pushq %r10
    pushq %r11
    shlq $32, %rdx
    orq %rdx, %rax
    movq %rax, %rdi
    cld
    /* The processor aligns RSP to 16 and pushes 5 words, we push 9: aligned again. */
    call bracket_interrupt
    popq %r11
    popq %r10
    popq %r9
    popq %r8
    popq %rdi
    popq %rsi
    popq %rcx
    lfence
    rdtsc
    movl %eax, bracket_exit_stamp(%rip)
    movl %edx, 4 + bracket_exit_stamp(%rip)
    popq %rdx
    popq %rax
    iretq
    .size bracket_entry, . - bracket_entry

    .section .note.GNU-stack, "", @progbits
