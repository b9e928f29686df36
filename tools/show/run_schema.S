/* SPDX-License-Identifier: BSD-2-Clause */
/* run_schema.json as it is, with a 0 behind it. */
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
