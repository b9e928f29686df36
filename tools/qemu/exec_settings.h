/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns source texts of --exec into settings of bench exec in a plan. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/sandbox/code_list.h"

/* Assembles source text to machine code, by the assembler and the linker of GNU binutils. */

#define ASSEMBLE_ERROR_MAX 400
#define ASSEMBLER          "as"

/* Assembles a text in AT&T syntax, which may switch to Intel's by .intel_syntax noprefix. Returns
 * false, with the reason, on failure: the first thing that `program` or ld printed, or that the
 * code is empty, too long, or depends on its address. */
bool assemble(const char *program, const char *text, struct code *code,
              char error[ASSEMBLE_ERROR_MAX]);

#define EXEC_ERROR_MAX (ASSEMBLE_ERROR_MAX + 200)

struct exec_request {
    const char *code[CODES_MAX];
    size_t codes;
    const char *init[CODES_MAX]; /* none, one for all codes, or one for each */
    size_t inits;
};

/* Returns the settings exec.code, exec.init and exec.text, each on one line or more; the caller
 * frees them. Returns NULL, with a reason that names the text, if a text cannot be assembled or
 * does not fit in a plan. */
char *exec_settings(const struct exec_request *request, char error[EXEC_ERROR_MAX]);
