/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that bench exec publishes and the host sets or looks up. Image and host both include this
 * file, so that each name is written once.
 */
#pragma once

#define GROUP_EXEC "exec"
#define BENCH_EXEC "exec"

/* Parameters: code, and code to run before it (init), in the form of kernel/sandbox/code_list.h;
 * and the source text of each code, one line per code. */
#define PARAM_CODE         "code"
#define PARAM_INIT         "init"
#define PARAM_TEXT_OF_CODE "text"

/* Series FORM.NUMBER and FORM.NUMBER.twice. Codes are numbered from 1; number 0 is the bench's
 * built-in code, whose number of instructions is known. */
#define FORM_UNROLLED "unrolled"
#define FORM_LOOPED   "looped"

/* Series REGISTERS.NUMBER and MEMORY.NUMBER: what one execution of the code left, in the order of
 * sandbox_registers() and sandbox_memory(). */
#define PREFIX_REGISTERS "registers."
#define PREFIX_MEMORY    "memory."

/* Facts: number of codes in the plan, bytes of each ("code_bytes.NUMBER"), and instructions of the
 * built-in code. */
#define FACT_CODES              "codes"
#define FACT_CODE_BYTES         "code_bytes"
#define FACT_KNOWN_INSTRUCTIONS "known_instructions"
/* text that the bench publishes: the vector registers that the code may use */
#define FOUND_VECTORS "vectors"
