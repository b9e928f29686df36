/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine code in an object file (ELF64, x86-64, System V gABI chapter 4), as `as` writes it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/sandbox/code_list.h"

#define OBJECT_ERROR_MAX 160

/* Copies the bytes of its one section of instructions. False, with the reason: no such file, code
 * that refers to a symbol that it does not define or to another section, data beside it, too much
 * of it, or none. */
bool object_code(const uint8_t *object, size_t length, struct code *code,
                 char error[OBJECT_ERROR_MAX]);
