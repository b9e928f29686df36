/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/fleet.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/link/names.h"
#include "tools/base/interrupt.h"
#include "tools/base/json.h"
#include "tools/base/partial_file.h"
#include "tools/base/texts.h"
#include "tools/base/trace_bytes.h"
#include "tools/run/run_kind.h"
#include "tools/store/folded.h"
#include "tools/store/row_hash.h"
#include "tools/store/run_tables.h"
#include "tools/store/runfile.h"

#define SQL_MAX 1024
#define PIECE   65536
#define STOPPED "stopped; nothing was written"
/* From this number of runs on, the database gathers statistics for its query plans (ANALYZE). With
 * fewer runs, no query plan is far off. */
#define ANALYZED_FROM 100
#define WHOLE_FACTOR  2
#define PART_FACTOR   4
/* Number of contents that are looked up one by one in a transaction before all are fetched at once:
 * fetching all of a fleet of RUNS_AN_ANSWER runs takes as long as one look-up. */
#define ASKED_MIN      8
#define RUNS_AN_ANSWER 4096

static const struct column fleet_columns[] = {
    {"content", COLUMN_TEXT, true},  {"file", COLUMN_TEXT, true},
    {"machine", COLUMN_TEXT, false}, {"date", COLUMN_TEXT, false},
    {"kind", COLUMN_TEXT, false},    {"valid", COLUMN_INTEGER, true},
    {"reason", COLUMN_TEXT, false},  {"benches", COLUMN_INTEGER, true}};
const struct run_table fleet_table = {"fleet", fleet_columns,
                                      sizeof(fleet_columns) / sizeof(fleet_columns[0]), NULL};

__attribute__((format(printf, 2, 3))) static bool execute(struct store *store, const char *format,
                                                          ...)
{
    char sql[SQL_MAX];
    va_list values;

    va_start(values, format);
    vsnprintf(sql, sizeof(sql), format, values);
    va_end(values);
    return store->backend->execute(store, sql);
}

/* ---- tables ---- */

/*
 * In engines with partitioned tables, the rows of store->partition_runs runs form one part of each
 * table: part `TABLE_k` has runs k * partition_runs + 1 to (k + 1) * partition_runs. Parts are
 * divided by run number instead of by machine, because runs arrive in this order: only the newest
 * part is written to, so that its indexes fit memory; old runs are removed part by part; and a
 * query for a machine looks up its runs by number in any case. README.md has the measurement.
 */

const struct run_table *fleet_placed_table(size_t index)
{
    const struct run_derived *derived = run_derived();

    if (index < RUN_TABLE_COUNT) {
        return &run_tables[index];
    }
    index -= RUN_TABLE_COUNT;
    return derived != NULL && index < derived->table_count ? &derived->tables[index] : NULL;
}

/*
 * In a grouped fleet, all rows of a run in a small table are one row of `fleet_rows`: a JSON array
 * that has an array for each row. Alone, a row would take more bytes for its head and its entry in
 * the index than for its values. The name of such a table, a group, is a view. Packets are folded.
 * `series` is renamed to `fleet_series`, in which the engine stores fewer bytes of samples, and
 * becomes a view that has all of them.
 */
static const struct column rows_columns[] = {{"name", COLUMN_TEXT, true},
                                             {"rows", COLUMN_TEXT, true}};
static const struct run_table fleet_rows = {"fleet_rows", rows_columns, 2, NULL};

/* Is the table a group? Tables that queries join, or look up for many runs, are none. */
static bool is_group(const struct store *store, const struct run_table *table)
{
    static const char *const others[] = {"verdict", "series", "trace", "digest_metric"};
    bool group = store->grouped;

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        group = group && strcmp(table->name, others[i]) != 0;
    }
    return group;
}

/* Returns the name of the table that has the rows of a table which is no group. */
static const char *stored_name(const struct store *store, const struct run_table *table)
{
    return store->grouped && strcmp(table->name, RECORD_SERIES) == 0 ? "fleet_series" : table->name;
}

static bool make_table(struct store *store, const struct run_table *table, const char *lead,
                       const char *key, const char *behind)
{
    const bool unique = !store->grouped || table == &fleet_table;
    char sql[SQL_TABLE_MAX];

    sql_table_text(table, store->backend->dialect->types, lead, sql);
    strncat(sql, behind, sizeof(sql) - strlen(sql) - 1);
    return store->backend->execute(store, sql) &&
           execute(store, "CREATE %sINDEX %s_place ON \"%s\"(%s)", unique ? "UNIQUE " : "",
                   table->name, table->name, key);
}

