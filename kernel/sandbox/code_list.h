/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses machine code in the plan: bytes as hexadecimal digits in lower case, several codes in a
 * list.
 *
 *     list = code { "," code }       code = { digit digit }, which may be empty
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CODE_BYTES_MAX 1024 /* bytes of one code */
#define CODES_MAX      256

struct code {
    size_t length;
    uint8_t bytes[CODE_BYTES_MAX];
};

/* Returns how many codes the list has: one more than its commas, or 0 if the text is empty. */
size_t code_list_count(const char *list);

/* Reads code `index` of the list. Returns NULL on success, otherwise what is wrong, with an empty
 * *code. */
const char *code_list_read(const char *list, size_t index, struct code *code);
