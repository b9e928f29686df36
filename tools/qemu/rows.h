/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows: what the plugin of QEMU (tools/qemu/plugin) had counted when the guest read its TSC.
 *
 * A file of rows is a header and records, in the byte order of the machine. A record stands for
 * `rows` rows in turn of one address, each of which counted the same since the row before it: a
 * loop that polls the TSC is one record. The last record has the address ROW_END and is what was
 * counted after the last row; without it the file is incomplete.
 *
 * A file that was read has its rows numbered from 0 in the order of time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ROW_MAGIC   "tare rows 1\n\0\0\0"
#define ROW_END     UINT64_MAX
#define ROW_COLUMNS 8

enum row_column {
    ROW_INSTRUCTIONS, /* as QEMU's virtual time counts them: none that faulted */
    ROW_LOADS,
    ROW_STORES,
    ROW_MISALIGNED, /* loads and stores whose address is no multiple of their size */
    ROW_SEGMENT_LOADS,
    ROW_ADDRESS_SPACE_LOADS, /* moves to CR3 */
    ROW_DTLB_MISSES,         /* of the model, tlb.h */
    ROW_ITLB_MISSES,
};

struct row_header {
    char magic[16];
};

struct row_record {
    uint64_t address; /* of the RDTSC or RDTSCP, linear */
    uint64_t rows;
    uint64_t counted[ROW_COLUMNS]; /* since the row before */
};

#define ROWS_ERROR_MAX 256

struct rows {
    const struct row_record *records; /* without the last, ROW_END */
    size_t count;
    uint64_t row_count;
    uint64_t *first_row;             /* of each record */
    uint64_t *instructions;          /* in all, at the first row of each record */
    uint64_t (*totals)[ROW_COLUMNS]; /* before every ROWS_STEPth record */
    void *map;
    size_t map_bytes;
};

#define ROWS_STEP 64

/* A row, with what had been counted since the begin of the file. */
struct row {
    uint64_t number;
    uint64_t address;
    uint64_t total[ROW_COLUMNS];
};

/* False, with one line in `error`, if it is no such file or is incomplete. */
bool rows_open(struct rows *rows, const char *path, char error[ROWS_ERROR_MAX]);
/* The same of the bytes of a file, at a multiple of 8, which must outlive it; *why is the reason.
 * It is to be closed in any case. */
bool rows_parse(struct rows *rows, const void *bytes, size_t size, const char **why);
void rows_close(struct rows *rows);

/* The record of row `number`, which must be below row_count. */
size_t rows_record_of(const struct rows *rows, uint64_t number);
/* Row `number`, which must be below row_count. */
void rows_at(const struct rows *rows, uint64_t number, struct row *row);
/* The row at which so many instructions had been executed; false: there is none. */
bool rows_find(const struct rows *rows, uint64_t instructions, uint64_t *number);
