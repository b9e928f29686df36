/* SPDX-License-Identifier: BSD-2-Clause */
/* Store in a PostgreSQL database, chosen by store_open(). */
#include <endian.h>
#include <inttypes.h>
#include <postgresql/libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "tools/base/alloc.h"
#include "tools/base/spool.h"
#include "tools/base/texts.h"
#include "tools/base/trace_bytes.h"
#include "tools/store/fleet.h"
#include "tools/store/folded.h"
#include "tools/store/postgres_copy.h"
#include "tools/store/store.h"

#define PIECE      65536
#define WINDOW     (8 << 20) /* bytes of a cell that are read at once */
#define SQL_MAX    512
#define NARROW_MAX (1 << 17) /* samples of a series; more are stored as they are */
#define MOST_BYTES ((UINT64_C(1) << 30) - (1 << 20)) /* a value must be smaller than 1 GiB */

/* Number of runs in one part of the tables. README.md has the measurement. */
#define PARTITION_RUNS 10000

struct store_postgres {
    struct store store;
    PGconn *connection;
    /* the part of a cell of bytes that was read last, the SQL of its row, and where it begins */
    PGresult *window;
    char window_row[SQL_MAX];
    uint64_t window_at;
    struct postgres_copy *copy; /* uses the connection at times: see take_connection() */
};

static const char *const types[COLUMN_TYPES] = {[COLUMN_INTEGER] = "BIGINT",
                                                [COLUMN_TEXT] = "TEXT",
                                                [COLUMN_BYTES] = "BYTEA",
                                                [COLUMN_REAL] = "DOUBLE PRECISION"};

/* Differences of PostgreSQL. The advisory lock is specific to tare: another tare that adds to the
 * same fleet waits for it. */
static const struct store_dialect dialect = {
    .types = types,
    .begin = "BEGIN; SELECT pg_advisory_xact_lock(1952543334)",
    .begin_reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    /* What counts is the role of the login, to which a query can return. */
    .powers = "SELECT count(*) FROM pg_roles WHERE (rolname = session_user AND rolsuper) OR "
              "(rolname IN ('pg_read_server_files', 'pg_write_server_files', "
              "'pg_execute_server_program') AND pg_has_role(session_user, oid, 'MEMBER'))",
    .has_fleet = "SELECT count(*) FROM information_schema.tables "
                 "WHERE table_schema = current_schema() AND table_name = 'fleet'",
    /* MAIN: a long value is compressed, and stays in its row if it fits there. The derived views
     * keep to the table after it is renamed, which is faster than through view `series`. */
    .prepare = "ALTER TABLE series RENAME TO fleet_series;"
               "ALTER TABLE fleet_rows ALTER COLUMN rows SET STORAGE MAIN;"
               "ALTER TABLE fleet_series ALTER COLUMN samples SET STORAGE MAIN;"
               "ALTER TABLE trace ALTER COLUMN packets SET STORAGE EXTERNAL;"
               "CREATE OR REPLACE FUNCTION fleet_samples(bytea) RETURNS bytea LANGUAGE sql "
               "IMMUTABLE AS $$ SELECT CASE get_byte($1, 0) WHEN 8 THEN substring($1 FROM 2) ELSE "
               "(SELECT string_agg(substring(b FROM 10 - w + w * i FOR w) || high, '') FROM "
               "(SELECT $1 || '' AS b, get_byte($1, 0) AS w, "
               "substring($1 FROM 2 FOR 8 - get_byte($1, 0)) AS high OFFSET 0) AS s, "
               "generate_series(0, (length(b) - 9 + w) / w - 1) AS i) END $$;"
               "CREATE VIEW series AS SELECT run_id, position, bench, pass, name, unit, of, event, "
               "n, min, median, p99, p999, max, stream, nominal, crc, missing, "
               "fleet_samples(samples) AS samples FROM fleet_series",
    /* A subquery with OFFSET 0, here and above, reads a value once: get_byte(samples, ..) would
     * read all of it for each byte. */
    .sample_view = "CREATE VIEW sample AS SELECT run_id, bench, pass, name AS series, number, "
                   "get_byte(bytes, 8 * number)::bigint | "
                   "(get_byte(bytes, 8 * number + 1)::bigint << 8) | "
                   "(get_byte(bytes, 8 * number + 2)::bigint << 16) | "
                   "(get_byte(bytes, 8 * number + 3)::bigint << 24) | "
                   "(get_byte(bytes, 8 * number + 4)::bigint << 32) | "
                   "(get_byte(bytes, 8 * number + 5)::bigint << 40) | "
                   "(get_byte(bytes, 8 * number + 6)::bigint << 48) | "
                   "(get_byte(bytes, 8 * number + 7)::bigint << 56) AS value "
                   "FROM series CROSS JOIN LATERAL (SELECT samples || '' AS bytes OFFSET 0) AS s "
                   "CROSS JOIN LATERAL generate_series(0, length(bytes) / 8 - 1) AS number",
    .partitioned = " PARTITION BY RANGE (run_id)",
    .contents = "SELECT string_agg(left(content, 16), '') FROM fleet",
    .analyzes = true,
    .version = FLEET_GROUPED,
};

