/* SPDX-License-Identifier: BSD-2-Clause */
/* Loops of exit_operations.h. uint64_t exit_NAME(RDI: count, RSI: operand, RDX: value, RCX: value
 * of EDX) */
#include "kernel/cpu/assembly.inc"

    .section .text.exits, "ax"

    /* A loop whose code finds the value in RAX, the value of EDX in RDX and the operand in RCX and
     * RSI. */
    .macro repeat name, code
    begin exit_\name
    pushq %rbx
    movq %rdx, %r9
    movq %rcx, %r10
    stamp %r8
    movq %rsi, %rcx
    movq %r9, %rax
    movq %r10, %rdx
    .balign 64
1:  \code
    decq %rdi
    jnz 1b
    stamp %rax
    subq %r8, %rax
    popq %rbx
    ret
    .size exit_\name, . - exit_\name
    .endm

    /* A loop whose code loads the value itself, one more instruction a repetition: hypervisors
     * answer in RAX, and CPUID overwrites it. */
    .macro repeat_value name, code
    begin exit_\name
    pushq %rbx
    movl %edx, %r9d
    stamp %r8
    xorl %ecx, %ecx
    .balign 64
1:  \code
    decq %rdi
    jnz 1b
    stamp %rax
    subq %r8, %rax
    popq %rbx
    ret
    .size exit_\name, . - exit_\name
    .endm

    begin exit_loop
    stamp %r8
    .balign 64
1:  decq %rdi
    jnz 1b
    stamp %rax
    subq %r8, %rax
    ret
    .size exit_loop, . - exit_loop

    begin exits_stamps
    stamp %r8
    stamp %rax
    subq %r8, %rax
    ret
    .size exits_stamps, . - exits_stamps

    begin exits_touch
    stamp %r8
    movb $0, (%rdi)
    stamp %rax
    subq %r8, %rax
    ret
    .size exits_touch, . - exits_touch

    /* Macros for the code of operations. Lets interrupts in by STI and HLT or NOP, and waits until
     * the handler has counted this repetition. */
    .macro deliver wait
    sti
    \wait
2:  cmpq %rdi, exit_undelivered(%rip)
    je 2b
    cli
    .endm

    /* Sets the task priority by its register, which lies 280h below the command register (SDM
     * volume 3, table 11-1). */
    .macro priority value
    movl $\value, -0x280(%rsi)
    .endm

    .macro x2apic_write register, value
    movl $\register, %ecx
    movl $\value, %eax
    xorl %edx, %edx
    wrmsr
    .endm

#define EXIT_OPERATION(name, label, meaning, bare, amd, intel, amd_path, intel_path, instructions, \
                       because, loop, code, find)                                                  \
    loop name, code
#include "bench/system/exit_operations.def"

    /* int exit_try_NAME(RDI: value of RAX): returns 0, or the vector of the exception that it
     * raised. */
    .macro try name
    begin exit_try_\name
    pushq %rbx
    movl %edi, %eax
    xorl %ecx, %ecx
    xorl %edx, %edx
1:  \name
    xorl %eax, %eax
2:  popq %rbx
    ret
    .pushsection .ex_table, "a"
    .balign 4
    .long 1b - .
    .long 2b - .
    .popsection
    .size exit_try_\name, . - exit_try_\name
    .endm

    try vmcall
    try vmmcall

    .section .note.GNU-stack, "", @progbits
