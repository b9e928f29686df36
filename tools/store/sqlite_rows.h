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

extern const char *const sqlite_types[COLUMN_TYPES]; /* by enum column_type */

/* The most bytes that a cell may have: SQLite's largest row less what else is in it. */
uint64_t sqlite_most_bytes(sqlite3 *db);

/* Rows on their way into a database. The statement that adds one is kept from row to row of a
 * table: sqlite_rows_end() before the database is closed. */
struct sqlite_rows {
    sqlite3 *db;
    const struct run_table *table; /* of `insert` */
    sqlite3_stmt *insert;
    bool splits;     /* BLOBs go into pieces (blob_pieces.h) */
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
#define SQLITE_SAMPLE_VIEW(lead)                                                                   \
    "CREATE VIEW sample AS "                                                                       \
    "WITH RECURSIVE place(series_row, number) AS ("                                                \
    "SELECT rowid, 0 FROM series WHERE length(samples) BETWEEN 8 AND 160000 UNION ALL "            \
    "SELECT series_row, number + 1 FROM place JOIN series ON series.rowid = series_row "           \
    "WHERE 8 * (number + 1) < length(samples)) "                                                   \
    "SELECT " lead "bench, pass, name AS series, number, "                                         \
    "(" SQLITE_DIGIT(15) " << 60) | (" SQLITE_DIGIT(                                               \
        16) " << 56) | "                                                                           \
            "(" SQLITE_DIGIT(13) " << 52) | (" SQLITE_DIGIT(                                       \
                14) " << 48) | "                                                                   \
                    "(" SQLITE_DIGIT(11) " << 44) | (" SQLITE_DIGIT(                               \
                        12) " << 40) | "                                                           \
                            "(" SQLITE_DIGIT(9) " << 36) | (" SQLITE_DIGIT(                        \
                                10) " << 32) | "                                                   \
                                    "(" SQLITE_DIGIT(7) " << 28) | (" SQLITE_DIGIT(                \
                                        8) " << 24) | "                                            \
                                           "(" SQLITE_DIGIT(5) " << 20) | (" SQLITE_DIGIT(         \
                                               6) " << 16) | "                                     \
                                                  "(" SQLITE_DIGIT(3) " << 12) | (" SQLITE_DIGIT(  \
                                                      4) " << 8) | "                               \
                                                         "(" SQLITE_DIGIT(1) " << 4) "             \
                                                                             "| " SQLITE_DIGIT(    \
                                                                                 2) " AS value "   \
                                                                                    "FROM "        \
                                                                                    "(SELECT"      \
                                                                                    " " lead       \
                                                                                    "bench, "      \
                                                                                    "pass, name, " \
                                                                                    "number, "     \
                                                                                    "hex(substr("  \
                                                                                    "samples, 8 "  \
                                                                                    "* number + "  \
                                                                                    "1, 8)) AS "   \
                                                                                    "digits "      \
                                                                                    "FROM place "  \
                                                                                    "JOIN series " \
                                                                                    "ON "          \
                                                                                    "series."      \
                                                                                    "rowid = "     \
                                                                                    "series_row)"