static bool fail(struct store_postgres *postgres)
{
    store_fail(postgres->store.error, "PostgreSQL: %s", PQerrorMessage(postgres->connection));
    return false;
}

/* Checks the status of the result, and frees it. */
static bool is_done(struct store_postgres *postgres, PGresult *result, ExecStatusType wanted)
{
    const bool ok = PQresultStatus(result) == wanted;

    if (!ok) {
        fail(postgres);
    }
    PQclear(result);
    return ok;
}

/* ---- sending rows ---- */

static bool fail_copy(struct store_postgres *postgres)
{
    store_fail(postgres->store.error, "%s", postgres_copy_error(postgres->copy));
    return false;
}

/* Waits until the sending thread has released the connection. Call before using it for anything
 * except rows. */
static bool take_connection(struct store_postgres *postgres)
{
    return postgres_copy_wait(postgres->copy) || fail_copy(postgres);
}

static bool put_bytes(struct store_postgres *postgres, const void *bytes, size_t length)
{
    return postgres_copy_put(postgres->copy, bytes, length) || fail_copy(postgres);
}

/* The numbers of COPY's binary format are big endian. */
static bool put_length(struct store_postgres *postgres, int32_t length)
{
    const uint32_t wire = htobe32((uint32_t)length);

    return put_bytes(postgres, &wire, sizeof(wire));
}

static bool put_integer(struct store_postgres *postgres, int64_t value)
{
    const uint64_t wire = htobe64((uint64_t)value);

    return put_length(postgres, sizeof(wire)) && put_bytes(postgres, &wire, sizeof(wire));
}

static bool put_real(struct store_postgres *postgres, double value)
{
    int64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return put_integer(postgres, bits);
}

static bool put_text(struct store_postgres *postgres, const char *text)
{
    const size_t length = strlen(text);
    bool ok = put_length(postgres, (int32_t)length);

    for (size_t at = 0, part; at < length && ok; at += part) {
        part = length - at < PIECE ? length - at : PIECE;
        ok = put_bytes(postgres, text + at, part);
    }
    return ok;
}

static bool put_pieces(struct store_postgres *postgres, struct trace_bytes *bytes)
{
    uint8_t piece[PIECE];
    bool ok = true;

    for (uint64_t at = 0, part; at < bytes->length && ok; at += part) {
        part = bytes->length - at < PIECE ? bytes->length - at : PIECE;
        if (!bytes->read(bytes, at, piece, part)) {
            store_fail(postgres->store.error, "the run cannot be read back");
            return false;
        }
        ok = put_bytes(postgres, piece, part);
    }
    return ok;
}

/* Samples are stored as a byte, `width`; the 8 - width high bytes that all of them share; and the
 * `width` low bytes of each. Function fleet_samples() restores them. */
