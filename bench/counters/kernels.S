/* SPDX-License-Identifier: BSD-2-Clause */
/* The known kernels of kernels.h, each called as void kernel(RDI: iterations, RSI: buffer). */
#include "kernel/cpu/assembly.inc"

    .section .text.kernels, "ax"

    .macro loop_end name
    decq %rdi
    jnz 1b
    ret
    .size \name, . - \name
    .endm

    /* Eight loads, `distance` bytes apart: all within a line, or each across the same border. */
    .macro eight_loads name, first, distance
    begin \name
    .balign 64
1:  .set offset, \first
    .rept 8
    movq offset(%rsi), %rax
    .set offset, offset + \distance
    .endr
    loop_end \name
    .endm

    begin kernel_empty
    nop
    ret
    .size kernel_empty, . - kernel_empty

    begin kernel_adds
    .balign 64
1:  .rept 8
    addq %rsi, %rax
    .endr
    loop_end kernel_adds

    eight_loads kernel_loads, 0, 8
    eight_loads kernel_line_splits, 60, 64
    eight_loads kernel_page_splits, 4092, 4096

    begin kernel_stores
    .balign 64
1:  .set offset, 0
    .rept 8
    movq %rax, offset(%rsi)
    .set offset, offset + 8
    .endr
    loop_end kernel_stores

    begin kernel_branches
    movabsq $88172645463325252, %rax
    .balign 64
1:  movq %rax, %rcx
    shlq $13, %rcx
    xorq %rcx, %rax
    movq %rax, %rcx
    shrq $7, %rcx
    xorq %rcx, %rax
    movq %rax, %rcx
    shlq $17, %rcx
    xorq %rcx, %rax
    testb $1, %al
    jz 2f
    nop
2:  loop_end kernel_branches

    begin kernel_pages
    xorl %eax, %eax
    xorl %ecx, %ecx
    .balign 64
1:  leaq 5471 * 4096(%rax, %rcx), %rax
    andl $(1 << 28) - 1, %eax
    movq (%rsi, %rax), %rcx
    loop_end kernel_pages

    begin kernel_segment_loads
    movl %ds, %eax
    .balign 64
1:  .rept 8
    movl %eax, %es
    .endr
    loop_end kernel_segment_loads

    .section .note.GNU-stack, "", @progbits
