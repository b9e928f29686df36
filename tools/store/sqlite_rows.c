/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/sqlite_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/base/trace_bytes.h"

#define SQL_MAX      512
#define OWNER_TRACE  "trace"
#define OWNER_SERIES "series"
#define PIECE        65536 /* bytes of a cell held in memory */
#define ROW_REST     65536 /* more than a row holds besides its BLOB */

/* Turns off SQLite's memory statistics. They and the locks, which sqlite_open_file() turns off,
 * take a tenth of the time of reading a run file. */
static void set_up(void)
{
    static bool done;

    if (!done) {
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); /* fails if SQLite was initialised before */
        done = true;
    }
}

bool sqlite_open_file(const char *path, int flags, sqlite3 **db)
{
    /* A name that begins with a folder is neither a URI nor ":memory:". */
    char *name = path[0] == '/' ? sqlite3_mprintf("%s", path) : sqlite3_mprintf("./%s", path);

    *db = NULL;
    if (name == NULL) {
        return false;
    }
    set_up();
    const bool ok = sqlite3_open_v2(name, db, flags | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK;

    sqlite3_free(name);
    return ok;
}

bool sqlite_query_integer(sqlite3 *db, const char *sql, int64_t *value)
{
    sqlite3_stmt *statement;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        return false;
    }
    if (sqlite3_step(statement) == SQLITE_ROW) {
        *value = sqlite3_column_int64(statement, 0);
    }
    return sqlite3_finalize(statement) == SQLITE_OK;
}

bool sqlite_distrust(sqlite3 *db, bool views)
{
    return sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) == SQLITE_OK &&
           sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) == SQLITE_OK &&
           sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL) == SQLITE_OK &&
           sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, views, NULL) == SQLITE_OK &&
           sqlite3_exec(db, "PRAGMA ignore_check_constraints = ON", NULL, NULL, NULL) == SQLITE_OK;
}

bool sqlite_is_plain_table(sqlite3 *db, const char *table)
{
    char sql[SQL_MAX];
    int64_t plain = 0;

    snprintf(sql, sizeof(sql),
             "SELECT count(*) FROM sqlite_schema WHERE name = '%s' AND type = 'table' AND "
             "substr(sql, 1, 13) = 'CREATE TABLE ' AND NOT EXISTS "
             "(SELECT 1 FROM pragma_table_xinfo('%s') WHERE hidden <> 0)",
             table, table);
    return sqlite_query_integer(db, sql, &plain) && plain == 1;
}

/* ---- pieces of long BLOBs ---- */

bool blob_pieces_create(sqlite3 *db)
{
    return sqlite3_exec(db,
                        "CREATE TABLE IF NOT EXISTS \"piece\"(\"owner\" TEXT NOT NULL, "
                        "\"row\" INTEGER NOT NULL, \"number\" INTEGER NOT NULL, "
                        "\"bytes\" BLOB NOT NULL)",
                        NULL, NULL, NULL) == SQLITE_OK;
}

static bool add_piece(sqlite3_stmt *insert, int64_t number, const void *bytes, size_t size)
{
    const bool bound = sqlite3_bind_int64(insert, 3, number) == SQLITE_OK &&
                       sqlite3_bind_blob64(insert, 4, bytes, size, SQLITE_STATIC) == SQLITE_OK;

    if (bound) {
        sqlite3_step(insert);
    }
    return sqlite3_reset(insert) == SQLITE_OK && bound;
}

static bool add_pieces(sqlite3_stmt *insert, struct trace_bytes *bytes, const char *owner,
                       char error[ROW_ERROR_MAX])
{
    uint8_t *piece = alloc_zeroed(BLOB_PIECE);
    int64_t number = 1;
    bool ok = true;

    for (uint64_t at = BLOB_PIECE, part; at < bytes->length && ok; at += part) {
        part = bytes->length - at < BLOB_PIECE ? bytes->length - at : BLOB_PIECE;
        if (!bytes->read(bytes, at, piece, part)) {
            snprintf(error, ROW_ERROR_MAX, "table %s: bytes cannot be read back", owner);
            ok = false;
        } else {
            ok = add_piece(insert, number++, piece, part);
        }
    }
    free(piece);
    return ok;
}