static bool put_samples(struct store_postgres *postgres, struct trace_bytes *bytes)
{
    const size_t count = bytes->length / sizeof(uint64_t);
    const size_t narrow = count <= NARROW_MAX ? count : 0;
    uint64_t *samples = alloc_zeroed((narrow + 1) * sizeof(*samples));
    uint64_t differ = narrow == 0 ? UINT64_MAX : 0;
    uint8_t width = 1;
    bool ok = narrow == 0 || bytes->read(bytes, 0, samples, bytes->length);

    for (size_t i = 0; i < narrow; i++) {
        differ |= samples[i] ^ samples[0];
    }
    while (width < 8 && differ >> 8 * width != 0) {
        width++;
    }
    ok = ok && put_length(postgres, (int32_t)(9 - width + count * width)) &&
         put_bytes(postgres, &width, 1) &&
         put_bytes(postgres, (uint8_t *)samples + width, 8 - (size_t)width) &&
         (width < 8 || put_pieces(postgres, bytes));
    for (size_t i = 0; i < narrow && width < 8 && ok; i++) {
        ok = put_bytes(postgres, &samples[i], width);
    }
    free(samples);
    return ok;
}

static bool put_packets(struct store_postgres *postgres, struct trace_bytes *bytes)
{
    struct spool *spool = spool_create();
    struct trace_bytes *folded = folded_make(bytes, FOLDED_PACKETS, spool);
    const bool ok = folded != NULL && put_length(postgres, (int32_t)folded->length) &&
                    put_pieces(postgres, folded);

    if (folded == NULL) {
        store_fail(postgres->store.error, "the packets of a trace cannot be read or folded: %s",
                   spool_error(spool) != NULL ? spool_error(spool) : "the run file has changed");
    }
    trace_bytes_close(folded);
    spool_release(spool);
    return ok;
}

static bool put_cell(struct store_postgres *postgres, enum column_type type,
                     const struct cell *cell)
{
    if (!cell->present) {
        return put_length(postgres, -1);
    }
    switch (type) {
    case COLUMN_TEXT:
        return put_text(postgres, cell->text);
    case COLUMN_BYTES:
        return put_length(postgres, (int32_t)cell->bytes->length) &&
               put_pieces(postgres, cell->bytes);
    case COLUMN_REAL:
        return put_real(postgres, cell->real);
    default:
        return put_integer(postgres, cell->integer);
    }
}

static bool add(struct store *store, const struct run_table *table, const int64_t *lead,
                size_t lead_count, const struct cell *cells)
{
    struct store_postgres *postgres = (struct store_postgres *)store;
    const uint16_t count = htobe16((uint16_t)(lead_count + table->count));
    /* Rows of a new run go directly into the part, so that the server need not look it up for every
     * row. Rows of an older run may be in a part with another name. */
    const int64_t part = table != &fleet_table ? store->pending.part : 0;
    const bool is_series = strcmp(table->name, RECORD_SERIES) == 0;
    const char *name = is_series && store->grouped ? "fleet_series" : table->name;
    bool ok = postgres_copy_begin_row(postgres->copy, name, part) || fail_copy(postgres);

    ok = ok && put_bytes(postgres, &count, sizeof(count));
    for (size_t i = 0; i < lead_count && ok; i++) {
        ok = put_integer(postgres, lead[i]);
    }
    for (size_t i = 0; i < table->count && ok; i++) {
        if (!store->grouped || table->columns[i].type != COLUMN_BYTES) {
            ok = put_cell(postgres, table->columns[i].type, &cells[i]);
        } else {
            ok = is_series ? put_samples(postgres, cells[i].bytes)
                           : put_packets(postgres, cells[i].bytes);
        }
    }
    return ok && (postgres_copy_end_row(postgres->copy) || fail_copy(postgres));
}

static bool flush(struct store *store)
{
    struct store_postgres *postgres = (struct store_postgres *)store;

    return postgres_copy_send(postgres->copy) || fail_copy(postgres);
}

/* ---- asking ---- */

