/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The record functions of trace.h: the fast path of each, generated from events.def, and the bridge
 * to recorder.c for the slow path. In assembly because a compiler would save and restore registers
 * on the fast path only for the slow one.
 *
 * With three fields, the fast path takes 20 instructions and the call. A switch, and the entry and
 * exit of a handler, also update the accounting (account.h) by the record's own stamp: 9 to 13
 * instructions more. They come with interrupts off.
 *
 * A record of an id above 31 has the whole stamp in its header and so never needs the slow path for
 * that: 22 instructions with four fields. It sets the upper bits for the following records.
 *
 * A record that finds everything full is counted, and takes fewer instructions than one that is
 * kept.
 */
    /* Sizes of the field types. */
    .set uint8_t, 1
    .set uint16_t, 2
    .set uint32_t, 4
    .set uint64_t, 8

#include "kernel/trace/account.h"

/* OWN(x): this processor's copy of a variable (kernel/cpu/percpu.h). */
#if TARE_SMP
#define OWN(variable) %gs:variable
#else
#define OWN(variable) variable
#endif

#define TRACE_EVENT0(id, name)                                         event id, trace_##name
#define TRACE_EVENT1(id, name, t0, f0)                                 event id, trace_##name, t0
#define TRACE_EVENT2(id, name, t0, f0, t1, f1)                         event id, trace_##name, t0, t1
#define TRACE_EVENT3(id, name, t0, f0, t1, f1, t2, f2)                 event id, trace_##name, t0, t1, t2
#define TRACE_EVENT4(id, name, t0, f0, t1, f1, t2, f2, t3, f3)         event id, trace_##name, t0, t1, t2, t3
#define TRACE_EVENT5(id, name, t0, f0, t1, f1, t2, f2, t3, f3, t4, f4) event id, trace_##name, t0, t1, t2, t3, t4

    /* Offsets in struct open_packet of recorder.c. */
    .set AT, 0
    .set LIMIT, 8
    .set EPOCH, 16
    .set FULL, 20
    .set DISCARDED, 24

    /* Constants of packet.h. */
    .set TRACE_ID_EXTENDED, 31
    .set HEADER_COMPACT, 4
    .set HEADER_EXTENDED, 13

    /* A size that fits nowhere, to request a new packet. */
    .set TOO_MANY, 0x7fffff

    /* Offsets in struct trace_account (account.h): the first group from its start, the second from
     * a slot's `ticks`. */
    .set VECTORS, ACCOUNT_THREADS * 8
    .set DPCS, VECTORS + 256 * 8
    .set CURRENT, ACCOUNT_SLOTS * 24
    .set ENTRIES_OF, ACCOUNT_SLOTS * 8
    .set BEFORE_OF, ACCOUNT_SLOTS * 16

    /* Stores a field of `bytes` bytes, from the register that it came in, into the record at
     * r10. */
    .macro store bytes, offset, byte, word, long, quad
    .if \bytes == 1
    movb \byte, header + \offset(%r10)
    .elseif \bytes == 2
    movw \word, header + \offset(%r10)
    .elseif \bytes == 4
    movl \long, header + \offset(%r10)
    .elseif \bytes == 8
    movq \quad, header + \offset(%r10)
    .endif
    .endm

    /* Sets r10 to the first account of a kind. */
    .macro accounts first
    leaq trace_account + \first(%rip), %r10
#if TARE_SMP
    addq %gs:percpu_distance(%rip), %r10
#endif
    .endm

    /* Charges the time up to r8, a whole stamp, to what has been running; from now on, time is
     * charged to what the event names. */
    .macro charge id
    movq OWN(trace_account + CURRENT)(%rip), %rdx
    addq %r8, (%rdx)
    .if \id == ACCOUNT_ISR_EXIT || \id == ACCOUNT_DPC_EXIT
    movq BEFORE_OF(%rdx), %rax
    .else
    .if \id == ACCOUNT_SWITCH
    movb %r9b, BEFORE_OF(%rdx) /* why it left */
    movzwl %si, %eax
    accounts 0
    .elseif \id == ACCOUNT_ISR_ENTRY
    movzbl %dil, %eax
    accounts VECTORS
    .else
    movzbl %dil, %eax
    accounts DPCS
    .endif
    leaq (%r10, %rax, 8), %rax
    incq ENTRIES_OF(%rax)
    .if \id != ACCOUNT_SWITCH
    movq %rdx, BEFORE_OF(%rax)
    .endif
    .endif
    movq %rax, OWN(trace_account + CURRENT)(%rip)
    subq %r8, (%rax)
    .endm

#if TARE_SMP
#include "kernel/cpu/local_time.inc"
#endif

    /* Reads the stamp: its lower half into eax, bits 27 to 58 into edx. If the event updates the
     * accounting, also stores the whole stamp in r8. */
    .macro stamp charges
#if TARE_SMP
    local_time
    .if \charges
    movq %rax, %r8
    .endif
    movq %rax, %rdx
    shrq $27, %rdx
#else
    rdtsc
    .if \charges
    shlq $32, %rdx
    orq %rdx, %rax
    movq %rax, %r8
    movq %rax, %rdx
    shrq $27, %rdx
    .else
    shldl $5, %eax, %edx
    .endif
#endif
    .endm

    /* There is no room, or nothing is recorded; no stamp has been read yet. Returns, or goes to
     * `turn` to make room. */
    .macro no_room turn
    testq %r10, %r10
    jz 5f
    cmpl $0, OWN(open_packet + FULL)(%rip)
    je \turn
    incq OWN(open_packet + DISCARDED)(%rip)
    .endm

    .macro event id, name, t0=0, t1=0, t2=0, t3=0, t4=0
    .if \id > TRACE_ID_EXTENDED
    far_event \id, \name, \t0, \t1, \t2, \t3, \t4
    .else
    near_event \id, \name, \t0, \t1, \t2, \t3, \t4
    .endif
    .endm

    .macro begin name
    .globl \name
    .hidden \name
    .type \name, @function
    .balign 16
