/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readers of rows: the TSC, then `pmc` counters by RDPMC and `msr` registers by RDMSR, eight bytes
 * each, to (%rdi), by the indices in reader_index. They change RAX, RCX, RDX and R9, no more, which
 * the idle loop relies on.
 *
 * RDTSC and RDPMC wait for nothing (SDM volume 2): each has an LFENCE before it, and what follows
 * waits for the last. RDMSR is not serialising for these registers either, so it has one as well.
 */
    .section .text.reader, "ax"

    /* The next `count` words of the row, by RDPMC or RDMSR. */
    .macro read_slots instruction, count
    .rept \count
    movl 4 * slot(%r9), %ecx
    lfence
    \instruction
    movl %eax, 8 + 8 * slot(%rdi)
    movl %edx, 12 + 8 * slot(%rdi)
    .set slot, slot + 1
    .endr
    .endm

    /* void reader_PMC_MSR(int64_t *row) */
    .macro reader pmc, msr
    .type reader_\pmc\()_\msr, @function
    .balign 64
reader_\pmc\()_\msr:
    leaq reader_index(%rip), %r9
    lfence
    rdtsc
    movl %eax, (%rdi)
    movl %edx, 4(%rdi)
    .set slot, 0
    read_slots rdpmc, \pmc
    read_slots rdmsr, \msr
    lfence
    ret
    .size reader_\pmc\()_\msr, . - reader_\pmc\()_\msr
    .endm

    .irp pmc, 0, 1, 2, 3, 4, 5, 6, 7, 8
    reader \pmc, 0
    reader \pmc, 1
    .endr

    /* Two for each number of counters, the second with an MSR. */
    .section .data.rel.ro.reader, "aw"
    .globl reader_variants
    .hidden reader_variants
    .type reader_variants, @object
    .balign 8
reader_variants:
    .irp pmc, 0, 1, 2, 3, 4, 5, 6, 7, 8
    .quad reader_\pmc\()_0, reader_\pmc\()_1
    .endr
    .size reader_variants, . - reader_variants

    .section .note.GNU-stack, "", @progbits
