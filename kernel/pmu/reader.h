/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads rows: the TSC and up to eight event counters, together at the start and end of a sample.
 *
 * The assembler generates separate code, without branches, for each number of counters. Reading k
 * counters takes 5 k + 7 instructions; two reads with nothing between them take 54 with four
 * counters, not counting the calls. The contents of a row are chosen between measurements, and
 * apply to all code that reads rows until the next choice.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define READER_COUNTERS_MAX 8
/* TSC, counters and SMI count. */
#define READER_ROW_MAX (1 + READER_COUNTERS_MAX + 1)

/* Sets the contents of a row: the TSC, `count` counters by their RDPMC index, and MSR 34h if `smi`
 * is set. Every index must be known not to fault; `count` is at most READER_COUNTERS_MAX. */
void reader_set(const uint32_t *rdpmc, size_t count, bool smi);

/* Returns the number of 64-bit words in a row, at least 1. */
size_t reader_row_words(void);

/* The reader that reader_set() chose: one from reader.S, or one that reads only the clock. */
extern void (*reader_chosen)(int64_t *row) __attribute__((visibility("hidden")));

/* Reads one row. All instructions before it have been executed, and none after it has begun. */
static inline void reader_read(int64_t *row)
{
    reader_chosen(row);
}
