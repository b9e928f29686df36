/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code of the segmented structure: a trampoline from 64-bit code, and the 16-bit code that takes a
 * batch's records. segments_give() copies it to a page that ring 3 executes. The image contains it
 * as a constant, and no processor executes it here.
 *
 * Each call loads SEGMENTED_LOADS = 6 segment registers: SS and CS at entry, DS and ES inside, CS
 * and SS at return. Each record loads ES SEGMENTED_WALK = 20 times more, as 16-bit code does for each
 * object that it reaches by a far pointer. The 16-bit code reads each record with 24 reads of two bytes at odd addresses;
 * the packer wrote it with 6 writes of 8 bytes.
 */
    /* Copies of numbers in descriptors.h, segments.h and request.h; segmented.c checks them. */
    .set SELECTOR_USER_DATA, 0x1b
    .set SELECTOR_CODE, 0x4b
    .set SELECTOR_DATA, 0x53
    .set SELECTOR_EXTRA, 0x5b
    .set SELECTOR_STACK, 0x63
    .set STACK_END, 0x4000
    .set BATCH_REQUESTS, 40 /* offset of the first request in struct batch */
    .set WORDS, 24          /* 16-bit words in a request */
    .set WALK, 20           /* far pointers followed for a request */

    .section .rodata.segmented_code, "a"

    .globl segmented_code
    .hidden segmented_code
    .type segmented_code, @object
    .balign 16
segmented_code:
    /* The change of mode leaves registers undefined. Those that a C function must preserve are
     * saved on the caller's stack. */
    pushq %rbx
    pushq %rbp
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movl $SELECTOR_STACK, %eax
    movq %rsp, segmented_code + STACK_END - 8(%rip)
    leaq segmented_code + STACK_END - 8(%rip), %rsp
    movl %eax, %ss
    lcall *far_pointer(%rip)
    /* Only the low 16 bits of the stack pointer (SP) are defined here. */
    leaq segmented_code + STACK_END - 8(%rip), %rsp
    movl $SELECTOR_USER_DATA, %eax
    movl %eax, %ss
    movq (%rsp), %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbp
    popq %rbx
    ret

    .balign 8
far_pointer:
    .long take_records - segmented_code
    .word SELECTOR_CODE

    .code16
    .balign 16
take_records:
    movw $SELECTOR_DATA, %ax
    movw %ax, %ds
    movw $SELECTOR_EXTRA, %dx
    movw %dx, %es
    cld
    xorw %si, %si
    movw $BATCH_REQUESTS, %di
1:  lodsb
    testb %al, %al
    jz 2f
    .rept WALK
    movw %dx, %es
    .endr
    .rept WORDS
    movsw
    .endr
    incw %si
    jmp 1b
2:  lretl
    .code64

    .globl segmented_code_end
    .hidden segmented_code_end
segmented_code_end:
    .size segmented_code, . - segmented_code

    .section .note.GNU-stack, "", @progbits
