/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Long BLOBs of a run file. SQLite holds no more than 1 GB in one, and writes a BLOB that it does
 * not get in one piece twice. So a BLOB has at most BLOB_PIECE bytes, and what is longer goes on in
 * table `piece`: in rows that follow each other, each of BLOB_PIECE bytes but the last. A file
 * without long BLOBs has no such table.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/store/run_tables.h"

struct trace_bytes;

#define BLOB_PIECE (1 << 20)

/* Makes the table, at its first use. False where SQLite failed. */
bool blob_pieces_create(sqlite3 *db);
/* Writes what of the bytes lies behind the first BLOB_PIECE, as those of a row of table `owner`.
 * False, with nothing in `error` where SQLite failed. */
bool blob_pieces_write(sqlite3 *db, const char *owner, int64_t row, struct trace_bytes *bytes,
                       char error[ROW_ERROR_MAX]);

/* The pieces of one BLOB. */
struct blob_rest {
    bool is_trace; /* else of a series */
    int64_t row;
    int64_t first; /* rowid of the first piece */
    uint64_t count;
    uint64_t bytes;
};

/* By owner and row. */
struct blob_index {
    struct blob_rest *item;
    size_t count, capacity;
};

/* False where the table holds what blob_pieces_write() does not write, or SQLite failed. */
bool blob_index_read(struct blob_index *index, sqlite3 *db);
void blob_index_free(struct blob_index *index);
/* NULL: all bytes are in the row's BLOB. */
const struct blob_rest *blob_index_find(const struct blob_index *index, bool is_trace, int64_t row);

/* A BLOB being read, with its pieces. */
struct blob_reader {
    sqlite3 *db;
    bool is_trace;
    int64_t row;
    const struct blob_rest *rest;
    sqlite3_blob *first; /* NULL: not read from yet */
    sqlite3_blob *piece;
    int64_t piece_row;
};

/* Reads [offset, offset + size). False where that is not all there. */
bool blob_reader_read(struct blob_reader *reader, uint64_t offset, void *to, size_t size);
void blob_reader_close(struct blob_reader *reader);
