/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entry into the kernel by SYSCALL, INT and SYSENTER, and the return; see syscall.h.
 *
 * SYSRET to an address that is not canonical would fault in ring 0 on the stack of ring 3. That
 * cannot happen: the address follows a SYSCALL, and ring 3 executes only .user pages, which have
 * low addresses. If the processor cannot forbid execution, ring 3 may also execute its own memory,
 * which lies below 2^47 as well.
 */
    /* Numbers of user.h; syscall.c checks them. */
    .set SYSCALL_EXIT, 1
    .set SYSCALL_COUNT, 29
    /* Offset in struct task_state of descriptors.h. */
    .set TASK_STATE_RSP0, 4
    .set FLAGS_RING3, 0x202 /* IF, and the bit that is always set */

/* OWN(x): this processor's copy of a variable (kernel/cpu/percpu.h). A system call is a section
 * (kernel/cpu/cpu.h): `enter` and `leave` keep all registers but RFLAGS. */
#if TARE_SMP
#define OWN(variable) %gs:variable
#define KERNEL_STACK  movq %gs:kernel_stack_here(%rip), %rsp
    .macro section function
    cmpb $0, sections_shared(%rip)
    je 9f
    .irp register, rax, rcx, rdx, rsi, rdi, r8, r9, r10, r11
    pushq %\register
    .endr
    pushq %rbp
    movq %rsp, %rbp
    andq $-16, %rsp
    call \function
    movq %rbp, %rsp
    popq %rbp
    .irp register, r11, r10, r9, r8, rdi, rsi, rdx, rcx, rax
    popq %\register
    .endr
9:
    .endm
    .macro enter
    section section_enter
    .endm
    .macro leave_section
    section section_leave
    .endm
#else
#define OWN(variable) variable
#define KERNEL_STACK  movq task_state + TASK_STATE_RSP0(%rip), %rsp
    .macro enter
    .endm
    .macro leave_section
    .endm
#endif

    .section .text.syscall_entry, "ax"

    .globl syscall_entry
    .hidden syscall_entry
    .type syscall_entry, @function
    .balign 64
syscall_entry:
    /* Interrupts are off, so no other thread gets here before this thread's RSP is on its stack. */
    movq %rsp, OWN(user_rsp)(%rip)
    KERNEL_STACK
    pushq OWN(user_rsp)(%rip)
    pushq %r11
    pushq %rcx
    pushq %rax
    enter
    cmpq $SYSCALL_COUNT, %rax
    jae 3f
    cmpb $0, syscall_traced(%rip)
    jne 4f
    leaq syscall_table(%rip), %rcx
    call *(%rcx,%rax,8)
    /* A handler that waited also returns with interrupts off; this CLI is a safeguard. */
2:  cli
    leave_section
    addq $8, %rsp
    popq %rcx
    popq %r11
    popq %rsp
    sysretq
3:  movq $-1, %rax /* SYSCALL_REFUSED */
    jmp 2b
    /* A traced call. Whether calls are traced does not change while there are processes. */
4:  pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %r10
    pushq %r8
    pushq %r9
    movl %eax, %edi
    call trace_syscall_entry
    popq %r9
    popq %r8
    popq %r10
    popq %rdx
    popq %rsi
    popq %rdi
    movq (%rsp), %rax
    leaq syscall_table(%rip), %rcx
    call *(%rcx,%rax,8)
    popq %rdi
    pushq %rax
    call trace_syscall_exit
    popq %rax
    cli
    leave_section
    popq %rcx
    popq %r11
    popq %rsp
    sysretq
    .size syscall_entry, . - syscall_entry

    /* Entry by an interrupt gate: the processor has pushed what IRET needs, and RSP is 8 bytes off
     * a multiple of 16. */
    .globl syscall_interrupt_entry
    .hidden syscall_interrupt_entry
    .type syscall_interrupt_entry, @function
    .balign 64
syscall_interrupt_entry:
    pushq %rax
    cld
    enter
    cmpq $SYSCALL_COUNT, %rax
    jae 2f
    leaq syscall_table(%rip), %rcx
    call *(%rcx,%rax,8)
1:  cli
    leave_section
    addq $8, %rsp
    iretq
