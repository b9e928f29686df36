/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Instructions that may fault safely. An entry of .ex_table is two 32-bit distances from itself, to
 * the faulting instruction and to the fix-up, so that it needs no relocation. The exception handler
 * (exception.c) puts the vector into RAX and continues at the fix-up.
 */
    .macro fixup fault, target
    .pushsection .ex_table, "a"
    .balign 4
    .long \fault - .
    .long \target - .
    .popsection
    .endm

    .section .text.msr, "ax"

    /* int msr_read(uint32_t index, uint64_t *value) */
    .globl msr_read
    .hidden msr_read
    .type msr_read, @function
msr_read:
    movl %edi, %ecx
    movq $0, (%rsi)
1:  rdmsr
    movl %eax, (%rsi)
    movl %edx, 4(%rsi)
    xorl %eax, %eax
2:  ret
    fixup 1b, 2b
    .size msr_read, . - msr_read

    /* int msr_write(uint32_t index, uint64_t value) */
    .globl msr_write
    .hidden msr_write
    .type msr_write, @function
msr_write:
    movl %edi, %ecx
    movl %esi, %eax
    movq %rsi, %rdx
    shrq $32, %rdx
1:  wrmsr
    xorl %eax, %eax
2:  ret
    fixup 1b, 2b
    .size msr_write, . - msr_write

    /* int avx_try(void) */
    .globl avx_try
    .hidden avx_try
    .type avx_try, @function
avx_try:
1:  vzeroupper
    xorl %eax, %eax
2:  ret
    fixup 1b, 2b
    .size avx_try, . - avx_try

    /* int counter_read(uint32_t index, uint64_t *value) */
    .globl counter_read
    .hidden counter_read
    .type counter_read, @function
counter_read:
    movl %edi, %ecx
    movq $0, (%rsi)
    lfence
1:  rdpmc
    lfence
    movl %eax, (%rsi)
    movl %edx, 4(%rsi)
    xorl %eax, %eax
2:  ret
    fixup 1b, 2b
    .size counter_read, . - counter_read

    .section .note.GNU-stack, "", @progbits
