/* SPDX-License-Identifier: BSD-2-Clause */
/* The code in which another processor starts, and start_call_on() (start.h). */

    .set SETTINGS_CR0, 0
    .set SETTINGS_CR3, 4
    .set SETTINGS_CR4, 8
    .set SETTINGS_EFER, 12
    .set SETTINGS_ROOT, 16
    .set SETTINGS_ENTRY, 24
    .set SETTINGS_ARGUMENT, 32
    .set SETTINGS_STACK, 40

    .set MSR_EFER, 0xc0000080
    .set CODE_32, 0x08
    .set DATA_32, 0x10
    .set CODE_64, 0x18

    /* This is data until it is copied to where it runs. */
    .section .rodata.start, "a"
    .balign 16
    .globl start_code
    .hidden start_code
start_code:
    .code16
    cli
    cld
    movw %cs, %ax
    movw %ax, %ds
    xorl %ebx, %ebx
    movw %ax, %bx
    shll $4, %ebx
    lgdtl start_gdt_pointer - start_code
    movl %cr0, %eax
    orb $1, %al
    movl %eax, %cr0
    ljmpl *(start_protected_pointer - start_code)

    .code32
start_protected:
    movl $DATA_32, %eax
    movl %eax, %ds
    movl %eax, %es
    movl %eax, %ss
    leal (start_settings - start_code)(%ebx), %esi
    movl SETTINGS_CR4(%esi), %eax
    movl %eax, %cr4
    movl SETTINGS_CR3(%esi), %eax
    movl %eax, %cr3
    movl $MSR_EFER, %ecx
    movl SETTINGS_EFER(%esi), %eax
    xorl %edx, %edx
    wrmsr
    movl SETTINGS_CR0(%esi), %eax
    movl %eax, %cr0
    ljmpl *(start_long_pointer - start_code)(%ebx)

    .code64
start_long:
    movq SETTINGS_ROOT(%rsi), %rax
    movq %rax, %cr3
    xorl %eax, %eax
    xchgq %rax, SETTINGS_STACK(%rsi)
    testq %rax, %rax
    jz 1f
    movq %rax, %rsp
    movq SETTINGS_ARGUMENT(%rsi), %rdi
    xorl %ebp, %ebp
    call *SETTINGS_ENTRY(%rsi)
1:  cli
    hlt
    jmp 1b

    .balign 8
start_gdt:
    .quad 0
    .quad 0x00cf9b000000ffff
    .quad 0x00cf93000000ffff
    .quad 0x00af9b000000ffff
start_gdt_end:
start_settings:
    .fill SETTINGS_STACK + 8, 1, 0
start_gdt_pointer:
    .word start_gdt_end - start_gdt - 1
    .long start_gdt - start_code
start_protected_pointer:
    .long start_protected - start_code
    .word CODE_32
start_long_pointer:
    .long start_long - start_code
    .word CODE_64
    .globl start_code_end
    .hidden start_code_end
start_code_end:

    .section .text.start, "ax"

    /* void start_call_on(uint64_t stack_top, start_function *function, void *argument) */
    .globl start_call_on
    .hidden start_call_on
    .type start_call_on, @function
start_call_on:
    pushq %rbp
    movq %rsp, %rbp
    movq %rsi, %rax
    movq %rdi, %rsp
    movq %rdx, %rdi
    movq %rbp, %rsi
    call *%rax
    movq %rbp, %rsp
    popq %rbp
    ret
    .size start_call_on, . - start_call_on

    .section .note.GNU-stack, "", @progbits
