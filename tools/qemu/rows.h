/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file of rows (row_format.h), read. Rows are numbered from 0 in the order of time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/qemu/row_format.h"

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

/* Row `number`, which must be below row_count. */
void rows_at(const struct rows *rows, uint64_t number, struct row *row);
/* The row at which so many instructions had been executed; false: there is none. */
bool rows_find(const struct rows *rows, uint64_t instructions, uint64_t *number);
