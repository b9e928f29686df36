/* SPDX-License-Identifier: BSD-2-Clause */
/* The idling of doze.h, and the way in of the interrupt that ends it. */
#include "kernel/cpu/assembly.inc"

    /* struct doze; doze.c checks it. */
    .set WOKE, 0
    .set ENDS, 8
    .set KIND, 16
    .set HINT, 24
    .set LINE, 64

    .set KIND_HLT, 1
    .set KIND_MWAIT, 2

    .section .text.doze, "ax"

    /* void doze_wait(struct doze *doze). Interrupts are on only while it idles, and R10 has the
     * address meanwhile. Nothing is missed between the look and the idling: what is pending when
     * STI takes effect, behind the instruction that follows, ends HLT and MWAIT at once. NOP: under
     * QEMU PAUSE, and MWAIT of several processors, leave the shadow of STI in force, so that with CLI
     * next no interrupt would ever come. */
    .macro idle_by instruction
1:  sti
    \instruction
    nop
    cli
    incq ENDS(%r10)
    cmpq $0, WOKE(%r10)
    je 1b
    ret
    .endm

    begin doze_wait
    movq %rdi, %r10
    cmpq $KIND_HLT, KIND(%r10)
    je doze_hlt
    ja doze_mwait
    idle_by pause
doze_hlt:
    idle_by hlt
doze_mwait:
    leaq LINE(%r10), %rax
    xorl %ecx, %ecx
    xorl %edx, %edx
    monitor
    movl HINT(%r10), %eax
    sti
    mwait
    nop
    cli
    incq ENDS(%r10)
    cmpq $0, WOKE(%r10)
    je doze_mwait
    ret
    .size doze_wait, . - doze_wait

    begin doze_entry
    enter_stamped
    cmpq $0, doze_active(%rip)
    je 1f
    movq %rdi, WOKE(%r10)
1:  call lapic_end_of_interrupt
    leave_stamped
    popq %rdx
    popq %rax
    iretq
    .size doze_entry, . - doze_entry

    .section .note.GNU-stack, "", @progbits