\name:
    .endm

    .macro near_event id, name, t0, t1, t2, t3, t4
    .set header, HEADER_COMPACT
    .set total, \t0 + \t1 + \t2 + \t3 + \t4
    .set charges, ACCOUNT_MOVED_BY(\id)
    begin \name
    movq OWN(open_packet + AT)(%rip), %r10
    leaq header + total(%r10), %r11
    cmpq OWN(open_packet + LIMIT)(%rip), %r11
    ja 2f
    .if \t2 != 0
    movq %rdx, %r9
    .endif
    stamp charges
    cmpl OWN(open_packet + EPOCH)(%rip), %edx
    jne 3f
    shll $5, %eax
    orl $\id, %eax
    movl %eax, %edx
    movq %r10, %rax
    /* No lock prefix: no other processor writes here. */
    cmpxchgq %r11, OWN(open_packet + AT)(%rip)
    jne 1f
    movl %edx, (%r10)
4:
    store \t0, 0, %dil, %di, %edi, %rdi
    store \t1, \t0, %sil, %si, %esi, %rsi
    store \t2, \t0 + \t1, %r9b, %r9w, %r9d, %r9
    store \t3, \t0 + \t1 + \t2, %cl, %cx, %ecx, %rcx
    .if charges
    charge \id
    .else
    store \t4, \t0 + \t1 + \t2 + \t3, %r8b, %r8w, %r8d, %r8
    .endif
    ret
2:  no_room 6f
    .if charges
    .if \t2 != 0
    movq %rdx, %r9
    .endif
    stamp charges
    charge \id
    .endif
    ret
6:
    .if \t2 != 0
    movq %rdx, %r9
    .endif
    /* Another record was made in between, so the stamp is too old. */
1:  xorl %r10d, %r10d
    /* The upper bits of the TSC changed. */
3:  movl $\id | total << 8, %r11d
    call record_long
    .if charges
    movq %rdx, %r8
    .endif
    jnz 4b
    /* A packet was opened: start the record again in it. */
    .if \t2 != 0
    movq %r9, %rdx
    .endif
    jmp \name
5:  ret
    .size \name, . - \name
    .endm

    /* Writes the epoch last: another record that comes in between has a later stamp, and finds the
     * epoch of an older record or its own. */
    .macro far_event id, name, t0, t1, t2, t3, t4
    .set header, HEADER_EXTENDED
    .set total, \t0 + \t1 + \t2 + \t3 + \t4
    begin \name
1:  movq OWN(open_packet + AT)(%rip), %r10
    leaq header + total(%r10), %r11
    cmpq OWN(open_packet + LIMIT)(%rip), %r11
    ja 2f
    movq %rdx, %r9
    /* Put bits 0 to 58 of the TSC into rdx. */
#if TARE_SMP
    local_time
    movq %rax, %rdx
    shlq $5, %rdx
    shrq $5, %rdx
#else
    rdtsc
    shlq $37, %rdx
    shrq $5, %rdx
    orq %rax, %rdx
#endif
    movq %r10, %rax
    cmpxchgq %r11, OWN(open_packet + AT)(%rip)
    jne 3f
    movq $TRACE_ID_EXTENDED | \id << 8, (%r10)
    movq %rdx, 5(%r10)
    shrq $27, %rdx
    movl %edx, OWN(open_packet + EPOCH)(%rip)
4:
    store \t0, 0, %dil, %di, %edi, %rdi
    store \t1, \t0, %sil, %si, %esi, %rsi
    store \t2, \t0 + \t1, %r9b, %r9w, %r9d, %r9
    store \t3, \t0 + \t1 + \t2, %cl, %cx, %ecx, %rcx
    store \t4, \t0 + \t1 + \t2 + \t3, %r8b, %r8w, %r8d, %r8
    ret
2:  no_room 6f
5:  ret
6:  movq %rdx, %r9
    xorl %r10d, %r10d
    movl $\id | TOO_MANY << 8, %r11d
    call record_long
    jnz 4b
    /* A packet was opened, or another record was made in between: start again. */
3:  movq %r9, %rdx
    jmp 1b
    .size \name, . - \name
    .endm

    .section .text.trace_record, "ax"

    /* The slow path. In: r11d has the id and the number of bytes; r10 has where the record would
     * have gone when the stamp in eax and edx was read, or 0 if they are not a stamp. Out: r10 has
     * where the record goes, less the header, and rdx its stamp; ZF is set if the record has no
     * place yet. Preserves the registers of the fields. */
    .type record_long, @function
    .balign 16
record_long:
    pushq %rdi
    pushq %rsi
    pushq %rcx
    pushq %r8
    pushq %r9
    movl %r11d, %edi
    movq %r10, %rsi
    movl %edx, %ecx
    movl %eax, %edx
    /* The stack may have any alignment. */
    pushq %rbp
    movq %rsp, %rbp
    andq $-16, %rsp
    call recorder_reserve
    movq %rbp, %rsp
    popq %rbp
    leaq -4(%rax), %r10
    testq %rax, %rax
    popq %r9
    popq %r8
    popq %rcx
    popq %rsi
    popq %rdi
    ret
    .size record_long, . - record_long

#include "kernel/trace/events.def"

    .section .note.GNU-stack, "", @progbits
