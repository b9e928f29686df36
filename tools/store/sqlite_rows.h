/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of runs in SQLite, in a run file and in a fleet.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/store/run_tables.h"

/* ---- a file that another program may have made: what it holds, and what of it may run ---- */

/* Opens the file of exactly this name, as sqlite3_open_v2() with `flags`. To SQLite ":memory:" is
 * no file, and a name that begins with "file:" may be a URI, in which ?, # and % are no part of the
 * name (sqlite.org/uri.html, 3.1). `*db` may not be NULL after a failure; the caller closes it. One
 * thread at a time uses it. */
bool sqlite_open_file(const char *path, int flags, sqlite3 **db);

/* The first column of the first row; where there is none, what was there. False where SQLite
 * failed. */
bool sqlite_query_integer(sqlite3 *db, const char *sql, int64_t *value);

/* The maker of a file may have put SQL into it, which has no end or makes texts that are in no
 * file. After this no trigger, check of a column or function with side effects of the file's runs;
 * nor does a view, without `views`. False where SQLite failed. */
bool sqlite_distrust(sqlite3 *db, bool views);

/* Is this a table, rows and no SQL: no view, and without computed columns? */
bool sqlite_is_plain_table(sqlite3 *db, const char *table);

/*
 * Long BLOBs of a run file. SQLite holds no more than 1 GB in one, and writes a BLOB that it does
 * not get in one piece twice. So a BLOB has at most BLOB_PIECE bytes, and what is longer goes on in
 * table `piece`: in rows that follow each other, each of BLOB_PIECE bytes but the last. A file
 * without long BLOBs has no such table.
 */

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

extern const char *const sqlite_types[COLUMN_TYPES]; /* by enum column_type */

/* The most bytes that a cell may have: SQLite's largest row less what else is in it. */
uint64_t sqlite_most_bytes(sqlite3 *db);

/* Rows on their way into a database. The statement that adds one is kept from row to row of a
 * table: sqlite_rows_end() before the database is closed. */
struct sqlite_rows {
    sqlite3 *db;
    const struct run_table *table; /* of `insert` */
    sqlite3_stmt *insert;
    bool splits;     /* BLOBs go into pieces */
    bool has_pieces; /* one did */
};
void sqlite_rows_end(struct sqlite_rows *rows);

/* Adds a row, with `lead_count` integers before its columns. Bytes are written in pieces. False
 * with nothing in `error` where SQLite failed. */
bool sqlite_add_row(struct sqlite_rows *rows, const struct run_table *table, const int64_t *lead,
                    size_t lead_count, const struct cell *cells, char error[ROW_ERROR_MAX]);

/* View `sample`: each sample of a series on a row, with its place among those that arrived. `lead`
 * are columns of `series` to be in front, as "a, ". SQLite has no function that reads a byte of a
 * BLOB: its hexadecimal digits are looked up. That takes time with the square of a series' length:
 * no series of more than 20000 samples is in the view. */
#define SQLITE_DIGIT(at) "instr('123456789ABCDEF', substr(digits, " #at ", 1))"
#define SQLITE_BYTE(high, shift, low, then) \
    "(" SQLITE_DIGIT(high) " << " #shift ") | (" SQLITE_DIGIT(low) " << " #then ") | "
#define SQLITE_SAMPLE_VIEW(lead)                                                                   \
    "CREATE VIEW sample AS "                                                                       \
    "WITH RECURSIVE place(series_row, number) AS ("                                                \
    "SELECT rowid, 0 FROM series WHERE length(samples) BETWEEN 8 AND 160000 UNION ALL "            \
    "SELECT series_row, number + 1 FROM place JOIN series ON series.rowid = series_row "           \
    "WHERE 8 * (number + 1) < length(samples)) "                                                   \
    "SELECT " lead "bench, pass, name AS series, number, " SQLITE_BYTE(15, 60, 16, 56)             \
        SQLITE_BYTE(13, 52, 14, 48) SQLITE_BYTE(11, 44, 12, 40) SQLITE_BYTE(                       \
            9, 36, 10, 32) SQLITE_BYTE(7, 28, 8, 24) SQLITE_BYTE(5, 20, 6, 16)                     \
            SQLITE_BYTE(3, 12, 4, 8) "(" SQLITE_DIGIT(1) " << 4) | " SQLITE_DIGIT(                 \
                2) " AS value FROM "                                                               \
                   "(SELECT " lead                                                                 \
                   "bench, pass, name, number, hex(substr(samples, 8 * number + 1, 8)) AS digits " \
                   "FROM place JOIN series ON series.rowid = series_row)"