/* ---- views ---- */

/* Creates the view of a group. */
static bool make_group_view(struct store *store, const struct run_table *table)
{
    char sql[SQL_VIEW_MAX];
    size_t used = (size_t)snprintf(
        sql, sizeof(sql), "CREATE VIEW %s AS SELECT run_id, n - 1 AS position", table->name);

    for (size_t i = 0; i < table->count; i++) {
        used += (size_t)snprintf(
            sql + used, sizeof(sql) - used, ", CAST(item ->> %zu AS %s) AS \"%s\"", i,
            store->backend->dialect->types[table->columns[i].type], table->columns[i].name);
    }
    snprintf(sql + used, sizeof(sql) - used,
             " FROM fleet_rows, json_array_elements(CAST(rows AS json)) WITH ORDINALITY "
             "AS r(item, n) WHERE name = '%s'",
             table->name);
    return store->backend->execute(store, sql);
}

/* `sql` is "CREATE VIEW ...". */
static bool make_view(struct store *store, bool temporary, const char *sql)
{
    char text[SQL_VIEW_MAX + 16];

    snprintf(text, sizeof(text), "CREATE %s%s", temporary ? "TEMP " : "", sql + strlen("CREATE "));
    return store->backend->execute(store, text);
}

bool fleet_make_views(struct store *store, bool temporary)
{
    const struct run_derived *derived = run_derived();
    const struct store_dialect *dialect = store->backend->dialect;
    char sql[SQL_VIEW_MAX];
    bool ok = true;

    for (size_t i = 0; ok && derived != NULL && derived->view(i, "run_id", sql); i++) {
        ok = make_view(store, temporary, sql);
    }
    sql_noise_view_text("run_id", sql);
    return ok && (temporary || store->backend->execute(store, dialect->prepare)) &&
           (dialect->sample_view == NULL || (make_view(store, temporary, dialect->sample_view) &&
                                             make_view(store, temporary, sql)));
}

/* Creates all tables and views in an empty database. */
static bool make_tables(struct store *store)
{
    const struct store_backend *backend = store->backend;
    const char *parts = store->partition_runs != 0 ? backend->dialect->partitioned : "";
    const struct run_table *table;

    store->grouped = backend->dialect->version == FLEET_GROUPED;
    bool ok = make_table(store, &fleet_table, "run_id BIGINT NOT NULL, ", "run_id", "") &&
              backend->execute(store, "CREATE UNIQUE INDEX fleet_content ON fleet(content)") &&
              backend->execute(store, "CREATE TABLE fleet_version(version BIGINT NOT NULL)") &&
              execute(store, "INSERT INTO fleet_version VALUES(%d)", backend->dialect->version) &&
              (!store->grouped ||
               make_table(store, &fleet_rows, "run_id BIGINT NOT NULL, ", "run_id", parts));

    for (size_t i = 0; ok && (table = fleet_placed_table(i)) != NULL; i++) {
        ok = is_group(store, table)
                 ? make_group_view(store, table)
                 : make_table(store, table, "run_id BIGINT NOT NULL, position BIGINT NOT NULL, ",
                              store->grouped ? "run_id" : "run_id, position", parts);
    }
    /* Indexes that lead from a machine to its runs, and from a metric's name to its rows of them.
     */
    ok = ok && execute(store, "CREATE INDEX fleet_machine ON fleet(machine, run_id)") &&
         (run_derived() == NULL ||
          execute(store, "CREATE INDEX digest_metric_name ON digest_metric(name, run_id)"));
    return ok && fleet_make_views(store, false);
}

/* Checks that the fleet has a version that this tare makes or made with the engine, and sets
 * store->grouped. Otherwise returns false with an error. */
static bool check_version(struct store *store)
{
    const int newest = store->backend->dialect->version;
    int64_t version;

    if (!store_ask(store, &version, "SELECT version FROM fleet_version")) {
        return false;
    }
    store->grouped = version == FLEET_GROUPED;
    if (version == FLEET_PLAIN || version == newest) {
        return true;
    }
    store_fail(store->error, "the fleet has version %" PRId64 ", this tare supports version %d: %s",
               version, newest,
               version > newest ? "use a newer tare" : "add its run files to a new fleet");
    return false;
}

