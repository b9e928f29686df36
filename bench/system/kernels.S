/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of kernels.h. uint64_t kernel(RDI: repetitions) */
#include "kernel/cpu/assembly.inc"

    .section .text.system_kernels, "ax"

    .macro end name
    ret
    .size \name, . - \name
    .endm

    /* Sets RAX to the ticks since `from`. */
    .macro ticks_since from
    stamp %rax
    subq \from, %rax
    .endm

    begin loop_register
    stamp %rsi
    .balign 64
1:  decq %rdi
    jnz 1b
    ticks_since %rsi
    end loop_register

    .set VARIABLE, 0
    .set BOUND, 4

    begin loop_memory
    subq $8, %rsp
    movl %edi, BOUND(%rsp)
    movl $0, VARIABLE(%rsp)
    stamp %rsi
    .balign 64
1:  movl VARIABLE(%rsp), %eax
    cmpl BOUND(%rsp), %eax
    jae 3f
    jmp 2f
2:  movl VARIABLE(%rsp), %eax
    addl $1, %eax
    movl %eax, VARIABLE(%rsp)
    jmp 1b
3:  ticks_since %rsi
    addq $8, %rsp
    end loop_memory

    /* ---- calls ---- */

    .set ARGUMENTS_MAX, 7
    /* The frame of a loop: space for arguments on the stack at RSP, its variables above them. */
    .set VARIABLES, 8 * ARGUMENTS_MAX
    .set FRAME, 96 /* size of the frame; together with two pushes, a multiple of 16 */

    .macro argument_in_register number, register
    .if arguments > \number
    movl VARIABLES + 4 * \number(%rsp), %\register
    .endif
    .endm

    .macro argument_on_stack number, place
    .if arguments > \number
    movl VARIABLES + 4 * \number(%rsp), %eax
    movl %eax, 8 * \place(%rsp)
    .endif
    .endm

    .macro arguments_register
    argument_in_register 0, edi
    argument_in_register 1, esi
    argument_in_register 2, edx
    argument_in_register 3, ecx
    argument_in_register 4, r8d
    argument_in_register 5, r9d
    argument_on_stack 6, 0
    .endm

    .macro arguments_stack
    .irp number, 0, 1, 2, 3, 4, 5, 6
    argument_on_stack \number, \number
    .endr
    .endm

    /* Defines call_KINDn, and callee_KINDn, which it calls. */
    .macro calls kind, n
    .set arguments, \n
    .type callee_\kind\n, @function
    .balign 64
callee_\kind\n:
    pushq %rbp
    movq %rsp, %rbp
    popq %rbp
    end callee_\kind\n

    .type call_\kind\n, @function
    .balign 64
call_\kind\n:
    pushq %rbp
    movq %rsp, %rbp
    pushq %rbx
    pushq %r12
    subq $FRAME, %rsp
    movq %rdi, %rbx
    .irp number, 0, 1, 2, 3, 4, 5, 6
    movl $\number, VARIABLES + 4 * \number(%rsp)
    .endr
    stamp %r12
    .balign 64
1:  arguments_\kind
    call callee_\kind\n
    decq %rbx
    jnz 1b
    ticks_since %r12
    addq $FRAME, %rsp
    popq %r12
    popq %rbx
    popq %rbp
    end call_\kind\n
    .endm

    .irp kind, register, stack
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    calls \kind, \n
    .endr
    .endr

    /* ---- clocks ---- */

    .macro lfence_rdtsc
    lfence
    rdtsc
    .endm

    .macro mfence_rdtsc
    mfence
    rdtsc
    .endm

    .macro lfence_rdtsc_lfence
    lfence
    rdtsc
    lfence
    .endm

    .macro cpuid_rdtsc
    xorl %eax, %eax
    cpuid
    rdtsc
    .endm

    /* Saves RBX, which CPUID changes, and sets ECX to the index for RDPMC. */
    .macro clock name
    begin clock_\name
    pushq %rbx
    movq %rsi, %rcx
    stamp %rsi
    .balign 64
1:  \name
    decq %rdi
    jnz 1b
    ticks_since %rsi
    popq %rbx
    end clock_\name
    .endm

    .irp name, rdtsc, rdtscp, lfence_rdtsc, mfence_rdtsc, lfence_rdtsc_lfence, cpuid_rdtsc, rdpmc
    clock \name
    .endr

    /* (RDI: samples, RSI: count, EDX: index for RDPMC) */
    .macro pairs name
    begin clock_pairs_\name
    movl %edx, %ecx
    .balign 64
1:  \name
    movl %eax, %r8d
    \name
    subl %r8d, %eax
    movq %rax, (%rdi)
    addq $8, %rdi
    decq %rsi
    jnz 1b
    end clock_pairs_\name
    .endm

    .irp name, rdtsc, rdtscp, lfence_rdtsc_lfence, rdpmc
    pairs \name
    .endr

    /* ---- tables ---- */

    .section .data.rel.ro.system_kernels, "aw"

    .irp kind, register, stack
    .globl call_\kind
    .hidden call_\kind
    .type call_\kind, @object
    .balign 8
call_\kind:
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7
    .quad call_\kind\n
    .endr
    .size call_\kind, . - call_\kind
    .endr

    .section .note.GNU-stack, "", @progbits