bool blob_pieces_write(sqlite3 *db, const char *owner, int64_t row, struct trace_bytes *bytes,
                       char error[ROW_ERROR_MAX])
{
    sqlite3_stmt *insert = NULL;
    bool ok = blob_pieces_create(db) &&
              sqlite3_prepare_v2(db, "INSERT INTO \"piece\" VALUES(?,?,?,?)", -1, &insert, NULL) ==
                  SQLITE_OK &&
              sqlite3_bind_text(insert, 1, owner, -1, SQLITE_STATIC) == SQLITE_OK &&
              sqlite3_bind_int64(insert, 2, row) == SQLITE_OK;

    ok = ok && add_pieces(insert, bytes, owner, error);
    return sqlite3_finalize(insert) == SQLITE_OK && ok;
}

/* ---- the index ---- */

static int compare(const void *left, const void *right)
{
    const struct blob_rest *a = left;
    const struct blob_rest *b = right;

    if (a->is_trace != b->is_trace) {
        return a->is_trace ? 1 : -1;
    }
    return a->row < b->row ? -1 : a->row > b->row;
}

/* A row of table `piece`. */
struct piece {
    bool is_trace;
    int64_t row, number, rowid;
    uint64_t bytes;
};

/* Takes the next piece of the last BLOB, or the first piece of another. The pieces of one BLOB must
 * follow each other, and only the last one may be shorter. */
static bool take_piece(struct blob_index *index, const struct piece *piece)
{
    struct blob_rest *last = index->count > 0 ? &index->item[index->count - 1] : NULL;

    if (piece->bytes == 0 || piece->bytes > BLOB_PIECE) {
        return false;
    }
    if (piece->number > 1) {
        if (last == NULL || last->is_trace != piece->is_trace || last->row != piece->row ||
            (uint64_t)piece->number != last->count + 1 ||
            piece->rowid - last->first != piece->number - 1 ||
            last->bytes != last->count * BLOB_PIECE) {
            return false;
        }
        last->count++;
        last->bytes += piece->bytes;
        return true;
    }
    *ALLOC_NEXT(index->item, index->count, index->capacity) =
        (struct blob_rest){piece->is_trace, piece->row, piece->rowid, 1, piece->bytes};
    return piece->number == 1;
}

static bool take_row(struct blob_index *index, sqlite3_stmt *row)
{
    const char *owner = (const char *)sqlite3_column_text(row, 0);
    const char *type = (const char *)sqlite3_column_text(row, 5);
    const bool is_trace = owner != NULL && strcmp(owner, OWNER_TRACE) == 0;

    return owner != NULL && (is_trace || strcmp(owner, OWNER_SERIES) == 0) && type != NULL &&
           strcmp(type, "blob") == 0 &&
           take_piece(index,
                      &(struct piece){is_trace, sqlite3_column_int64(row, 1),
                                      sqlite3_column_int64(row, 2), sqlite3_column_int64(row, 3),
                                      (uint64_t)sqlite3_column_int64(row, 4)});
}

/* Sorts by owner and row. Returns false if a BLOB occurs twice. */
static bool sort(struct blob_index *index)
{
    sort_stable(index->item, index->count, sizeof(*index->item), compare);
    for (size_t i = 1; i < index->count; i++) {
        if (compare(&index->item[i - 1], &index->item[i]) == 0) {
            return false;
        }
    }
    return true;
}

bool blob_index_read(struct blob_index *index, sqlite3 *db)
{
    sqlite3_stmt *statement;
    int64_t there = 0;
    bool ok = true;

    memset(index, 0, sizeof(*index));
    if (!sqlite_query_integer(db, "SELECT count(*) FROM sqlite_schema WHERE name = 'piece'",
                              &there)) {
        return false;
    }
    if (there == 0) {
        return true;
    }
    if (!sqlite_is_plain_table(db, "piece") ||
        sqlite3_prepare_v2(db,
                           "SELECT \"owner\", \"row\", \"number\", rowid, length(\"bytes\"), "
                           "typeof(\"bytes\") FROM \"piece\" ORDER BY rowid",
                           -1, &statement, NULL) != SQLITE_OK) {
        return false;
    }
    while (ok && sqlite3_step(statement) == SQLITE_ROW) {
        ok = take_row(index, statement);
    }
    return sqlite3_finalize(statement) == SQLITE_OK && ok && (index->count < 2 || sort(index));
}

