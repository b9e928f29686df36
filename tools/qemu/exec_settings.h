/* SPDX-License-Identifier: BSD-2-Clause */
/* Source texts as settings of bench exec in a plan. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/sandbox/code_list.h"

/* Source text to machine code, by the assembler of GNU binutils. */

#define ASSEMBLE_ERROR_MAX 400
#define ASSEMBLER          "as"

/* AT&T's syntax; the text may switch to Intel's by .intel_syntax noprefix. False, with the reason:
 * what `program` printed first, or object_code()'s. */
bool assemble(const char *program, const char *text, struct code *code,
              char error[ASSEMBLE_ERROR_MAX]);

/* The machine code in an object file (ELF64, x86-64, System V gABI chapter 4), as `as` writes it.
 */

#define OBJECT_ERROR_MAX 160

/* Copies the bytes of its one section of instructions. False, with the reason: no such file, code
 * that refers to a symbol that it does not define or to another section, data beside it, too much
 * of it, or none. */
bool object_code(const uint8_t *object, size_t length, struct code *code,
                 char error[OBJECT_ERROR_MAX]);

#define EXEC_ERROR_MAX (ASSEMBLE_ERROR_MAX + 200)

struct exec_request {
    const char *code[CODES_MAX];
    size_t codes;
    const char *init[CODES_MAX]; /* none, one for all codes, or one for each */
    size_t inits;
};

/* The settings exec.code, exec.init and exec.text, a line or several each; to be freed. NULL, with
 * the reason, which names the text: it cannot be assembled, or cannot stand in a plan. */
char *exec_settings(const struct exec_request *request, char error[EXEC_ERROR_MAX]);
