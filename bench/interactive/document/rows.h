/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of an editor's window: a row ends behind a newline, or after so many characters. Pure.
 */
#pragma once

#include <stddef.h>

#include "bench/interactive/document/text.h"

#define ROWS_NONE SIZE_MAX

/* Where the row behind the one that begins at `start` begins; ROWS_NONE: that is the last. */
size_t rows_next(const struct text *text, size_t start, size_t columns);
/* Where the row before it begins; `start` is the begin of a row; ROWS_NONE: that is the first. */
size_t rows_before(const struct text *text, size_t start, size_t columns);
/* Characters of the row that begins at `start`, without a newline. */
size_t rows_length(const struct text *text, size_t start, size_t columns);