void blob_index_free(struct blob_index *index)
{
    free(index->item);
    memset(index, 0, sizeof(*index));
}

const struct blob_rest *blob_index_find(const struct blob_index *index, bool is_trace, int64_t row)
{
    const struct blob_rest wanted = {.is_trace = is_trace, .row = row};

    return index->count > 0
               ? bsearch(&wanted, index->item, index->count, sizeof(*index->item), compare)
               : NULL;
}

/* ---- reading ---- */

static bool open_first(struct blob_reader *reader)
{
    return reader->first != NULL ||
           sqlite3_blob_open(reader->db, "main", reader->is_trace ? OWNER_TRACE : OWNER_SERIES,
                             reader->is_trace ? "packets" : "samples", reader->row, 0,
                             &reader->first) == SQLITE_OK;
}

static bool open_piece(struct blob_reader *reader, uint64_t index)
{
    const int64_t row = reader->rest->first + (int64_t)index;

    if (reader->piece == NULL) {
        reader->piece_row = row;
        return sqlite3_blob_open(reader->db, "main", "piece", "bytes", row, 0, &reader->piece) ==
               SQLITE_OK;
    }
    if (reader->piece_row == row) {
        return true;
    }
    reader->piece_row = row;
    return sqlite3_blob_reopen(reader->piece, row) == SQLITE_OK;
}

/* Reads within one BLOB. SQLite rejects reads beyond its end. */
static bool read_part(struct blob_reader *reader, uint64_t offset, void *to, size_t size)
{
    if (reader->rest == NULL || offset < BLOB_PIECE) {
        return open_first(reader) &&
               sqlite3_blob_read(reader->first, to, (int)size, (int)offset) == SQLITE_OK;
    }
    return open_piece(reader, offset / BLOB_PIECE - 1) &&
           sqlite3_blob_read(reader->piece, to, (int)size, (int)(offset % BLOB_PIECE)) == SQLITE_OK;
}

bool blob_reader_read(struct blob_reader *reader, uint64_t offset, void *to, size_t size)
{
    bool ok = true;

    for (size_t done = 0, part; done < size && ok; done += part) {
        const size_t left =
            reader->rest != NULL ? BLOB_PIECE - (offset + done) % BLOB_PIECE : size - done;

        part = size - done < left ? size - done : left;
        ok = read_part(reader, offset + done, (char *)to + done, part);
    }
    return ok;
}

bool blob_reader_length(struct blob_reader *reader, uint64_t *length)
{
    const bool ok = open_first(reader);

    *length = ok ? (uint64_t)sqlite3_blob_bytes(reader->first) : 0;
    *length += ok && reader->rest != NULL ? reader->rest->bytes : 0;
    return ok;
}

void blob_reader_close(struct blob_reader *reader)
{
    sqlite3_blob_close(reader->first);
    sqlite3_blob_close(reader->piece);
    reader->first = NULL;
    reader->piece = NULL;
}

/* ---- rows ---- */

const char *const sqlite_types[COLUMN_TYPES] = {[COLUMN_INTEGER] = "INTEGER",
                                                [COLUMN_TEXT] = "TEXT",
                                                [COLUMN_BYTES] = "BLOB",
                                                [COLUMN_REAL] = "REAL"};

uint64_t sqlite_most_bytes(sqlite3 *db)
{
    return (uint64_t)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1) - ROW_REST;
}

/* Returns the number of bytes that are stored in the row itself. */
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

/* Writes a BLOB of the row that was added last. */
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

/* Prepares the statement that adds a row to the table. */
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
