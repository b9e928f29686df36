/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows: what QEMU's plugin (tools/qemu/plugin) had counted whenever the guest read its TSC.
 *
 * A file of rows is a header and records, in the byte order of the machine. A record stands for
 * `rows` consecutive rows of one address that all counted the same since the row before: a loop
 * that polls the TSC is one record. The last record has the address ROW_END and what was counted
 * after the last row; a file without it is incomplete.
 *
 * When a file is read, its rows are numbered from 0 in the order of time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROW_MAGIC   "tare rows 1\n\0\0\0"
#define ROW_END     UINT64_MAX
#define ROW_COLUMNS 8

enum row_column {
    ROW_INSTRUCTIONS, /* as QEMU's virtual time counts them: without instructions that faulted */
    ROW_LOADS,
    ROW_STORES,
    ROW_MISALIGNED, /* loads and stores whose address is no multiple of their size */
    ROW_SEGMENT_LOADS,
    ROW_ADDRESS_SPACE_LOADS, /* moves to CR3 */
    ROW_DTLB_MISSES,         /* by the model of tlb.h */
    ROW_ITLB_MISSES,
};

struct row_header {
    char magic[16];
};

struct row_record {
    uint64_t address; /* linear address of the RDTSC or RDTSCP */
    uint64_t rows;
    uint64_t counted[ROW_COLUMNS]; /* since the row before */
};

#define ROWS_ERROR_MAX 256

struct rows {
    const struct row_record *records; /* without the last record, ROW_END */
    size_t count;
    uint64_t row_count;
    uint64_t *first_row; /* number of each record's first row */
    /* for each record, the total count of instructions at its first row */
    uint64_t *instructions;
    uint64_t (*totals)[ROW_COLUMNS]; /* totals before every ROWS_STEPth record */
    void *map;
    size_t map_bytes;
};

#define ROWS_STEP 64

/* A row, with what had been counted since the start of the file. */
struct row {
    uint64_t number;
    uint64_t address;
    uint64_t total[ROW_COLUMNS];
};

/* Opens a file of rows. Returns false, with one line in `error`, if it is no such file or is
 * incomplete. */
bool rows_open(struct rows *rows, const char *path, char error[ROWS_ERROR_MAX]);
/* As rows_open(), from the bytes of a file. They must be aligned to 8 and outlive `rows`; *why is
 * the reason. Call rows_close() in any case. */
bool rows_parse(struct rows *rows, const void *bytes, size_t size, const char **why);
void rows_close(struct rows *rows);

/* Returns the record of row `number`, which must be below row_count. */
size_t rows_record_of(const struct rows *rows, uint64_t number);
/* Reads row `number`, which must be below row_count. */
void rows_at(const struct rows *rows, uint64_t number, struct row *row);
/* Finds the row at which `instructions` had been executed. Returns false if there is none. */
bool rows_find(const struct rows *rows, uint64_t instructions, uint64_t *number);