/* ---- parts ---- */

/* Creates a part of a table if it does not exist. Fails if the part exists but was detached: rows
 * are written directly to parts, so they would not be in the fleet. */
static bool make_part(struct store *store, const char *table, int64_t part)
{
    const int64_t runs = store->partition_runs;
    int64_t found; /* 1: there is such a table; 2: it is a part */

    if (!store_ask(store, &found,
                   "SELECT count(*) + (SELECT count(*) FROM pg_inherits WHERE inhparent = "
                   "to_regclass('%s') AND inhrelid = to_regclass('%s_%" PRId64 "')) "
                   "FROM pg_class WHERE oid = to_regclass('%s_%" PRId64 "')",
                   table, table, part, table, part)) {
        return false;
    }
    if (found == 1) {
        store_fail(store->error,
                   "table %s_%" PRId64
                   " is not attached to %s, but new rows belong there: attach it, or rename it",
                   table, part, table);
        return false;
    }
    return found == 2 || execute(store,
                                 "CREATE TABLE \"%s_%" PRId64 "\" PARTITION OF \"%s\" "
                                 "FOR VALUES FROM (%" PRId64 ") TO (%" PRId64 ")",
                                 table, part, table, part * runs + 1, (part + 1) * runs + 1);
}

/* Makes sure that a part for the rows of run `id` exists, if tables have parts. */
static bool make_parts(struct store *store, int64_t id)
{
    const int64_t runs = store->partition_runs;
    const int64_t part = runs != 0 ? (id - 1) / runs : 0;
    const struct run_table *table;
    bool ok = true;

    if (runs == 0 || store->pending.part == part + 1) {
        return true;
    }
    for (size_t i = 0; ok && (table = fleet_placed_table(i)) != NULL; i++) {
        ok = is_group(store, table) || make_part(store, stored_name(store, table), part);
    }
    ok = ok && (!store->grouped || make_part(store, fleet_rows.name, part));
    store->pending.part = part + 1;
    return ok;
}

/* Gathers the statistics for query plans, if the engine uses any: of the whole tables, or only of
 * part `part` (from 1). Only columns that look up rows are analysed; all columns would take four
 * times as long. */
static bool analyze(struct store *store, int64_t part)
{
    char suffix[32] = "";

    if (!store->backend->dialect->analyzes) {
        return true;
    }
    if (part != 0) {
        snprintf(suffix, sizeof(suffix), "_%" PRId64, part - 1);
    }
    return execute(store,
                   "ANALYZE fleet(run_id, machine, date), verdict%s(run_id), "
                   "%sseries%s(run_id, bench, pass, name)",
                   suffix, store->grouped ? "fleet_" : "", suffix) &&
           (!store->grouped || execute(store, "ANALYZE fleet_rows%s(run_id, name)", suffix)) &&
           (run_derived() == NULL ||
            execute(store, "ANALYZE digest_metric%s(run_id, bench, pass, name, by_series)",
                    suffix));
}

/* ---- transactions ---- */

bool fleet_begin(struct store *store)
{
    int64_t there;

    known_contents_free(&store->pending.known);
    store->pending = (struct store_pending){0};
    if (!store->backend->execute(store, store->backend->dialect->begin) ||
        !store_ask(store, &there, "%s", store->backend->dialect->has_fleet)) {
        return false;
    }
    return (there != 0 ? check_version(store) : make_tables(store)) &&
           store_ask(store, &store->pending.last, "SELECT max(run_id) FROM fleet");
}

/* Returns whether a count that grew by `added` to `now` passed a bound. Each bound is `factor`
 * times the previous one. */
static bool has_grown(uint64_t now, uint64_t added, unsigned factor)
{
    uint64_t bound = ANALYZED_FROM;

    while (added < now && bound <= now - added) {
        bound *= factor;
    }
    return bound <= now;
}

/* PostgreSQL analyses parts of tables by itself, at some time, but never whole tables, and plans
 * queries by the statistics it last gathered. */
static bool analyze_grown(struct store *store)
{
    const struct store_pending *pending = &store->pending;
    const uint64_t last = (uint64_t)pending->last;
    const uint64_t in_part =
        pending->part != 0 ? last - (uint64_t)((pending->part - 1) * store->partition_runs) : 0;

    if (has_grown(last, pending->added, WHOLE_FACTOR)) {
        return analyze(store, 0);
    }
    return !has_grown(in_part, pending->added, PART_FACTOR) || analyze(store, pending->part);
}

