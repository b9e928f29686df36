/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Faults of 16-bit code, which segments_give() (kernel/task/segments.h) copies to a process. The
 * code starts in 64-bit mode, jumps to the 16-bit routine at the offset in EDI, and does not
 * return. This is constant data in the image.
 */
    .set SELECTOR_CODE, 0x4b
    .set SELECTOR_STACK, 0x63
    .set STACK_END, 0x4000

    .section .rodata.segment_faults, "a"

    .globl segment_faults
    .hidden segment_faults
    .type segment_faults, @object
    .balign 16
segment_faults:
    movl $SELECTOR_STACK, %eax
    leaq segment_faults + STACK_END - 16(%rip), %rsp
    movl %eax, %ss
    movl %edi, (%rsp)
    movw $SELECTOR_CODE, 4(%rsp)
    ljmp *(%rsp)

    .org segment_faults + 0x40 /* fault.c knows these offsets */
    .code16
    xorw %cx, %cx
    xorw %dx, %dx
    divw %cx
    .org segment_faults + 0x80
    .byte 0x0f, 0x05 /* SYSCALL */
    hlt
    .org segment_faults + 0xc0
1:  jmp 1b
    .code64

    .globl segment_faults_end
    .hidden segment_faults_end
segment_faults_end:
    .size segment_faults, . - segment_faults

    .section .note.GNU-stack, "", @progbits
