/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns source texts of --exec into settings of bench exec in a plan. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/sandbox/code_list.h"

/* Assembles source text to machine code, by the assembler of GNU binutils. */

#define ASSEMBLE_ERROR_MAX 400
#define ASSEMBLER          "as"

/* Assembles a text in AT&T syntax, which may switch to Intel's by .intel_syntax noprefix. Returns
 * false, with the reason, on failure: the first thing that `program` printed, or the reason of
 * object_code(). */
bool assemble(const char *program, const char *text, struct code *code,
              char error[ASSEMBLE_ERROR_MAX]);

/* Reads the machine code in an object file (ELF64, x86-64, System V gABI chapter 4), as `as` writes
 * it. */

#define OBJECT_ERROR_MAX 160

/* Copies the bytes of the file's only section of instructions. Returns false, with the reason, if
 * it is no such file, if the code refers to another section or to a symbol that it does not define,
 * if there is data as well, or if the code is empty or too long. */
bool object_code(const uint8_t *object, size_t length, struct code *code,
                 char error[OBJECT_ERROR_MAX]);

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
