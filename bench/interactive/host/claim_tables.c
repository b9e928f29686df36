/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables for the queries of claims. SQLite makes them of the JSON that `tare show --json` writes of
 * a bench (claim_tables.sql), so that they cannot differ from what others read.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/interactive/host/claims.h"
#include "bench/interactive/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/json.h"
#include "tools/base/sort.h"
#include "tools/base/texts.h"
#include "tools/present/report_plugin.h"
#include "tools/trace/reconcile.h"

#define NS_PER_MS        1e6
#define BUSY_SAMPLES_MAX 65536 /* longer series are not needed for any claim */

extern const char claim_tables_sql[];

/* ---- aggregates that SQLite lacks ---- */

struct values {
    double *value;
    size_t count, capacity;
};

static void add_value(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct values *values = sqlite3_aggregate_context(context, sizeof(*values));

    if (count == 1 && sqlite3_value_type(arguments[0]) != SQLITE_NULL) {
        *ALLOC_NEXT(values->value, values->count, values->capacity) =
            sqlite3_value_double(arguments[0]);
    }
}

static void end_median(sqlite3_context *context)
{
    struct values *values = sqlite3_aggregate_context(context, sizeof(*values));

    sort_reals(values->value, values->count);
    sqlite3_result_double(context,
                          values->count > 0 ? values->value[(values->count - 1) / 2] : NAN);
    free(values->value);
}

static void end_deviation(sqlite3_context *context)
{
    struct values *values = sqlite3_aggregate_context(context, sizeof(*values));
    double mean = 0;
    double sum = 0;

    for (size_t i = 0; i < values->count; i++) {
        mean += values->value[i] / (double)values->count;
    }
    for (size_t i = 0; i < values->count; i++) {
        sum += (values->value[i] - mean) * (values->value[i] - mean);
    }
    sqlite3_result_double(context,
                          values->count < 2 ? NAN : sqrt(sum / (double)(values->count - 1)));
    free(values->value);
}

sqlite3 *claim_tables_open(void)
{
    sqlite3 *db = NULL;

    /* In memory this fails only for lack of it. */
    alloc_checked(sqlite3_open(":memory:", &db) == SQLITE_OK &&
                          sqlite3_create_function(db, "median", 1, SQLITE_UTF8, NULL, NULL,
                                                  add_value, end_median) == SQLITE_OK &&
                          sqlite3_create_function(db, "stddev", 1, SQLITE_UTF8, NULL, NULL,
                                                  add_value, end_deviation) == SQLITE_OK
                      ? db
                      : NULL);
    return db;
}

void claim_tables_close(sqlite3 *db)
{
    sqlite3_close(db);
}

/* ---- a bench ---- */

/* Writes the idle loop's samples that are longer than the shortest, each with its phase. */
static void put_idle(struct json *json, const struct run_bench *bench)
{
    int64_t at = run_fact_or(bench, FACT_IDLE_ORIGIN, 0);
    struct reconcile reconcile;

    reconcile_init(&reconcile, bench);
    json_array(json, "idle");
    for (size_t i = 0; reconcile.present && i < reconcile.series->received; i++) {
        const int64_t length = reconcile.series->samples[i];

        if (length > reconcile.shortest && reconcile.series->received <= BUSY_SAMPLES_MAX) {
            json_object(json, NULL);
            json_signed(json, "at", at);
            json_signed(json, "length", length);
            json_signed(json, "busy", length - reconcile.shortest);
            json_close(json);
        }
        at += length;
    }
    json_close(json);
}

/* Sets a parameter, if the statement has it. */
static void bind(sqlite3_stmt *statement, const char *parameter, const char *text)
{
    sqlite3_bind_text(statement, sqlite3_bind_parameter_index(statement, parameter), text, -1,
                      SQLITE_STATIC);
}

const char *claim_tables_add(sqlite3 *db, const struct run *run, const struct run_bench *bench)
{
    const double ns = run_ns_per_tick(run);
    struct long_text text;
    struct json json;
    int status = SQLITE_OK;

    long_text_open(&text);
    json_start(&json, text.out);
    json_object(&json, NULL);
    json_object(&json, "facts");
    for (size_t i = 0; i < bench->fact_count; i++) {
        json_signed(&json, bench->facts[i].name, bench->facts[i].value);
    }
    json_close(&json);
    put_idle(&json, bench);
    for (const struct report_plugin *plugin = report_plugin_next(NULL, bench); plugin != NULL;
         plugin = report_plugin_next(plugin, bench)) {
        if (plugin->json != NULL) {
            plugin->json(&json, run, bench);
        }
    }
    json_close(&json);
    const char *const document = long_text_close(&text);

    for (const char *sql = claim_tables_sql; status == SQLITE_OK;) {
        sqlite3_stmt *statement = NULL;

        status = sqlite3_prepare_v2(db, sql, -1, &statement, &sql);
        if (statement == NULL) {
            break;
        }
        bind(statement, ":bench", bench->name);
        bind(statement, ":json", document);
        sqlite3_bind_double(statement, sqlite3_bind_parameter_index(statement, ":ms"),
                            ns > 0 ? ns / NS_PER_MS : NAN);
        sqlite3_step(statement);
        status = sqlite3_finalize(statement);
    }
    long_text_free(&text);
    return status == SQLITE_OK ? NULL : sqlite3_errmsg(db);
}

/* ---- queries ---- */

const char *claim_tables_ask(sqlite3 *db, const char *query, double *value, uint64_t *n)
{
    sqlite3_stmt *statement = NULL;
    const char *why = NULL;

    if (sqlite3_prepare_v2(db, query, -1, &statement, NULL) != SQLITE_OK || statement == NULL) {
        return sqlite3_errmsg(db);
    }
    if (!sqlite3_stmt_readonly(statement) || sqlite3_column_count(statement) != 2) {
        why = "it does not select two numbers, the value and n";
    } else if (sqlite3_step(statement) != SQLITE_ROW ||
               sqlite3_column_type(statement, 0) == SQLITE_NULL) {
        why = "";
    } else if (sqlite3_column_type(statement, 0) == SQLITE_TEXT ||
               sqlite3_column_type(statement, 1) != SQLITE_INTEGER) {
        why = "its value is not a number, or n is not an integer";
    } else {
        *value = sqlite3_column_double(statement, 0);
        *n = (uint64_t)sqlite3_column_int64(statement, 1);
        why = sqlite3_step(statement) == SQLITE_DONE ? NULL : "it selects more than one row";
    }
    return sqlite3_finalize(statement) == SQLITE_OK ? why : sqlite3_errmsg(db);
}