bool fleet_commit(struct store *store)
{
    return store->backend->flush(store) && analyze_grown(store) &&
           store->backend->execute(store, "COMMIT");
}

bool fleet_look(struct store *store)
{
    int64_t there;

    if (!store->backend->execute(store, store->backend->dialect->begin_reading) ||
        !store_ask(store, &there, "%s", store->backend->dialect->has_fleet)) {
        return false;
    }
    if (there == 0) {
        store_fail(store->error,
                   "no fleet in this database; run \"tare db add FLEET RUN.db\" to make one");
        return false;
    }
    return check_version(store);
}

bool fleet_query(struct store *store, const char *sql, store_row_taker *take, void *context)
{
    const struct store_dialect *dialect = store->backend->dialect;
    int64_t powers = 0;

    if (!store->backend->execute(store, dialect->begin_reading) ||
        (dialect->powers != NULL && !store_ask(store, &powers, "%s", dialect->powers))) {
        return false;
    }
    if (powers != 0) {
        store_fail(store->error,
                   "query: expected a role that only reads, got one that may run programs or read "
                   "files of the server: make another with CREATE ROLE reader LOGIN; GRANT "
                   "pg_read_all_data TO reader; and use it: postgresql://reader@...");
        return false;
    }
    return store->backend->query(store, sql, true, take, context);
}

/* ---- hash of the content ---- */

struct hash_sink {
    struct row_sink sink;
    struct sha256 hash;
};

static bool hash_bytes(struct hash_sink *to, struct trace_bytes *bytes)
{
    uint8_t piece[PIECE];

    row_hash_number(&to->hash, bytes->length);
    for (uint64_t at = 0, part; at < bytes->length; at += part) {
        part = bytes->length - at < PIECE ? bytes->length - at : PIECE;
        if (!bytes->read(bytes, at, piece, part)) {
            snprintf(to->sink.error, sizeof(to->sink.error), "the run cannot be read back");
            return false;
        }
        sha256_put(&to->hash, piece, part);
    }
    return true;
}

/* Hashes a row with its bytes, which are always in the last column. */
static bool hash_row(struct row_sink *sink, const struct run_table *table, const struct cell *cells)
{
    struct hash_sink *to = (struct hash_sink *)sink;
    const size_t last = table->count - 1;

    if (table == run_tables && strcmp(cells[0].text, INFO_CAPTURED) == 0) {
        return true; /* the same log, copied or decoded again */
    }
    row_hash(&to->hash, table, cells);
    return table->columns[last].type != COLUMN_BYTES || hash_bytes(to, cells[last].bytes);
}

static bool hash_run(struct store *store, const struct run *run, char content[SHA256_TEXT])
{
    struct hash_sink to = {.sink = {.add = hash_row, .most_bytes = store->most_bytes}};

    sha256_begin(&to.hash);
    if (!run_tables_write(run, &to.sink)) {
        store_fail(store->error, "%s", to.sink.error);
        return false;
    }
    sha256_end(&to.hash, content);
    return true;
}

/* ---- adding ---- */

struct store_sink {
    struct row_sink sink;
    struct store *store;
    int64_t id;
    const struct run_table *tables;           /* first of the tables that rows are added to */
    int64_t positions[RUN_TABLE_COUNT];       /* number of rows that each table has so far */
    struct long_text groups[RUN_TABLE_COUNT]; /* rows of groups, without the last "]" */
};
_Static_assert(RUN_DERIVED_TABLES_MAX <= RUN_TABLE_COUNT, "positions has room for them");

/* Adds a row to its group. All texts of a run are UTF-8 (run_text()), as JSON must be. */
static bool group_row(struct store_sink *to, const struct run_table *table,
                      const struct cell *cells)
{
    struct long_text *group = &to->groups[table - to->tables];
    const bool first = group->out == NULL;
    struct json json;

    if (first) {
        long_text_open(group);
    }
    fputc(first ? '[' : ',', group->out);
    json_start(&json, group->out);
    json_flat_array(&json, NULL);
    for (size_t i = 0; i < table->count; i++) {
        if (cells[i].present && table->columns[i].type == COLUMN_INTEGER) {
            json_signed(&json, NULL, cells[i].integer);
        } else {
            json_text(&json, NULL, cells[i].present ? cells[i].text : NULL);
        }
    }
    json_close(&json);
    return true;
}

