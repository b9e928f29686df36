/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The streams of kernels.h. uint64_t stream(RDI: to, RSI: from, RDX: bytes, RCX: passes)
 *
 * Between two branches, 512 bytes are moved (128 when AVX2 reads: from the second cache that is 5 %
 * faster on Skylake servers). Addresses have no index: the third address unit of Intel's processors
 * takes no store with one. All writes write ones, because some caches treat zeroes specially. After
 * the last pass R11 still holds the first stamp.
 */
    .section .text.kernels, "ax"

    .macro begin name
    .globl \name
    .hidden \name
    .type \name, @function
    .balign 64
\name:
    movq %rdx, %r8
    lfence
    rdtsc
    lfence
    shlq $32, %rdx
    orq %rdx, %rax
    movq %rax, %r11
    .endm

    .macro finish name, behind=""
    lfence
    rdtsc
    lfence
    shlq $32, %rdx
    orq %rdx, %rax
    subq %r11, %rax
    \behind
    ret
    .size \name, . - \name
    .endm

    .macro read_stream name, load, register, registers, count, width, behind="", block=512
    begin \name
    leaq (%rsi, %r8), %r10
2:  movq %rsi, %rax
    .balign 32
1:  .set offset, 0
    .rept \block / (\width * \count)
    .irp n, \registers
    \load offset(%rax), %\register\n
    .set offset, offset + \width
    .endr
    .endr
    addq $\block, %rax
    cmpq %r10, %rax
    jne 1b
    decq %rcx
    jnz 2b
    finish \name, "\behind"
    .endm

    .macro write_stream name, ones, store, register, width, drain="", behind=""
    begin \name
    leaq (%rdi, %r8), %r10
    \ones
2:  movq %rdi, %rax
    .balign 32
1:  .set offset, 0
    .rept 512 / \width
    \store %\register, offset(%rax)
    .set offset, offset + \width
    .endr
    addq $512, %rax
    cmpq %r10, %rax
    jne 1b
    decq %rcx
    jnz 2b
    \drain
    finish \name, "\behind"
    .endm

    .macro copy_stream name, load, store, register, registers, count, width, drain="", behind=""
    begin \name
    leaq (%rsi, %r8), %r10
2:  movq %rsi, %rax
    movq %rdi, %rdx
    .balign 32
1:  .set offset, 0
    .rept 512 / (\width * \count)
    .set stored, offset
    .irp n, \registers
    \load offset(%rax), %\register\n
    .set offset, offset + \width
    .endr
    .irp n, \registers
    \store %\register\n, stored(%rdx)
    .set stored, stored + \width
    .endr
    .endr
    addq $512, %rax
    addq $512, %rdx
    cmpq %r10, %rax
    jne 1b
    decq %rcx
    jnz 2b
    \drain
    finish \name, "\behind"
    .endm

    /* Sets RSI and RDI again for each pass; keeps their first values in R10 and RDX. */
    .macro rep_stream name, instruction
    begin \name
    shrq $3, %r8
    movq %rcx, %r9
    movq %rdi, %r10
    movq %rsi, %rdx
    movq $-1, %rax
1:  movq %r10, %rdi
    movq %rdx, %rsi
    movq %r8, %rcx
    rep \instruction
    decq %r9
    jnz 1b
    finish \name
    .endm

    rep_stream memory_read_rep, lodsq
    rep_stream memory_write_rep, stosq
    rep_stream memory_copy_rep, movsq

    read_stream memory_read_64, movq, r, "8, 9", 2, 8
    read_stream memory_read_sse, movaps, xmm, "0, 1, 2, 3, 4, 5, 6, 7", 8, 16
    read_stream memory_read_avx2, vmovdqa, ymm, "0, 1, 2, 3", 4, 32, vzeroupper, 128
    read_stream memory_read_avx512, vmovdqa64, zmm, "0, 1, 2, 3, 4, 5, 6, 7", 8, 64, vzeroupper

    .macro writes suffix, store_64, store_sse, store_avx, drain=""
    write_stream memory_write_64\suffix, "movq $-1, %r8", \store_64, r8, 8, \drain
    write_stream memory_write_sse\suffix, "pcmpeqd %xmm0, %xmm0", \store_sse, xmm0, 16, \drain
    write_stream memory_write_avx2\suffix, "vpcmpeqd %ymm0, %ymm0, %ymm0", \store_avx, ymm0, 32, \
        \drain, vzeroupper
    .endm
    writes "", movq, movaps, vmovdqa
    writes _nt, movnti, movntps, vmovntdq, sfence
    write_stream memory_write_avx512, "vpternlogd $255, %zmm0, %zmm0, %zmm0", vmovdqa64, zmm0, 64, "", \
        vzeroupper
    write_stream memory_write_avx512_nt, "vpternlogd $255, %zmm0, %zmm0, %zmm0", vmovntdq, zmm0, 64, \
        sfence, vzeroupper

    copy_stream memory_copy_64, movq, movq, r, "8, 9", 2, 8
    copy_stream memory_copy_sse, movaps, movaps, xmm, "0, 1, 2, 3, 4, 5, 6, 7", 8, 16
    copy_stream memory_copy_sse_nt, movaps, movntps, xmm, "0, 1, 2, 3, 4, 5, 6, 7", 8, 16, sfence
    copy_stream memory_copy_avx2, vmovdqa, vmovdqa, ymm, "0, 1, 2, 3, 4, 5, 6, 7", 8, 32, "", vzeroupper
    copy_stream memory_copy_avx2_nt, vmovdqa, vmovntdq, ymm, "0, 1, 2, 3, 4, 5, 6, 7", 8, 32, sfence, \
        vzeroupper
    copy_stream memory_copy_avx512, vmovdqa64, vmovdqa64, zmm, "0, 1, 2, 3, 4, 5, 6, 7", 8, 64, "", \
        vzeroupper
    copy_stream memory_copy_avx512_nt, vmovdqa64, vmovntdq, zmm, "0, 1, 2, 3, 4, 5, 6, 7", 8, 64, \
        sfence, vzeroupper

    .section .note.GNU-stack, "", @progbits
