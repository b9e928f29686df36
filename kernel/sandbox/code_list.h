/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Machine code in the plan: bytes as hexadecimal digits in lower case, one code behind the other.
 *
 *     list = code { "," code }       code = { digit digit }, which may be empty
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CODE_BYTES_MAX 1024 /* of one code */
#define CODES_MAX      64

struct code {
    size_t length;
    uint8_t bytes[CODE_BYTES_MAX];
};

/* How many codes the list has: one more than commas; 0: the text is empty. */
size_t code_list_count(const char *list);

/* Code `index` of the list. NULL, or what is wrong with it: then *code is empty. */
const char *code_list_read(const char *list, size_t index, struct code *code);
