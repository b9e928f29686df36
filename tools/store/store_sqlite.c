/* SPDX-License-Identifier: BSD-2-Clause */
/* Store in an SQLite file, chosen by store_open(). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/alloc.h"
#include "tools/base/partial_file.h"
#include "tools/base/texts.h"
#include "tools/store/fleet.h"
#include "tools/store/runfile.h"
#include "tools/store/sqlite_rows.h"
#include "tools/store/store.h"

#define BUSY_MS      10000 /* wait for another program that writes to the same file */
#define SQL_MAX      256
#define COUNT_TABLES "SELECT count(*) FROM sqlite_schema"
#define SAMPLES      8192 /* samples that tare_samples() returns at once */
/* View `sample`: each sample as a row, with its index among those of its series that arrived. The
 * two %s are columns of `series` to put in front, and the comma after them. */
#define SAMPLE_VIEW                                                                             \
    "CREATE TEMP VIEW sample AS WITH RECURSIVE block(place) AS (SELECT 0 UNION ALL SELECT "     \
    "place + 1 FROM block WHERE 8192 * place < (SELECT min(max(n), 4294967295) FROM series)) "  \
    "SELECT %s%s bench, pass, name AS series, 8192 * place + key AS number, value FROM series " \
    "CROSS JOIN block ON 8192 * place < n, json_each(tare_samples(series.rowid, place))"

struct store_sqlite {
    struct store store;
    sqlite3 *db;
    struct sqlite_rows rows;
    char *path;
    bool written;
    struct blob_index pieces;  /* of a run file's copy; a fleet has none */
    struct blob_reader reader; /* the BLOB read last: open, it finds the next bytes quickly */
    const char *read_table;    /* the place of that row in a fleet */
    int64_t read_place[2];
};

static const struct store_dialect dialect = {
    .version = FLEET_PLAIN,
    .types = sqlite_types,
    .begin = "BEGIN IMMEDIATE",
    .begin_reading = "BEGIN",
    .has_fleet = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'fleet'",
    .prepare = "PRAGMA application_id = 1952543334", /* FLEET_APPLICATION_ID */
};
_Static_assert(FLEET_APPLICATION_ID == 1952543334, "the dialect marks the file with it");

/* Records SQLite's error. Returns false. */
static bool fail(struct store_sqlite *sqlite)
{
    store_fail(sqlite->store.error, "%s: %s", sqlite->path, sqlite3_errmsg(sqlite->db));
    return false;
}

/* Checks that the file is still in its place: another writer may have created it, failed, and
 * removed it while this one waited. */
