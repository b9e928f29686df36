/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Parses numbers as people write them in plans and in records.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Parses all of `text` as a number, decimal or 0x hexadecimal. Returns false if it is not a number
 * or exceeds 64 bits. */
bool parse_unsigned(const char *text, uint64_t *value);

/* Returns the value of a hexadecimal digit in lower case, or -1 if it is none. */
int hex_digit(char digit);
