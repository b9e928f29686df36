/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names that bench exec publishes and the host sets or looks up. Each stands here once: image and
 * host include it.
 */
#pragma once

#define GROUP_EXEC "exec"
#define BENCH_EXEC "exec"

/* Parameters: code and what precedes it, as kernel/sandbox/code_list.h has them; the source text of
 * each code, a line each. */
#define PARAM_CODE         "code"
#define PARAM_INIT         "init"
#define PARAM_TEXT_OF_CODE "text"

/* Series FORM.NUMBER and FORM.NUMBER.twice; codes are counted from 1, and number 0 is a code of
 * the bench, whose instructions are known. */
#define FORM_UNROLLED "unrolled"
#define FORM_LOOPED   "looped"

/* Facts: codes of the plan, and bytes of each: "code_bytes.NUMBER"; what the known code has. */
#define FACT_CODES              "codes"
#define FACT_CODE_BYTES         "code_bytes"
#define FACT_KNOWN_INSTRUCTIONS "known_instructions"
/* Found: the vector registers that the code may use. */
#define FOUND_VECTORS "vectors"
