/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows: the TSC and up to eight event counters, read together beside a sample.
 *
 * The code for each number of counters is made by the assembler, without a branch in it: a read of
 * k counters is 5 k + 7 instructions, and two of them, around nothing, 54 with four counters, calls
 * not counted. What a row holds is set between measurements and is the same for everybody who
 * reads rows until it is set again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define READER_COUNTERS_MAX 8
/* TSC, counters, and the SMI count. */
#define READER_ROW_MAX (1 + READER_COUNTERS_MAX + 1)

/* A row becomes: the TSC, `count` counters by their RDPMC index, and, if `smi`, MSR 34h. Every
 * index must be known not to fault; `count` is at most READER_COUNTERS_MAX. */
void reader_set(const uint32_t *rdpmc, size_t count, bool smi);

/* 64-bit words in a row, at least 1. */
size_t reader_row_words(void);

/* reader.S. What reader_set() chose. */
extern void (*reader_chosen)(int64_t *row) __attribute__((visibility("hidden")));

/* Reads one row. All that comes before has been executed, nothing that comes after has begun. */
static inline void reader_read(int64_t *row)
{
    reader_chosen(row);
}
