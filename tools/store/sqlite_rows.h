/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Rows of runs in SQLite, for run files and fleets.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/store/run_tables.h"

/* ---- files that another program may have made: their contents, and the SQL that may run ---- */

/* Opens the file of exactly this name, like sqlite3_open_v2() with `flags`. To SQLite, ":memory:"
 * is not a file, and a name that begins with "file:" may be a URI, in which ?, # and % have special
 * meanings (sqlite.org/uri.html, 3.1). After a failure *db may still be set; the caller closes it.
 * Only one thread at a time may use it. */
bool sqlite_open_file(const char *path, int flags, sqlite3 **db);

/* Stores the first column of the first row; if there is no row, *value is unchanged. Returns false
 * if SQLite failed. */
bool sqlite_query_integer(sqlite3 *db, const char *sql, int64_t *value);

/* Protects against SQL in the file, whose author may have made it endless or let it produce texts
 * that are not in the file. After this call no trigger, column check or function with side effects
 * of the file runs, and without `views` no view either. Returns false if SQLite failed. */
bool sqlite_distrust(sqlite3 *db, bool views);

/* Is this a plain table with stored rows, not a view and without computed columns? */
bool sqlite_is_plain_table(sqlite3 *db, const char *table);

/*
 * Long BLOBs of a run file. SQLite holds no more than 1 GB in one BLOB, and writes a BLOB that it
 * does not get at once twice. Therefore a BLOB has at most BLOB_PIECE bytes, and a longer one
 * continues in table `piece`, in successive rows of BLOB_PIECE bytes each except the last. A file
 * without long BLOBs has no such table.
 */

#define BLOB_PIECE (1 << 20)

/* Creates the table when it is first needed. Returns false if SQLite failed. */
bool blob_pieces_create(sqlite3 *db);
/* Writes the bytes after the first BLOB_PIECE, as belonging to a row of table `owner`. Returns
 * false on failure, with an empty `error` if SQLite failed. */
bool blob_pieces_write(sqlite3 *db, const char *owner, int64_t row, struct trace_bytes *bytes,
                       char error[ROW_ERROR_MAX]);

/* The pieces of one BLOB. */
struct blob_rest {
    bool is_trace; /* the BLOB belongs to a trace, otherwise to a series */
    int64_t row;
    int64_t first; /* rowid of the first piece */
    uint64_t count;
    uint64_t bytes;
};

/* All BLOBs with pieces, sorted by owner and row. */
struct blob_index {
    struct blob_rest *item;
    size_t count, capacity;
};

/* Reads the index. Returns false if the table contains anything that blob_pieces_write() does not
 * write, or if SQLite failed. */
bool blob_index_read(struct blob_index *index, sqlite3 *db);
void blob_index_free(struct blob_index *index);
/* Returns the pieces of a BLOB, or NULL if all bytes are in the row's BLOB. */
const struct blob_rest *blob_index_find(const struct blob_index *index, bool is_trace, int64_t row);

/* A BLOB that is being read, with its pieces. */
struct blob_reader {
    sqlite3 *db;
    bool is_trace;
    int64_t row;
    const struct blob_rest *rest;
    sqlite3_blob *first; /* NULL: not read from yet */
    sqlite3_blob *piece;
    int64_t piece_row;
};

/* Reads [offset, offset + size). Returns false if the BLOB does not have all of it. */
bool blob_reader_read(struct blob_reader *reader, uint64_t offset, void *to, size_t size);
/* Stores the number of bytes. Returns false if there is no such BLOB. */
bool blob_reader_length(struct blob_reader *reader, uint64_t *length);
void blob_reader_close(struct blob_reader *reader);

extern const char *const sqlite_types[COLUMN_TYPES]; /* by enum column_type */

/* Returns the largest number of bytes in a cell: SQLite's largest row minus the other contents of a
 * row. */
uint64_t sqlite_most_bytes(sqlite3 *db);

/* Writer of rows into a database. The statement that adds a row is reused for successive rows of a
 * table. Call sqlite_rows_end() before closing the database. */
struct sqlite_rows {
    sqlite3 *db;
    const struct run_table *table; /* table of `insert` */
    sqlite3_stmt *insert;
    bool splits;     /* long BLOBs go into pieces */
    bool has_pieces; /* at least one BLOB has pieces */
};
void sqlite_rows_end(struct sqlite_rows *rows);

/* Adds a row, with `lead_count` integers in front of its columns. Bytes are written in pieces.
 * Returns false on failure, with an empty `error` if SQLite failed. */
bool sqlite_add_row(struct sqlite_rows *rows, const struct run_table *table, const int64_t *lead,
                    size_t lead_count, const struct cell *cells, char error[ROW_ERROR_MAX]);
