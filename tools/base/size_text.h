/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Sizes of memory as readable text.
 */
#pragma once

#include <stdint.h>

#define SIZE_TEXT_MAX 24

/* "24 KiB", "1.5 MiB" */
const char *size_text(int64_t bytes, char text[SIZE_TEXT_MAX]);
/* "64", "24K", "1.5M" */
const char *size_text_short(int64_t bytes, char text[SIZE_TEXT_MAX]);
