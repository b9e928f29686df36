/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/sqlite_rows.h"

#include <stdio.h>

#include "tools/base/trace_bytes.h"
#include "tools/store/blob_pieces.h"

#define PIECE    65536 /* bytes of a cell in memory */
#define ROW_REST 65536 /* more than what a row holds beside its BLOB */
#define SQL_MAX  256

const char *const sqlite_types[COLUMN_TYPES] = {[COLUMN_INTEGER] = "INTEGER",
                                                [COLUMN_TEXT] = "TEXT",
                                                [COLUMN_BYTES] = "BLOB",
                                                [COLUMN_REAL] = "REAL"};

uint64_t sqlite_most_bytes(sqlite3 *db)
{
    return (uint64_t)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1) - ROW_REST;
}

/* What of it is in the row. */
static uint64_t first_bytes(const struct sqlite_rows *rows, const struct trace_bytes *bytes)
{
    return rows->splits && bytes->length > BLOB_PIECE ? BLOB_PIECE : bytes->length;
}

static int bind_cell(const struct sqlite_rows *rows, int at, enum column_type type,
                     const struct cell *cell)
{
    sqlite3_stmt *statement = rows->insert;

    if (!cell->present) {
        return sqlite3_bind_null(statement, at);
    }
    switch (type) {
    case COLUMN_TEXT:
        return sqlite3_bind_text(statement, at, cell->text, -1, SQLITE_STATIC);
    case COLUMN_BYTES:
        return sqlite3_bind_zeroblob64(statement, at, first_bytes(rows, cell->bytes));
    case COLUMN_REAL:
        return sqlite3_bind_double(statement, at, cell->real);
    default:
        return sqlite3_bind_int64(statement, at, cell->integer);
    }
}

/* Fills the BLOB of a row with the first `length` bytes. */
static bool write_first(sqlite3 *db, const char *table, const char *column, int64_t row,
                        struct trace_bytes *bytes, uint64_t length, char *error)
{
    uint8_t piece[PIECE];
    sqlite3_blob *blob;
    bool ok = true;

    if (sqlite3_blob_open(db, "main", table, column, row, 1, &blob) != SQLITE_OK) {
        return false;
    }
    for (uint64_t at = 0, part; at < length && ok; at += part) {
        part = length - at < PIECE ? length - at : PIECE;
        if (!bytes->read(bytes, at, piece, part)) {
            snprintf(error, ROW_ERROR_MAX, "%s.%s cannot be read back", table, column);
            ok = false;
        } else {
            ok = sqlite3_blob_write(blob, piece, (int)part, (int)at) == SQLITE_OK;
        }
    }
    return sqlite3_blob_close(blob) == SQLITE_OK && ok;
}

/* Of the last row. */
static bool write_bytes(struct sqlite_rows *rows, const char *table, const char *column,
                        struct trace_bytes *bytes, char *error)
{
    const int64_t row = sqlite3_last_insert_rowid(rows->db);
    const uint64_t first = first_bytes(rows, bytes);

    if (!write_first(rows->db, table, column, row, bytes, first, error)) {
        return false;
    }
    rows->has_pieces = rows->has_pieces || first < bytes->length;
    return first == bytes->length || blob_pieces_write(rows->db, table, row, bytes, error);
}

void sqlite_rows_end(struct sqlite_rows *rows)
{
    sqlite3_finalize(rows->insert);
    rows->insert = NULL;
    rows->table = NULL;
}

/* Makes the statement that adds a row to the table. */
static bool prepare(struct sqlite_rows *rows, const struct run_table *table, size_t lead_count)
{
    char sql[SQL_MAX];
    size_t used = (size_t)snprintf(sql, sizeof(sql), "INSERT INTO \"%s\" VALUES(", table->name);

    if (rows->table == table) {
        return true;
    }
    for (size_t i = 0; i < lead_count + table->count; i++) {
        used += (size_t)snprintf(sql + used, sizeof(sql) - used, i > 0 ? ",?" : "?");
    }
    snprintf(sql + used, sizeof(sql) - used, ")");
    sqlite_rows_end(rows);
    if (sqlite3_prepare_v2(rows->db, sql, -1, &rows->insert, NULL) != SQLITE_OK) {
        return false;
    }
    rows->table = table;
    return true;
}

static bool insert(struct sqlite_rows *rows, const struct run_table *table, const int64_t *lead,
                   size_t lead_count, const struct cell *cells)
{
    int status = SQLITE_OK;

    if (!prepare(rows, table, lead_count)) {
        return false;
    }
    for (size_t i = 0; i < lead_count && status == SQLITE_OK; i++) {
        status = sqlite3_bind_int64(rows->insert, (int)i + 1, lead[i]);
    }
    for (size_t i = 0; i < table->count && status == SQLITE_OK; i++) {
        status = bind_cell(rows, (int)(lead_count + i) + 1, table->columns[i].type, &cells[i]);
    }
    if (status == SQLITE_OK) {
        sqlite3_step(rows->insert);
    }
    return sqlite3_reset(rows->insert) == SQLITE_OK && status == SQLITE_OK;
}

bool sqlite_add_row(struct sqlite_rows *rows, const struct run_table *table, const int64_t *lead,
                    size_t lead_count, const struct cell *cells, char error[ROW_ERROR_MAX])
{
    bool ok = insert(rows, table, lead, lead_count, cells);

    for (size_t i = 0; i < table->count && ok; i++) {
        if (table->columns[i].type == COLUMN_BYTES && cells[i].present) {
            ok = write_bytes(rows, table->name, table->columns[i].name, cells[i].bytes, error);
        }
    }
    return ok;
}