static bool add_row(struct row_sink *sink, const struct run_table *table, const struct cell *cells)
{
    struct store_sink *to = (struct store_sink *)sink;
    const int64_t lead[] = {to->id, to->positions[table - to->tables]++};

    return is_group(to->store, table) ? group_row(to, table, cells)
                                      : to->store->backend->add(to->store, table, lead, 2, cells);
}

static struct cell text_cell(const char *text)
{
    return (struct cell){.present = text != NULL, .text = text};
}

static struct cell integer_cell(int64_t integer)
{
    return (struct cell){.present = true, .integer = integer};
}

static const char *machine_name(const struct run *run)
{
    const char *name = run_pair_value(&run->machine, FACT_CPU_BRAND);

    return name != NULL ? name : run_pair_value(&run->machine, FACT_CPU_VENDOR);
}

static bool add_entry(struct store *store, struct run *run, const char *file, const char *content,
                      int64_t id)
{
    struct run_texts reasons = {0};
    const bool valid = run_valid(run, &reasons);
    const struct cell cells[] = {
        text_cell(content),
        text_cell(file),
        text_cell(machine_name(run)),
        text_cell(run_pair_value(&run->info, INFO_DATE)),
        text_cell(run_time_name(run)),
        integer_cell(valid),
        text_cell(reasons.count > 0 ? reasons.item[0] : NULL),
        integer_cell((int64_t)run->bench_count),
    };
    const bool ok = store->backend->add(store, &fleet_table, &id, 1, cells);

    run_texts_free(&reasons);
    return ok;
}

/* Adds the groups if `ok`, and frees them. */
static bool add_groups(struct store_sink *to, bool ok)
{
    for (size_t i = 0; i < RUN_TABLE_COUNT; i++) {
        struct long_text *group = &to->groups[i];

        if (group->out != NULL) {
            fputc(']', group->out);
            const struct cell cells[] = {text_cell(to->tables[i].name),
                                         text_cell(long_text_close(group))};

            ok = ok && to->store->backend->add(to->store, &fleet_rows, &to->id, 1, cells);
            long_text_free(group);
        }
    }
    return ok;
}

static bool add_rows(struct store *store, struct run *run, int64_t id,
                     const struct run_table *tables,
                     bool (*write)(struct run *run, struct row_sink *sink))
{
    struct store_sink to = {.sink = {.add = add_row, .most_bytes = store->most_bytes},
                            .store = store,
                            .id = id,
                            .tables = tables};

    if (add_groups(&to, write(run, &to.sink))) {
        return true;
    }
    if (to.sink.error[0] != '\0') {
        store_fail(store->error, "%s", to.sink.error);
    }
    return false;
}

static bool write_tables(struct run *run, struct row_sink *sink)
{
    return run_tables_write(run, sink);
}

static bool take_contents(void *context, const struct store_row *row)
{
    struct known_contents *known = context;

    for (const char *at = row->texts[0]; at != NULL && *at != '\0'; at += KNOWN_DIGITS) {
        known_contents_add(known, at);
    }
    return true;
}

/* Fetches the contents of all runs once enough single look-ups were made. A query has to wait for
 * all rows that are being sent, so one query for all is faster. No other program adds to the fleet
 * before this transaction ends. */
static bool learn_contents(struct store *store)
{
    struct store_pending *pending = &store->pending;
    const char *contents = store->backend->dialect->contents;

    if (contents == NULL || pending->knows_all ||
        ++pending->asked < ASKED_MIN + (uint64_t)pending->last / RUNS_AN_ANSWER) {
        return true;
    }
    for (size_t i = 0; i < pending->count; i++) {
        known_contents_add(&pending->known, pending->contents[i]);
    }
    pending->knows_all = true;
    return store->backend->query(store, contents, false, take_contents, &pending->known);
}

/* Finds the run with this content; *id is 0 if there is none. Pending runs may not be in the store
 * yet, so they are checked here; flushing the rows for every run would be slow. */
