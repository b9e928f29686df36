/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Numbers as people write them, in plans and in records.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The whole of `text` as a number, decimal or 0x hexadecimal; false if it is none or above 64 bits.
 */
bool parse_unsigned(const char *text, uint64_t *value);

/* Value of a hexadecimal digit in lower case; -1: it is none. */
int hex_digit(char digit);