static bool is_in_place(struct store_sqlite *sqlite)
{
    int moved = 0;

    sqlite3_file_control(sqlite->db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    if (moved != 0) {
        store_fail(sqlite->store.error, "%s was removed by another program: try again",
                   sqlite->path);
    }
    return moved == 0;
}

static bool execute(struct store *store, const char *sql)
{
    struct store_sqlite *sqlite = (struct store_sqlite *)store;

    if (sqlite3_exec(sqlite->db, sql, NULL, NULL, NULL) != SQLITE_OK) {
        return is_in_place(sqlite) && fail(sqlite);
    }
    if (strcmp(sql, dialect.begin) == 0 && !is_in_place(sqlite)) {
        return false;
    }
    sqlite->written = sqlite->written || strcmp(sql, "COMMIT") == 0;
    return true;
}

/* A row as texts, whose memory is reused for the next row. */
struct answer {
    struct store_row row;
    const char **names;
    const char **texts;
    bool *numeric;
    char **own; /* texts that are not SQLite's */
};

static struct answer *answer_create(sqlite3_stmt *statement)
{
    struct answer *answer = alloc_zeroed(sizeof(*answer));
    const size_t count = (size_t)sqlite3_column_count(statement);

    answer->names = alloc_zeroed(count * sizeof(*answer->names));
    answer->texts = alloc_zeroed(count * sizeof(*answer->texts));
    answer->numeric = alloc_zeroed(count * sizeof(*answer->numeric));
    answer->own = alloc_zeroed(count * sizeof(*answer->own));
    for (size_t i = 0; i < count; i++) {
        answer->names[i] = sqlite3_column_name(statement, (int)i);
    }
    answer->row = (struct store_row){count, answer->names, answer->texts, answer->numeric};
    return answer;
}

static void answer_free(struct answer *answer)
{
    for (size_t i = 0; i < answer->row.count; i++) {
        free(answer->own[i]);
    }
    free(answer->names);
    free(answer->texts);
    free(answer->numeric);
    free(answer->own);
    free(answer);
}

static char *bytes_text(const uint8_t *bytes, size_t length)
{
    char *text = alloc_zeroed(2 * length + 3);

    memcpy(text, "\\x", 2);
    for (size_t i = 0; i < length; i++) {
        sprintf(text + 2 + 2 * i, "%02x", bytes[i]);
    }
    return text;
}

static void answer_fill(struct answer *answer, sqlite3_stmt *statement)
{
    for (size_t i = 0; i < answer->row.count; i++) {
        const int type = sqlite3_column_type(statement, (int)i);

        free(answer->own[i]);
        answer->own[i] = NULL;
        answer->numeric[i] = type == SQLITE_INTEGER || type == SQLITE_FLOAT;
        if (type == SQLITE_FLOAT) {
            answer->own[i] = alloc_zeroed(SHORTEST_MAX);
            shortest_digits(sqlite3_column_double(statement, (int)i), answer->own[i]);
        } else if (type == SQLITE_BLOB) {
            answer->own[i] = bytes_text(sqlite3_column_blob(statement, (int)i),
                                        (size_t)sqlite3_column_bytes(statement, (int)i));
        }
        answer->texts[i] = answer->own[i] != NULL
                               ? answer->own[i]
                               : (const char *)sqlite3_column_text(statement, (int)i);
    }
}

/* Turns the reader to the BLOB of a row. */
static void turn_to(struct store_sqlite *sqlite, bool is_trace, int64_t row)
{
    blob_reader_close(&sqlite->reader);
    sqlite->read_table = NULL;
    sqlite->reader = (struct blob_reader){.db = sqlite->db,
                                          .is_trace = is_trace,
                                          .row = row,
                                          .rest = blob_index_find(&sqlite->pieces, is_trace, row)};
}

/* The SQL function tare_samples(row, block) gives SAMPLES samples of a series as a JSON array. */
static void list_samples(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct store_sqlite *sqlite = sqlite3_user_data(context);
    const int64_t row = sqlite3_value_int64(values[0]);
    const uint64_t first = (uint64_t)sqlite3_value_int64(values[1]) * SAMPLES;
    int64_t samples[SAMPLES];
    uint64_t n;

    (void)count;
    if (sqlite->reader.first == NULL || sqlite->reader.is_trace || sqlite->reader.row != row) {
        turn_to(sqlite, false, row);
    }
    bool ok = blob_reader_length(&sqlite->reader, &n);

    n = n / sizeof(*samples) > first ? n / sizeof(*samples) - first : 0;
    n = n < SAMPLES ? n : SAMPLES;
    if (!ok || !blob_reader_read(&sqlite->reader, first * sizeof(*samples), samples,
                                 n * sizeof(*samples))) {
        sqlite3_result_error(context, "cannot read the samples", -1);
        return;
    }
    sqlite3_str *text = sqlite3_str_new(sqlite->db);

    for (size_t i = 0; i < n; i++) {
        sqlite3_str_appendf(text, "%c%lld", i > 0 ? ',' : '[', samples[i]);
    }
    sqlite3_str_appendall(text, n > 0 ? "]" : "[]");
    if (sqlite3_str_errcode(text) != SQLITE_OK) {
        sqlite3_result_error_nomem(context); /* json_each(NULL) would have no rows */
    }
    sqlite3_result_text(context, sqlite3_str_finish(text), -1, sqlite3_free);
}

/* Adds views `sample` and `noise`. They are not in the file, because other programs lack the
 * function. `of_run` is "", or "run_id" for a fleet. */
static bool add_sample_views(struct store_sqlite *sqlite, const char *of_run)
{
    char noise[SQL_VIEW_MAX];
    char sql[2 * SQL_VIEW_MAX];

    sql_noise_view_text(of_run, noise);
    snprintf(sql, sizeof(sql), SAMPLE_VIEW "; CREATE TEMP %s", of_run, *of_run != '\0' ? ", " : "",
             noise + strlen("CREATE "));
    return (sqlite3_create_function(sqlite->db, "tare_samples", 2, SQLITE_UTF8, sqlite,
                                    list_samples, NULL, NULL) == SQLITE_OK &&
            sqlite3_exec(sqlite->db, sql, NULL, NULL, NULL) == SQLITE_OK) ||
           fail(sqlite);
}

/* Allows what a SELECT does. ATTACH, for example, would open any file. */
static int allow_select(void *refused, int action, const char *first, const char *second,
                        const char *database, const char *by)
{
    (void)first, (void)second, (void)database, (void)by;
    if (action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION ||
        action == SQLITE_RECURSIVE) {
        return SQLITE_OK;
    }
    *(bool *)refused = true;
    return SQLITE_DENY;
}

/* Prepares a statement that must be one SELECT. Returns NULL with an error otherwise. */
static sqlite3_stmt *prepare_select(struct store_sqlite *sqlite, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    const char *rest = "";
    bool refused = false;

    sqlite3_set_authorizer(sqlite->db, allow_select, &refused);
    const int status = sqlite3_prepare_v2(sqlite->db, sql, -1, &statement, &rest);

    sqlite3_set_authorizer(sqlite->db, NULL, NULL);
    if (status != SQLITE_OK && !refused) {
        fail(sqlite);
        return NULL;
    }
    if (statement == NULL || sqlite3_column_count(statement) == 0 ||
        rest[strspn(rest, " \t\r\n;")] != '\0') {
        sqlite3_finalize(statement);
        store_fail(sqlite->store.error, "query: expected exactly one SELECT, got \"%.200s\"", sql);
        return NULL;
    }
    return statement;
}

static bool query(struct store *store, const char *sql, bool streamed, store_row_taker *take,
                  void *context)
{
    struct store_sqlite *sqlite = (struct store_sqlite *)store;
    sqlite3_stmt *statement = prepare_select(sqlite, sql);
    bool more = true;

    (void)streamed;
    if (statement == NULL) {
        return false;
    }
    struct answer *answer = answer_create(statement);

    while (more && sqlite3_step(statement) == SQLITE_ROW) {
        answer_fill(answer, statement);
        more = take(context, &answer->row);
    }
    answer_free(answer);
    return sqlite3_finalize(statement) == SQLITE_OK ? more : fail(sqlite);
}

static bool add(struct store *store, const struct run_table *table, const int64_t *lead,
                size_t lead_count, const struct cell *cells)
{
    struct store_sqlite *sqlite = (struct store_sqlite *)store;
    char error[ROW_ERROR_MAX] = "";

    sqlite->rows.db = sqlite->db;
    if (sqlite_add_row(&sqlite->rows, table, lead, lead_count, cells, error)) {
        return true;
    }
    if (error[0] == '\0') {
        return fail(sqlite);
    }
    store_fail(store->error, "%s", error);
    return false;
}

static bool flush(struct store *store)
{
    sqlite_rows_end(&((struct store_sqlite *)store)->rows);
    return true;
}

static bool find_row(struct store_sqlite *sqlite, const char *table, const int64_t place[2],
                     int64_t *row)
{
    char sql[SQL_MAX];
    sqlite3_stmt *statement;

    snprintf(sql, sizeof(sql),
             "SELECT rowid FROM \"%s\" WHERE run_id = %" PRId64 " AND position = %" PRId64, table,
             place[0], place[1]);
    if (sqlite3_prepare_v2(sqlite->db, sql, -1, &statement, NULL) != SQLITE_OK) {
        return false;
    }
    const bool found = sqlite3_step(statement) == SQLITE_ROW;

    *row = sqlite3_column_int64(statement, 0);
    return sqlite3_finalize(statement) == SQLITE_OK && found;
}

static bool read_piece(struct store *store, const char *table, const char *column,
                       const int64_t place[2], uint64_t offset, void *to, size_t size)
{
    struct store_sqlite *sqlite = (struct store_sqlite *)store;
    int64_t row;

    (void)column; /* no table of runs has two columns of bytes */
    if (sqlite->read_table != table || sqlite->read_place[0] != place[0] ||
        sqlite->read_place[1] != place[1]) {
        if (!find_row(sqlite, table, place, &row)) {
            return fail(sqlite);
        }
        turn_to(sqlite, strcmp(table, "trace") == 0, row);
        sqlite->read_table = table;
        memcpy(sqlite->read_place, place, sizeof(sqlite->read_place));
    }
    return blob_reader_read(&sqlite->reader, offset, to, size) || fail(sqlite);
}

/* Removes a file that was created for nothing, unless another program has written to it since.
 * While the lock is held, no program can. */
static void take_away(struct store_sqlite *sqlite)
{
    int64_t tables = -1;

    if (!sqlite3_get_autocommit(sqlite->db)) {
        sqlite3_exec(sqlite->db, "ROLLBACK", NULL, NULL, NULL);
    }
    if (sqlite3_exec(sqlite->db, dialect.begin, NULL, NULL, NULL) == SQLITE_OK &&
        sqlite_query_integer(sqlite->db, COUNT_TABLES, &tables) && tables == 0) {
        unlink(sqlite->path);
    }
}

static void close_sqlite(struct store *store)
{
    struct store_sqlite *sqlite = (struct store_sqlite *)store;

    sqlite_rows_end(&sqlite->rows);
    blob_reader_close(&sqlite->reader);
    blob_index_free(&sqlite->pieces);
    if (store->created && !sqlite->written) {
        take_away(sqlite);
    }
    sqlite3_close(sqlite->db);
    free(sqlite->path);
    free(sqlite);
}

static const struct store_backend backend = {
    .dialect = &dialect,
    .execute = execute,
    .query = query,
    .add = add,
    .flush = flush,
    .read = read_piece,
    .close = close_sqlite,
};

/* Checks a table. In a fleet of a newer version a table may be missing; that is not checked here.
 */
static bool check_table(struct store_sqlite *sqlite, const char *table)
{
    char sql[SQL_MAX];
    int64_t found = 0;

    snprintf(sql, sizeof(sql), "SELECT count(*) FROM sqlite_schema WHERE lower(name) = '%s'",
             table);
    if (!sqlite_query_integer(sqlite->db, sql, &found)) {
        return fail(sqlite);
    }
    if (found != 0 && !sqlite_is_plain_table(sqlite->db, table)) {
        store_fail(
            sqlite->store.error,
            "%s is damaged: %s is not a table as made by tare db: add the runs to a new fleet",
            sqlite->path, table);
        return false;
    }
    return true;
}

static bool check_tables(struct store_sqlite *sqlite)
{
    bool ok = check_table(sqlite, "fleet") && check_table(sqlite, "fleet_version");
    const struct run_table *table;

    for (size_t i = 0; ok && (table = fleet_placed_table(i)) != NULL; i++) {
        ok = check_table(sqlite, table->name);
    }
    return ok;
}

/* Reads a run file as tare show does, and opens a copy that this program writes in its place: with
 * views, statistics and derived tables of this program, whatever the file has. Queries therefore
 * fail for every file that tare show refuses. */
static bool open_copy(struct store_sqlite *sqlite)
{
    char error[RUNFILE_ERROR_MAX] = "";
    char name[TEMPORARY_PATH_MAX];
    struct temporary temporary = {.path = ""};
    struct run run;

    sqlite3_close(sqlite->db);
    sqlite->db = NULL;
    if (!temporary_create(&temporary)) {
        store_fail(sqlite->store.error, "cannot make a temporary folder: %s; set TMPDIR",
                   strerror(errno));
        return false;
    }
    run_init(&run);
    temporary_name(&temporary, "run.db", name);
    bool ok = runfile_read(sqlite->path, &run, error) && runfile_write_plain(name, &run, error);

    run_free(&run);
    if (!ok) {
        store_fail(sqlite->store.error, "%s", error);
    }
    ok = ok && ((sqlite_open_file(name, SQLITE_OPEN_READONLY, &sqlite->db) &&
                 blob_index_read(&sqlite->pieces, sqlite->db)) ||
                fail(sqlite));
    ok = ok && add_sample_views(sqlite, "");
    temporary_remove(&temporary); /* the open file stays until it is closed */
    return ok;
}

/* Checks whether the file is a fleet. For reading, a run file is accepted too; for adding, also a
 * file that another program has just created, or left empty when it was stopped. */
static bool check_mark(struct store *store, const char *name, enum store_mode mode)
{
    struct store_sqlite *sqlite = (struct store_sqlite *)store;
    int64_t mark = 0, tables = 0;

    if (store->created) {
        return true;
    }
    /* Another program writes tables and mark at once. The mark is read second, so it is there if
     * the tables were. */
    if (!sqlite_query_integer(sqlite->db, COUNT_TABLES, &tables) ||
        !sqlite_query_integer(sqlite->db, "PRAGMA application_id", &mark)) {
        if (sqlite3_errcode(sqlite->db) != SQLITE_NOTADB) {
            return fail(sqlite);
        }
        store_fail(store->error,
                   "%s is not a fleet; name a fleet, or a file that does not exist yet", name);
        return false;
    }
    if (mark == 0 && tables == 0 && mode == STORE_CREATE) {
        return true;
    }
    if (mark == RUNFILE_APPLICATION_ID && mode == STORE_READ) {
        return open_copy(sqlite);
    }
    if (mark == FLEET_APPLICATION_ID) {
        return check_tables(sqlite) && (mode != STORE_READ || (fleet_make_views(store, true) &&
                                                               add_sample_views(sqlite, "run_id")));
    }
    store_fail(store->error, "%s is %s, not a fleet; run \"tare db add NEW.db RUN.db\" to make one",
               name, mark == RUNFILE_APPLICATION_ID ? "a run file" : "another database");
    return false;
}

/* Opens the file. A program that was stopped while it changed the file leaves a journal, and only
 * who may write can undo the change. */
static bool open_file(struct store_sqlite *sqlite, const char *name, int flags)
{
    bool ok = sqlite_open_file(name, flags, &sqlite->db) && sqlite_distrust(sqlite->db, false);
    int64_t tables;

    if (sqlite->db != NULL) {
        sqlite3_busy_timeout(sqlite->db, BUSY_MS);
    }
    if (ok && flags == SQLITE_OPEN_READONLY &&
        !sqlite_query_integer(sqlite->db, COUNT_TABLES, &tables) &&
        sqlite3_extended_errcode(sqlite->db) == SQLITE_READONLY_ROLLBACK) {
        struct store_sqlite writer = {.path = sqlite->path};

        ok = open_file(&writer, name, SQLITE_OPEN_READWRITE) &&
             sqlite_query_integer(writer.db, COUNT_TABLES, &tables);
        if (!ok) {
            store_fail(sqlite->store.error,
                       "%s: a change was interrupted, and undoing it failed (%s): run tare db list "
                       "as a user who may write the file and its folder",
                       name, sqlite3_errmsg(writer.db));
        }
        sqlite3_close(writer.db);
        return ok;
    }
    return ok || fail(sqlite);
}

/* Creates the file if it does not exist. If several programs try, exactly one has created it and
 * may remove it. */
static bool check_file(const char *name, enum store_mode mode, bool *created, char *error)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;
    const int file = mode == STORE_CREATE ? open(name, flags, 0666) : -1;
    struct stat status;

    *created = file >= 0;
    if (*created) {
        close(file);
        return true;
    }
    if ((mode == STORE_CREATE && errno != EEXIST) || stat(name, &status) != 0) {
        store_fail(error, "cannot open %s: %s", name, strerror(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode) || (status.st_size == 0 && mode != STORE_CREATE)) {
        store_fail(error, "%s is %s, not a fleet", name,
                   S_ISREG(status.st_mode) ? "empty" : "not a regular file");
        return false;
    }
    return true;
}

struct store *store_sqlite_open(const char *name, enum store_mode mode, char error[STORE_ERROR_MAX])
{
    const int flags[] = {[STORE_READ] = SQLITE_OPEN_READONLY,
                         [STORE_WRITE] = SQLITE_OPEN_READWRITE,
                         [STORE_CREATE] = SQLITE_OPEN_READWRITE};
    bool created;

    if (!check_file(name, mode, &created, error)) {
        return NULL;
    }
    struct store_sqlite *sqlite = alloc_zeroed(sizeof(*sqlite));

    sqlite->store = (struct store){.backend = &backend, .created = created};
    sqlite->path = strdup(name);
    bool ok = open_file(sqlite, name, flags[mode]);

    if (ok) {
        sqlite->store.most_bytes = sqlite_most_bytes(sqlite->db);
        ok = check_mark(&sqlite->store, name, mode);
    }
    if (!ok) {
        memcpy(error, sqlite->store.error, STORE_ERROR_MAX);
        store_close(&sqlite->store);
        return NULL;
    }
    return &sqlite->store;
}