static bool find_content(struct store *store, const char *content, int64_t *id)
{
    const struct store_pending *pending = &store->pending;

    *id = 0;
    if (!learn_contents(store)) {
        return false;
    }
    if (pending->knows_all && !known_contents_have(&pending->known, content)) {
        return true;
    }
    for (size_t i = 0; i < pending->count; i++) {
        if (strcmp(pending->contents[i], content) == 0) {
            *id = pending->last - (int64_t)(pending->count - 1 - i);
            return true;
        }
    }
    return store_ask(store, id, "SELECT run_id FROM fleet WHERE content = '%s'", content);
}

/* Takes the next run number, and makes space in the list of pending runs. */
static bool take_number(struct store *store, const char *content, int64_t *id)
{
    struct store_pending *pending = &store->pending;

    if (pending->count == STORE_PENDING_MAX) {
        if (!store->backend->flush(store)) {
            return false;
        }
        pending->count = 0;
    }
    *id = pending->last + 1;
    if (!make_parts(store, *id)) {
        return false;
    }
    snprintf(pending->contents[pending->count++], sizeof(pending->contents[0]), "%s", content);
    if (pending->knows_all) {
        known_contents_add(&pending->known, content);
    }
    pending->last = *id;
    pending->added++;
    return true;
}

bool fleet_add(struct store *store, struct run *run, const char *file, int64_t *id, bool *is_new)
{
    const struct run_derived *derived = run_derived();
    char content[SHA256_TEXT];

    if (!hash_run(store, run, content) || !find_content(store, content, id)) {
        return false;
    }
    *is_new = *id == 0;
    return !*is_new ||
           (take_number(store, content, id) && add_entry(store, run, file, content, *id) &&
            add_rows(store, run, *id, run_tables, write_tables) &&
            (derived == NULL || add_rows(store, run, *id, derived->tables, derived->write)));
}

/* ---- extracting ---- */

/* A column value of type BLOB in the fleet's database, which is read piece by piece. */
struct stored_piece {
    struct trace_bytes bytes;
    struct store *store;
    const char *table;
    const char *column;
    int64_t place[2];
};

static bool read_stored(struct trace_bytes *bytes, uint64_t offset, void *to, size_t size)
{
    const struct stored_piece *stored = (const struct stored_piece *)bytes;

    return stored->store->backend->read(stored->store, stored->table, stored->column, stored->place,
                                        offset, to, size);
}

struct extraction {
    struct store *store;
    int64_t id;
    struct row_sink *sink;
    const struct run_table *table;
    int64_t position;
};

/* Takes a row column by column. For bytes, the answer has only their length. */
static bool take_row(void *context, const struct store_row *row)
{
    struct extraction *extraction = context;
    struct cell cells[RUN_TABLE_COLUMNS_MAX];
    struct stored_piece stored = {.bytes = {.read = read_stored}, .store = extraction->store};
    struct trace_bytes *unfolded = NULL;

    if (interrupt_seen()) {
        store_fail(extraction->store->error, STOPPED);
        return false;
    }
    memset(cells, 0, sizeof(cells));
    for (size_t i = 0; i < row->count; i++) {
        const struct column *column = &extraction->table->columns[i];

        cells[i].present = row->texts[i] != NULL;
        cells[i].text = row->texts[i];
        cells[i].integer =
            cells[i].present && column->type != COLUMN_TEXT ? strtoll(row->texts[i], NULL, 10) : 0;
        if (column->type == COLUMN_BYTES) {
            stored.table = extraction->table->name;
            stored.column = column->name;
            stored.place[0] = extraction->id;
            stored.place[1] = extraction->position;
            stored.bytes.length = (uint64_t)cells[i].integer;
            if (extraction->store->grouped && strcmp(extraction->table->name, RECORD_TRACE) == 0) {
                unfolded = folded_open(&stored.bytes, FOLDED_PACKETS, NULL);
            }
            /* Folded bytes that were changed are read as they are: check_content() refuses them. */
            cells[i].bytes = unfolded != NULL ? unfolded : &stored.bytes;
        }
    }
    extraction->position++;
    const bool ok = extraction->sink->add(extraction->sink, extraction->table, cells);

    trace_bytes_close(unfolded);
    return ok;
}

static bool extract_table(struct extraction *extraction, const struct run_table *table)
{
    char sql[SQL_MAX] = "SELECT ";
    size_t used = strlen(sql);

    for (size_t i = 0; i < table->count; i++) {
        const bool bytes = table->columns[i].type == COLUMN_BYTES;

        used += (size_t)snprintf(sql + used, sizeof(sql) - used, "%s%s\"%s\"%s", i > 0 ? ", " : "",
                                 bytes ? "length(" : "", table->columns[i].name, bytes ? ")" : "");
    }
    snprintf(sql + used, sizeof(sql) - used,
             " FROM \"%s\" WHERE run_id = %" PRId64 " ORDER BY position", table->name,
             extraction->id);
    extraction->table = table;
    extraction->position = 0;
    return extraction->store->backend->query(extraction->store, sql, false, take_row, extraction);
}