static bool execute(struct store *store, const char *sql)
{
    struct store_postgres *postgres = (struct store_postgres *)store;

    if (!take_connection(postgres)) {
        return false;
    }
    PGresult *result = PQexec(postgres->connection, sql);
    const bool is_answer = PQresultStatus(result) == PGRES_TUPLES_OK;

    return is_done(postgres, result, is_answer ? PGRES_TUPLES_OK : PGRES_COMMAND_OK);
}

#define OID_INT8    20
#define OID_INT2    21
#define OID_INT4    23
#define OID_FLOAT4  700
#define OID_FLOAT8  701
#define OID_NUMERIC 1700

static bool is_numeric(Oid type)
{
    return type == OID_INT8 || type == OID_INT2 || type == OID_INT4 || type == OID_FLOAT4 ||
           type == OID_FLOAT8 || type == OID_NUMERIC;
}

/* Passes the rows of one result on. */
static bool take_rows(const PGresult *result, store_row_taker *take, void *context)
{
    const size_t count = (size_t)PQnfields(result);
    const char **names = alloc_zeroed(count * sizeof(*names));
    const char **texts = alloc_zeroed(count * sizeof(*texts));
    bool *numeric = alloc_zeroed(count * sizeof(*numeric));
    const struct store_row row = {count, names, texts, numeric};
    bool more = true;

    for (size_t i = 0; i < count; i++) {
        names[i] = PQfname(result, (int)i);
        numeric[i] = is_numeric(PQftype(result, (int)i));
    }
    for (int r = 0; r < PQntuples(result) && more; r++) {
        for (size_t i = 0; i < count; i++) {
            texts[i] = PQgetisnull(result, r, (int)i) ? NULL : PQgetvalue(result, r, (int)i);
        }
        more = take(context, &row);
    }
    free(names);
    free(texts);
    free(numeric);
    return more;
}

/* Cancels a query and reads the results that still arrive. */
static void drain(struct store_postgres *postgres)
{
    PGcancel *cancel = PQgetCancel(postgres->connection);
    char reason[256];
    PGresult *result;

    PQcancel(cancel, reason, sizeof(reason));
    PQfreeCancel(cancel);
    while ((result = PQgetResult(postgres->connection)) != NULL) {
        PQclear(result);
    }
}

/* Declares the cursor of a query. The server takes nothing but one SELECT there, without a part
 * that writes. */
static bool declare(struct store_postgres *postgres, const char *sql)
{
    char *text = text_format("DECLARE tare_rows NO SCROLL CURSOR FOR %s", sql);
    PGresult *result = PQexecParams(postgres->connection, text, 0, NULL, NULL, NULL, NULL, 0);

    free(text);
    return is_done(postgres, result, PGRES_COMMAND_OK);
}

static bool stream(struct store_postgres *postgres, const char *sql, store_row_taker *take,
                   void *context)
{
    PGresult *result;
    bool ok = true;

    if (!declare(postgres, sql)) {
        return false;
    }
    if (PQsendQueryParams(postgres->connection, "FETCH ALL FROM tare_rows", 0, NULL, NULL, NULL,
                          NULL, 0) != 1 ||
        PQsetSingleRowMode(postgres->connection) != 1) {
        return fail(postgres);
    }
    while ((result = PQgetResult(postgres->connection)) != NULL) {
        const ExecStatusType status = PQresultStatus(result);

        if (status == PGRES_SINGLE_TUPLE) {
            ok = take_rows(result, take, context);
        } else if (status != PGRES_TUPLES_OK) {
            ok = fail(postgres);
        }
        PQclear(result);
        if (!ok) {
            drain(postgres);
            return false;
        }
    }
    return is_done(postgres, PQexec(postgres->connection, "CLOSE tare_rows"), PGRES_COMMAND_OK);
}

static bool query(struct store *store, const char *sql, bool streamed, store_row_taker *take,
                  void *context)
{
    struct store_postgres *postgres = (struct store_postgres *)store;

    if (!take_connection(postgres)) {
        return false;
    }
    if (streamed) {
        return stream(postgres, sql, take, context);
    }
    PGresult *result = PQexecParams(postgres->connection, sql, 0, NULL, NULL, NULL, NULL, 0);
    const bool ok = PQresultStatus(result) == PGRES_TUPLES_OK ? take_rows(result, take, context)
                                                              : fail(postgres);

    PQclear(result);
    return ok;
}

