/* SPDX-License-Identifier: BSD-2-Clause */
/* Embeds the file of claims, followed by a 0 byte. */
    .section .rodata
    .global claims_text
claims_text:
    .incbin "bench/interactive/claims"
    .byte 0

    .section .note.GNU-stack, "", @progbits
