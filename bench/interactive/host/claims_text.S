/* SPDX-License-Identifier: BSD-2-Clause */
/* Embeds the file of claims and the SQL of their tables, each followed by a 0 byte. */
    .section .rodata
    .global claims_text
claims_text:
    .incbin "bench/interactive/claims"
    .byte 0
    .size claims_text, . - claims_text
    .global claim_tables_sql
claim_tables_sql:
    .incbin "bench/interactive/host/claim_tables.sql"
    .byte 0
    .size claim_tables_sql, . - claim_tables_sql

    .section .note.GNU-stack, "", @progbits