/* Reads from the window, which is moved first if the bytes are not in it. Folded bytes are read a
 * few hundred at a time, for which a query each would be slow. */
static bool read_piece(struct store *store, const char *table, const char *column,
                       const int64_t place[2], uint64_t offset, void *to, size_t size)
{
    struct store_postgres *postgres = (struct store_postgres *)store;
    char row[SQL_MAX], sql[2 * SQL_MAX];

    snprintf(row, sizeof(row), "\"%s\" WHERE run_id = %" PRId64 " AND position = %" PRId64, table,
             place[0], place[1]);
    if (strcmp(row, postgres->window_row) != 0 || offset < postgres->window_at ||
        offset + size > postgres->window_at + WINDOW) {
        snprintf(sql, sizeof(sql), "SELECT substring(\"%s\" FROM %" PRIu64 " FOR %d) FROM %s",
                 column, offset + 1, WINDOW, row);
        if (!take_connection(postgres)) {
            return false;
        }
        PQclear(postgres->window);
        postgres->window = PQexecParams(postgres->connection, sql, 0, NULL, NULL, NULL, NULL, 1);
        memcpy(postgres->window_row, row, sizeof(row));
        postgres->window_at = offset;
    }
    offset -= postgres->window_at;
    if (PQresultStatus(postgres->window) != PGRES_TUPLES_OK) {
        return fail(postgres);
    }
    if (PQntuples(postgres->window) != 1 ||
        (uint64_t)PQgetlength(postgres->window, 0, 0) < offset + size) {
        store_fail(store->error, "PostgreSQL: %s.%s is shorter than expected", table, column);
        return false;
    }
    memcpy(to, PQgetvalue(postgres->window, 0, 0) + offset, size);
    return true;
}

static void close_postgres(struct store *store)
{
    struct store_postgres *postgres = (struct store_postgres *)store;

    postgres_copy_close(postgres->copy);
    PQclear(postgres->window);
    PQfinish(postgres->connection);
    free(postgres);
}

static const struct store_backend backend = {
    .dialect = &dialect,
    .execute = execute,
    .query = query,
    .add = add,
    .flush = flush,
    .read = read_piece,
    .close = close_postgres,
};

static void ignore_notice(void *context, const char *message)
{
    (void)context;
    (void)message;
}

/* Options of a connection. Queries of a fleet look up some hundreds of rows by index, in memory or
 * on flash. Starting workers and compiling plans takes longer than such queries, and disk seeks do
 * not matter. All rows of a cursor are wanted. */
static const char session[] =
    "-c jit=off -c random_page_cost=1.1 -c max_parallel_workers_per_gather=0 "
    "-c cursor_tuple_fraction=1";

struct store *store_postgres_open(const char *name, enum store_mode mode,
                                  char error[STORE_ERROR_MAX])
{
    const char *const keywords[] = {"dbname", "fallback_application_name", "client_encoding",
                                    "options", NULL};
    const char *const values[] = {name, "tare", "UTF8", session, NULL};
    struct store_postgres *postgres = alloc_zeroed(sizeof(*postgres));

    (void)mode; /* a reader begins a read-only transaction */
    postgres->store = (struct store){
        .backend = &backend, .most_bytes = MOST_BYTES, .partition_runs = PARTITION_RUNS};
    postgres->connection = PQconnectdbParams(keywords, values, 1);
    postgres->copy = postgres_copy_open(postgres->connection);
    if (PQstatus(postgres->connection) != CONNECTION_OK) {
        fail(postgres);
        memcpy(error, postgres->store.error, STORE_ERROR_MAX);
        store_close(&postgres->store);
        return NULL;
    }
    PQsetNoticeProcessor(postgres->connection, ignore_notice, NULL);
    return &postgres->store;
}
