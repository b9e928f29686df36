/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The idle loop, in assembly so that no compiler changes what an iteration is: two instructions.
 * Every copy of the inner loop begins at a multiple of 64 bytes, so that all copies are decoded
 * alike.
 */
#if TARE_SMP
#include "kernel/cpu/local_time.inc"
#endif

    .section .text.idle_loop, "ax"

    /* void idle_loop_stamped(int64_t *stamps, size_t count, uint64_t inner) */
    .globl idle_loop_stamped
    .hidden idle_loop_stamped
    .type idle_loop_stamped, @function
    .balign 64
idle_loop_stamped:
    movq %rdx, %r8
    subq $8, %rdi
    incq %rsi
    /* The code of all other timestamps also takes the first, so that all samples have the same
     * path. */
    jmp 3f
1:  movq %r8, %rcx
    .balign 64
2:  decq %rcx
    jnz 2b
3:  lfence
#if TARE_SMP
    local_time
#else
    rdtsc
    shlq $32, %rdx
    orq %rdx, %rax
#endif
    addq $8, %rdi
    movq %rax, (%rdi)
    decq %rsi
    jnz 1b
    ret
    .size idle_loop_stamped, . - idle_loop_stamped

    /* As idle_loop_stamped(), but calls `reader` to read a row of counters instead of the
     * timestamp. The call and the return are part of each sample, and are counted in it.
     *     void idle_loop_counted(int64_t *rows, size_t count, uint64_t inner, size_t row_bytes,
     *                            void (*reader)(int64_t *)) */
    .globl idle_loop_counted
    .hidden idle_loop_counted
    .type idle_loop_counted, @function
    .balign 64
idle_loop_counted:
    movq %rdx, %r10
    movq %rcx, %r11
    subq %r11, %rdi
    incq %rsi
    jmp 3f
1:  movq %r10, %rcx
    .balign 64
2:  decq %rcx
    jnz 2b
3:  addq %r11, %rdi
    call *%r8
    decq %rsi
    jnz 1b
    ret
    .size idle_loop_counted, . - idle_loop_counted

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