static bool extract_tables(void *context, struct row_sink *sink)
{
    struct extraction *extraction = context;
    bool ok = true;

    extraction->sink = sink;
    for (size_t i = 0; i < RUN_TABLE_COUNT && ok; i++) {
        ok = extract_table(extraction, &run_tables[i]);
    }
    if (!ok && sink->error[0] == '\0') {
        snprintf(sink->error, sizeof(sink->error), "%.250s", extraction->store->error);
    }
    return ok;
}

static bool check_there(struct store *store, int64_t id)
{
    int64_t count;

    if (!store_ask(store, &count, "SELECT count(*) FROM fleet WHERE run_id = %" PRId64, id)) {
        return false;
    }
    if (count == 0) {
        store_fail(store->error, "no run %" PRId64 ": tare db list prints the runs", id);
    }
    return count != 0;
}

/* Any user of the database can change a row. A run that differs from what was added must not be
 * read as a measurement. */
static bool check_content(struct store *store, const struct run *run, int64_t id)
{
    char content[SHA256_TEXT];
    int64_t count;

    if (!hash_run(store, run, content) ||
        !store_ask(store, &count,
                   "SELECT count(*) FROM fleet WHERE run_id = %" PRId64 " AND content = '%s'", id,
                   content)) {
        return false;
    }
    if (count == 0) {
        store_fail(store->error,
                   "run %" PRId64 " differs from what was added: its rows were changed in the "
                   "database; remove it, and add its run file again",
                   id);
    }
    return count != 0;
}

/* Writes the run file of a run whose rows are in file `rows`. */
static bool write_run(struct store *store, int64_t id, const char *rows, const char *path)
{
    char error[RUNFILE_ERROR_MAX] = "";
    struct run run;

    run_init(&run);
    bool ok = runfile_read(rows, &run, error) && check_content(store, &run, id);

    if (ok && interrupt_seen()) {
        snprintf(error, sizeof(error), STOPPED);
        ok = false;
    }
    ok = ok && runfile_write(path, &run, error);
    run_free(&run);
    if (error[0] != '\0') {
        store_fail(store->error, "%s", error);
    }
    return ok;
}

/* Copies the rows to a temporary file first, in which they are stored table by table. */
bool fleet_extract(struct store *store, int64_t id, const char *path)
{
    struct extraction extraction = {.store = store, .id = id};
    char rows[TEMPORARY_PATH_MAX];
    char error[RUNFILE_ERROR_MAX];
    struct temporary temporary = {.path = ""};

    if (!check_there(store, id) || !check_version(store)) {
        return false;
    }
    if (!temporary_create(&temporary)) {
        store_fail(store->error, "cannot make a temporary folder: %s; set TMPDIR", strerror(errno));
        return false;
    }
    temporary_name(&temporary, "rows.db", rows);
    bool ok = runfile_write_rows(rows, extract_tables, &extraction, error);

    if (!ok) {
        store_fail(store->error, "%s", error);
    }
    ok = ok && write_run(store, id, rows, path);
    temporary_remove(&temporary);
    return ok;
}

bool fleet_remove(struct store *store, int64_t id)
{
    const struct run_table *table;
    bool ok = check_there(store, id);

    for (size_t i = 0; ok && (table = fleet_placed_table(i)) != NULL; i++) {
        ok = is_group(store, table) || execute(store, "DELETE FROM \"%s\" WHERE run_id = %" PRId64,
                                               stored_name(store, table), id);
    }
    ok = ok &&
         (!store->grouped || execute(store, "DELETE FROM fleet_rows WHERE run_id = %" PRId64, id));
    return ok && execute(store, "DELETE FROM fleet WHERE run_id = %" PRId64, id);
}

bool fleet_list(struct store *store, store_row_taker *take, void *context)
{
    return store->backend->query(
        store,
        "SELECT run_id, machine, date, kind, valid, reason, benches, file, "
        "content FROM fleet ORDER BY run_id",
        true, take, context);
}
