/* SPDX-License-Identifier: BSD-2-Clause */
/* The functions of lines.h. */
#include "kernel/cpu/assembly.inc"

    .set LOCK, 0
    .set TURN, 128
    .set COUNT, 256
    .set PAUSES, 384

    .section .text.lines, "ax"

    .macro end name
    .size \name, . - \name
    .endm

    /* The PAUSE at the end lets the other processor run: if one host thread emulates both in turn,
     * the turn changes at a PAUSE, and the other processor looks at the word at once.
     *
     *     RDI  address of the word
     *     RSI  value to wait for
     *     RDX  number of rounds; R10 has how many are left
     *     RCX  number of looks at the word before a PAUSE; R9 has how many are left
     *     R8   number of pauses; R11 has how many are left, and R8 then the value to write */
    .macro take_turns name, look:vararg
    begin \name
    movq %rdx, %r10
    movq %r8, %r11
    movq %rsi, %r8
    xorq $1, %r8
    pushq %rbx
    xorl %ebx, %ebx
    movq %rcx, %r9
1:  \look
    testq %rbx, %rbx
    jz 4f
    decq %r10
    jnz 1b
    stamp %rax
    pause
    subq %rbx, %rax
    popq %rbx
    ret
3:  decq %r9
    jnz 1b
    pause
    movq %rcx, %r9
    decq %r11
    jnz 1b
    xorl %eax, %eax
    popq %rbx
    ret
4:  stamp %rax
    movq %rax, %rbx
    jmp 1b
    end \name
    .endm

    .macro by_store
    cmpq %rsi, (%rdi)
    jne 3f
    movq %r8, (%rdi)
    .endm

    .macro by_cas
    movq %rsi, %rax
    lock cmpxchgq %r8, (%rdi)
    jne 3f
    .endm

    take_turns lines_store, by_store
    take_turns lines_cas, by_cas

    /* RDI: contended; RSI: count; RDX: processors; R11: pauses left. */
    .macro pause_at label
    pause
    decq %r11
    jnz \label
    xorl %eax, %eax
    ret
    .endm

    begin lines_spin_lock
    movq PAUSES(%rdi), %r11
1:  cmpq $0, LOCK(%rdi)
    jne 2f
    movl $1, %eax
    xchgq %rax, LOCK(%rdi)
    testq %rax, %rax
    jnz 2f
    incq COUNT(%rdi)
    movq $0, LOCK(%rdi)
    decq %rsi
    jnz 1b
    movl $1, %eax
    ret
2:  pause_at 1b
    end lines_spin_lock

    begin lines_ticket_lock
    movq PAUSES(%rdi), %r11
1:  movl $1, %eax
    lock xaddq %rax, LOCK(%rdi)
2:  cmpq %rax, TURN(%rdi)
    jne 3f
    incq COUNT(%rdi)
    incq TURN(%rdi)
    decq %rsi
    jnz 1b
    movl $1, %eax
    ret
3:  pause_at 2b
    end lines_ticket_lock

    begin lines_barrier
    movq PAUSES(%rdi), %r11
1:  movq TURN(%rdi), %rcx
    movl $1, %eax
    lock xaddq %rax, LOCK(%rdi)
    incq %rax
    cmpq %rdx, %rax
    jne 2f
    movq $0, LOCK(%rdi)
    incq TURN(%rdi)
    jmp 3f
2:  cmpq %rcx, TURN(%rdi)
    je 4f
3:  decq %rsi
    jnz 1b
    movl $1, %eax
    ret
4:  pause_at 2b
    end lines_barrier

    .section .note.GNU-stack, "", @progbits
