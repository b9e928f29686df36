/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The idle loop, in assembly so that no compiler changes what an iteration is: two instructions.
 * Both copies of the inner loop begin on a 64-byte border, so that they decode alike.
 */
    .section .text.idle_loop, "ax"

    /* void idle_loop_run(int64_t *stamps, size_t count, uint64_t inner) */
    .globl idle_loop_run
    .hidden idle_loop_run
    .type idle_loop_run, @function
    .balign 64
idle_loop_run:
    movq %rdx, %r8
    subq $8, %rdi
    incq %rsi
    /* The first stamp is taken by the code of all others, so that every sample has the same path. */
    jmp 3f
1:  movq %r8, %rcx
    .balign 64
2:  decq %rcx
    jnz 2b
3:  lfence
    rdtsc
    shlq $32, %rdx
    orq %rdx, %rax
    addq $8, %rdi
    movq %rax, (%rdi)
    decq %rsi
    jnz 1b
    ret
    .size idle_loop_run, . - idle_loop_run

    /* void idle_loop_spin(uint64_t iterations) */
    .globl idle_loop_spin
    .hidden idle_loop_spin
    .type idle_loop_spin, @function
    .balign 64
idle_loop_spin:
    movq %rdi, %rcx
    .balign 64
1:  decq %rcx
    jnz 1b
    ret
    .size idle_loop_spin, . - idle_loop_spin

    .section .note.GNU-stack, "", @progbits
