/* SPDX-License-Identifier: BSD-2-Clause */
/* The idle loops of doze.h, and the entry of the interrupt that ends them. */
#include "kernel/cpu/assembly.inc"

    /* Offsets in struct doze; doze.c checks them. */
    .set WOKE, 0
    .set ENDS, 8
    .set KIND, 16
    .set HINT, 24
    .set LINE, 64

    .set KIND_HLT, 1
    .set KIND_MWAIT, 2

    .section .text.doze, "ax"

    /* void doze_wait(struct doze *doze). Interrupts are on only while it idles; meanwhile R10
     * contains the address of `doze`. No interrupt is missed between the check and the idle
     * instruction: STI takes effect after the instruction that follows it, and an interrupt that is
     * pending then ends HLT and MWAIT at once. The NOP ends the shadow of STI. QEMU does not end
     * the shadow at PAUSE, and with several processors not at MWAIT either: if CLI came next, no
     * interrupt would ever arrive. */
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
