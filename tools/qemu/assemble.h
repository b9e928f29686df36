/* SPDX-License-Identifier: BSD-2-Clause */
/* Source text to machine code, by the assembler of GNU binutils. */
#pragma once

#include <stdbool.h>

#include "kernel/sandbox/code_list.h"

#define ASSEMBLE_ERROR_MAX 400
#define ASSEMBLER          "as"

/* AT&T's syntax; the text may switch to Intel's by .intel_syntax noprefix. False, with the reason:
 * what `program` printed first, or object_code()'s. */
bool assemble(const char *program, const char *text, struct code *code,
              char error[ASSEMBLE_ERROR_MAX]);
