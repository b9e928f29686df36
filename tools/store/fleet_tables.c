/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/fleet_tables.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tools/store/derived.h"
#include "tools/store/sql.h"

#define SQL_MAX 1024

static const struct column fleet_columns[] = {
    {"content", COLUMN_TEXT, true},  {"file", COLUMN_TEXT, true},
    {"machine", COLUMN_TEXT, false}, {"date", COLUMN_TEXT, false},
    {"kind", COLUMN_TEXT, false},    {"valid", COLUMN_INTEGER, true},
    {"reason", COLUMN_TEXT, false},  {"benches", COLUMN_INTEGER, true}};
const struct run_table fleet_table = {"fleet", fleet_columns,
                                      sizeof(fleet_columns) / sizeof(fleet_columns[0])};

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

/* Table number `index` that has rows of runs: those of a run file, and then derived ones. NULL:
 * there are no more. */
static const struct run_table *placed_table(size_t index)
{
    const struct run_derived *derived = run_derived();

    if (index < RUN_TABLE_COUNT) {
        return &run_tables[index];
    }
    index -= RUN_TABLE_COUNT;
    return derived != NULL && index < derived->table_count ? &derived->tables[index] : NULL;
}

static bool make_table(struct store *store, const struct run_table *table, const char *lead,
                       const char *key, const char *behind)
{
    char sql[SQL_TABLE_MAX];

    sql_table_text(table, store->backend->dialect->types, lead, sql);
    strncat(sql, behind, sizeof(sql) - strlen(sql) - 1);
    return store->backend->execute(store, sql) &&
           execute(store, "CREATE UNIQUE INDEX %s_place ON \"%s\"(%s)", table->name, table->name,
                   key);
}

static bool make_placed(struct store *store, const struct run_table *table)
{
    return make_table(store, table, "run_id BIGINT NOT NULL, position BIGINT NOT NULL, ",
                      "run_id, position",
                      store->partition_runs != 0 ? store->backend->dialect->partitioned : "");
}

/* What leads from a machine to its runs, and from a metric's name to its rows of them. */
static bool make_indexes(struct store *store)
{
    return execute(store, "CREATE INDEX fleet_machine ON fleet(machine, run_id)") &&
           (run_derived() == NULL ||
            execute(store, "CREATE INDEX digest_metric_name ON digest_metric(name, run_id)"));
}

/* ---- views ---- */

/* "CREATE VIEW ..." number `index`; false: there are no more. */
static bool view_text(const struct store *store, size_t index, char sql[SQL_VIEW_MAX])
{
    const struct run_derived *derived = run_derived();

    if (index == 0) {
        snprintf(sql, SQL_VIEW_MAX, "%s", store->backend->dialect->sample_view);
        return true;
    }
    if (index == 1) {
        sql_noise_view_text("run_id", sql);
        return true;
    }
    return derived != NULL && derived->view(index - 2, "run_id", sql);
}

static bool make_views(struct store *store)
{
    char sql[SQL_VIEW_MAX];
    bool ok = true;

    for (size_t i = 0; ok && view_text(store, i, sql); i++) {
        ok = store->backend->execute(store, sql);
    }
    return ok;
}

bool fleet_tables_make(struct store *store)
{
    const struct store_backend *backend = store->backend;
    const struct run_table *table;
    bool ok = make_table(store, &fleet_table, "run_id BIGINT NOT NULL, ", "run_id", "") &&
              backend->execute(store, "CREATE UNIQUE INDEX fleet_content ON fleet(content)") &&
              backend->execute(store, "CREATE TABLE fleet_version(version BIGINT NOT NULL)") &&
              execute(store, "INSERT INTO fleet_version VALUES(%d)", FLEET_VERSION);

    for (size_t i = 0; ok && (table = placed_table(i)) != NULL; i++) {
        ok = make_placed(store, table);
    }
    return ok && make_indexes(store) && make_views(store) &&
           backend->execute(store, backend->dialect->prepare);
}

bool fleet_tables_check(struct store *store)
{
    int64_t version;

    if (!store_ask(store, "SELECT version FROM fleet_version", &version)) {
        return false;
    }
    if (version != FLEET_VERSION) {
        store_fail(
            store->error, "the fleet is of version %" PRId64 ", this tare knows version %d: %s",
            version, FLEET_VERSION,
            version > FLEET_VERSION ? "use a newer tare" : "add its run files to a new fleet");
    }
    return version == FLEET_VERSION;
}

/* ---- parts ---- */

/* Rows go straight into parts: one that was detached would take them out of the fleet. */
static bool make_part(struct store *store, const char *table, int64_t part)
{
    const int64_t runs = store->partition_runs;
    char sql[SQL_MAX];
    int64_t found; /* 1: such a table, 2: which is a part */

    snprintf(sql, sizeof(sql),
             "SELECT count(*) + (SELECT count(*) FROM pg_inherits WHERE inhparent = "
             "to_regclass('%s') AND inhrelid = to_regclass('%s_%" PRId64 "')) "
             "FROM pg_class WHERE oid = to_regclass('%s_%" PRId64 "')",
             table, table, part, table, part);
    if (!store_ask(store, sql, &found)) {
        return false;
    }
    if (found == 1) {
        store_fail(store->error,
                   "table %s_%" PRId64 " is no part of %s, where new rows belong in it: attach it "
                   "again, or give it another name",
                   table, part, table);
        return false;
    }
    return found == 2 || execute(store,
                                 "CREATE TABLE \"%s_%" PRId64 "\" PARTITION OF \"%s\" "
                                 "FOR VALUES FROM (%" PRId64 ") TO (%" PRId64 ")",
                                 table, part, table, part * runs + 1, (part + 1) * runs + 1);
}

bool fleet_tables_partition(struct store *store, int64_t id)
{
    const int64_t runs = store->partition_runs;
    const int64_t part = runs != 0 ? (id - 1) / runs : 0;
    const struct run_table *table;
    bool ok = true;

    if (runs == 0 || store->pending.part == part + 1) {
        return true;
    }
    for (size_t i = 0; ok && (table = placed_table(i)) != NULL; i++) {
        ok = make_part(store, table->name, part);
    }
    store->pending.part = part + 1;
    return ok;
}

/* Columns by which rows are looked up: of the others it would take four times as long. */
bool fleet_tables_analyze(struct store *store, int64_t part)
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
                   "series%s(run_id, bench, pass, name)",
                   suffix, suffix) &&
           (run_derived() == NULL ||
            execute(store, "ANALYZE digest_metric%s(run_id, bench, pass, name, by_series)",
                    suffix));
}