2:  movq $-1, %rax
    jmp 1b
    .size syscall_interrupt_entry, . - syscall_interrupt_entry

    /* Entry by SYSENTER, which saves nothing: as in Linux, ring 3 passes its stack in RCX and
     * continues at an address that the kernel knows (user_sysenter). Interrupts are off; STI takes
     * effect only after SYSEXIT has been executed. */
    .globl sysenter_entry
    .hidden sysenter_entry
    .type sysenter_entry, @function
    .balign 64
sysenter_entry:
    KERNEL_STACK
    pushq %rcx
    pushq %rax
    cld
    enter
    cmpq $SYSCALL_COUNT, %rax
    jae 2f
    leaq syscall_table(%rip), %rcx
    call *(%rcx,%rax,8)
1:  leave_section
    addq $8, %rsp
    popq %rcx
    leaq user_sysenter_return(%rip), %rdx
    sti
    sysexitq
2:  movq $-1, %rax
    jmp 1b
    .size sysenter_entry, . - sysenter_entry

    /* Entry by SYSCALL from 16-bit code, which cannot be returned to: UD2 ends what runs. */
    .globl syscall_refused_entry
    .hidden syscall_refused_entry
    .type syscall_refused_entry, @function
    .balign 16
syscall_refused_entry:
    KERNEL_STACK
    ud2
    .size syscall_refused_entry, . - syscall_refused_entry

    /* The fourth argument arrives in R10, because SYSCALL overwrites RCX; C expects it in RCX. */
    .irp name, call_sum4, call_sum5, call_sum6
    .globl \name\()_entry
    .hidden \name\()_entry
    .type \name\()_entry, @function
    .balign 16
\name\()_entry:
    movq %r10, %rcx
    jmp \name
    .size \name\()_entry, . - \name\()_entry
    .endr

    /* bool copy_words(uint64_t *to, const uint64_t *from) copies eight words; returns false if
     * reading or writing faults. */
    .globl copy_words
    .hidden copy_words
    .type copy_words, @function
    .balign 16
copy_words:
    .set word, 0
    .rept 8
    /* kernel/cpu/msr.S defines the format of an entry. */
    .pushsection .ex_table, "a"
    .balign 4
    .long 1f - .
    .long 2f - .
    .balign 4
    .long 3f - .
    .long 2f - .
    .popsection
1:  movq word(%rsi), %rax
3:  movq %rax, word(%rdi)
    .set word, word + 8
    .endr
    movl $1, %eax
    ret
2:  xorl %eax, %eax
    ret
    .size copy_words, . - copy_words

    /* syscall_launch(argument, entry, stack_top) */
    .globl syscall_launch
    .hidden syscall_launch
    .type syscall_launch, @function
    .balign 16
syscall_launch:
    cli /* from here on nothing is shared: no section */
    movq %rdx, %rsp
    leaq user_main(%rip), %rcx
    movl $FLAGS_RING3, %r11d
    xorl %eax, %eax
    xorl %ebx, %ebx
    xorl %edx, %edx
    xorl %ebp, %ebp /* ends a walk up the stack */
    xorl %r8d, %r8d
    xorl %r9d, %r9d
    xorl %r10d, %r10d
    xorl %r12d, %r12d
    xorl %r13d, %r13d
    xorl %r14d, %r14d
    xorl %r15d, %r15d
    sysretq
    .size syscall_launch, . - syscall_launch

    .section .user, "ax"

    /* user_main(argument, entry), in ring 3 */
    .type user_main, @function
    .balign 16
user_main:
    pushq $0 /* there is no caller */
    pushq %rbp
    movq %rsp, %rbp
    call *%rsi
    movl $SYSCALL_EXIT, %eax
    syscall
    ud2
    .size user_main, . - user_main

    /* Number and arguments as for SYSCALL. */
    .globl user_sysenter
    .hidden user_sysenter
    .type user_sysenter, @function
    .balign 16
user_sysenter:
    movq %rsp, %rcx
    sysenter
user_sysenter_return:
    ret
    .size user_sysenter, . - user_sysenter

#if TARE_SMP
    .section .percpu, "aw", @progbits
#else
    .section .bss.user_rsp, "aw", @nobits
#endif
    .balign 8
user_rsp:
    .quad 0

    .section .note.GNU-stack, "", @progbits
