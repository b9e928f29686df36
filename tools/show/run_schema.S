/* SPDX-License-Identifier: BSD-2-Clause */
/* Embeds run_schema.json, followed by a 0 byte. */
    .section .rodata
    .global run_schema
run_schema:
    .incbin "tools/show/run_schema.json"
end:
    .byte 0

    .balign 8
    .global run_schema_length
run_schema_length:
    .quad end - run_schema

    .section .note.GNU-stack, "", @progbits
