/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Readers of rows: they store the TSC, then `pmc` counters by RDPMC and `msr` registers by RDMSR,
 * eight bytes each, to (%rdi). The indices are in reader_index. They change only RAX, RCX, RDX and
 * R9, on which the idle loop relies.
 *
 * RDTSC and RDPMC do not wait for earlier instructions (SDM volume 2), so each has an LFENCE before
 * it; the last LFENCE makes later instructions wait. RDMSR does not serialise for these registers
 * either, so it has one as well.
 */
    .section .text.reader, "ax"

    /* Reads the next `count` words of the row by RDPMC or RDMSR. */
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

    /* Two readers for each number of counters: without and with an MSR. */
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
