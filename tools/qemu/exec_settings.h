/* SPDX-License-Identifier: BSD-2-Clause */
/* Source texts as settings of bench exec in a plan. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/qemu/assemble.h"

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
