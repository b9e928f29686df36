/* SPDX-License-Identifier: BSD-2-Clause */
/* Embeds run_schema.json, followed by a 0 byte. */
    .section .rodata
    .global run_schema
run_schema:
    .incbin "tools/show/run_schema.json"
.Lend:
    .byte 0

    .size run_schema, . - run_schema
    .balign 8
    .global run_schema_length
run_schema_length:
    .quad .Lend - run_schema
    .size run_schema_length, . - run_schema_length

    .section .note.GNU-stack, "", @progbits
