/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reads the file of claims and asks its queries. SQLite makes their tables (claim_tables.sql) of
 * the JSON that `tare show --json` writes of a bench, so that they cannot differ from what others
 * read.
 */
#include "bench/interactive/host/claims.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/interactive/host/measure/interactive_summary.h"
#include "bench/interactive/names.h"
#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/json.h"
#include "tools/base/texts.h"
#include "tools/present/report_plugin.h"
#include "tools/trace/reconcile.h"

#define NS_PER_MS        1e6
#define NS_MAX           9e18  /* below the largest int64_t */
#define BUSY_SAMPLES_MAX 65536 /* no claim needs longer series */

#define INDENT  "  "
#define BECAUSE INDENT "because "
#define NAMES   "bench='" /* precedes the name of a bench in a query */

/* Records the error, which ends everything. Is false. */
#define FAIL(claims, ...) ((claims)->error = text_format(__VA_ARGS__), false)

extern const char claims_text[]; /* the file of claims */
extern const char claim_tables_sql[];

static const char *const verdicts[CLAIM_VERDICTS] = {
    [CLAIM_REPRODUCED] = "reproduced",
    [CLAIM_NOT_REPRODUCED] = "not reproduced",
    [CLAIM_CANNOT_BE] = "cannot be",
    [CLAIM_NOT_KNOWN] = "unknown",
};

const char *claim_verdict_name(enum claim_verdict verdict)
{
    return verdicts[verdict];
}

/* ---- the file ---- */

/* Cuts the text at the next separator. Returns what follows it, or NULL if there is none. */
static char *cut(char *text, const char *separator)
{
    char *end = text != NULL ? strstr(text, separator) : NULL;

    if (end != NULL) {
        *end = '\0';
        end += strlen(separator);
    }
    return end;
}

/* Reads "ID | ITEM | VERDICT | What the paper says." */
static bool read_head(struct claims *claims, size_t line, char *text)
{
    struct claim *claim = ALLOC_NEXT(claims->item, claims->count, claims->capacity);
    char *item = cut(text, " | ");
    char *verdict = cut(item, " | ");
    const char *says = cut(verdict, " | ");

    *claim = (struct claim){.id = text, .item = item, .says = says, .declared = CLAIM_NOT_KNOWN};
    for (unsigned i = 0; says != NULL && i < CLAIM_NOT_KNOWN; i++) {
        if (strcmp(verdict, verdicts[i]) == 0) {
            claim->declared = (enum claim_verdict)i;
        }
    }
    for (size_t i = 0; i + 1 < claims->count; i++) {
        if (strcmp(claims->item[i].id, text) == 0) {
            return FAIL(claims, "claims, line %zu: expected a new id, got %s again", line, text);
        }
    }
    return claim->declared != CLAIM_NOT_KNOWN ||
           FAIL(claims,
                "claims, line %zu: expected \"ID | ITEM | reproduced, not reproduced or cannot be "
                "| SENTENCE\", got \"%s\"",
                line, text);
}

/* Reads "  EXPECTS: QUERY" or "  because REASON". */
static bool read_detail(struct claims *claims, size_t line, char *text)
{
    struct claim *claim = claims->count > 0 ? &claims->item[claims->count - 1] : NULL;

    if (claim != NULL && claim->because == NULL && strncmp(text, BECAUSE, strlen(BECAUSE)) == 0) {
        claim->because = text + strlen(BECAUSE);
        return true;
    }
    if (claim != NULL && claim->because == NULL && claim->query == NULL) {
        claim->expects = text + strlen(INDENT);
        claim->query = cut(text, ": ");
        if (claim->query != NULL && strstr(claim->query, NAMES) != NULL) {
            return true;
        }
    }
    return FAIL(claims,
                "claims, line %zu: expected \"RANGE: QUERY\" with a bench='NAME', or after it "
                "\"because REASON\", got \"%s\"",
                line, text + strlen(INDENT));
}

/* Checks that a claim has a query, unless it says that it cannot be tested, and its reason. */
static bool check_complete(struct claims *claims, const struct claim *claim)
{
    if ((claim->query == NULL) != (claim->declared == CLAIM_CANNOT_BE)) {
        return FAIL(claims, "claim %s: expected %s query, because it is \"%s\"", claim->id,
                    claim->query == NULL ? "a" : "no", verdicts[claim->declared]);
    }
    return claim->because != NULL || claim->declared == CLAIM_REPRODUCED ||
           FAIL(claims, "claim %s: expected a line \"because REASON\", got none", claim->id);
}

static bool read_claims(struct claims *claims)
{
    bool good = true;
    size_t line = 1;

    for (char *next, *at = claims->text; good && at != NULL; at = next, line++) {
        next = cut(at, "\n");
        if (strncmp(at, INDENT, strlen(INDENT)) == 0) {
            good = read_detail(claims, line, at);
        } else if (*at != '#' && *at != '\0') {
            good = read_head(claims, line, at);
        }
    }
    for (size_t i = 0; good && i < claims->count; i++) {
        good = check_complete(claims, &claims->item[i]);
    }
    return good;
}

/* ---- aggregates that SQLite lacks, of milliseconds ---- */

struct values {
    int64_t *ns;
    size_t count, capacity;
};

static void add_value(sqlite3_context *context, int count, sqlite3_value **arguments)
{
    struct values *values = sqlite3_aggregate_context(context, sizeof(*values));

    if (count == 1 && sqlite3_value_type(arguments[0]) != SQLITE_NULL) {
        const double ns = sqlite3_value_double(arguments[0]) * NS_PER_MS;

        if (fabs(ns) < NS_MAX) {
            *ALLOC_NEXT(values->ns, values->count, values->capacity) = (int64_t)ns;
        }
    }
}

static void end_values(sqlite3_context *context)
{
    const bool *median = sqlite3_user_data(context);
    struct values *values = sqlite3_aggregate_context(context, sizeof(*values));
    struct interactive_spread spread;

    interactive_spread_of(values->ns, values->count, &spread);
    sqlite3_result_double(context, values->count == 0 ? NAN
                                   : median != NULL   ? (double)spread.statistics.median / NS_PER_MS
                                                      : spread.deviation / NS_PER_MS);
    free(values->ns);
}

/* ---- tables ---- */

/* Writes the idle loop's samples that are longer than the shortest. */
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
            json_signed(json, "busy", (int64_t)((uint64_t)length - (uint64_t)reconcile.shortest));
            json_close(json);
        }
        at = (int64_t)((uint64_t)at + (uint64_t)length);
    }
    json_close(json);
}

static void put_bench(FILE *out, const struct run *run, const struct run_bench *bench)
{
    const struct report_plugin *plugin = NULL;
    struct json json;

    json_start(&json, out);
    json_object(&json, NULL);
    json_object(&json, "facts");
    for (size_t i = 0; i < bench->fact_count; i++) {
        json_signed(&json, bench->facts[i].name, bench->facts[i].value);
    }
    json_close(&json);
    put_idle(&json, bench);
    while ((plugin = report_plugin_next(plugin, bench)) != NULL) {
        if (plugin->json != NULL) {
            plugin->json(&json, run, bench);
        }
    }
    json_close(&json);
}

/* Sets a parameter, if the statement has it. */
static void bind(sqlite3_stmt *statement, const char *parameter, const char *text)
{
    sqlite3_bind_text(statement, sqlite3_bind_parameter_index(statement, parameter), text, -1,
                      SQLITE_STATIC);
}

/* Adds the rows of a bench. */
static bool add_bench(struct claims *claims, sqlite3 *db, const struct run *run,
                      const struct run_bench *bench)
{
    const double ns = run_ns_per_tick(run);
    const char *sql = claim_tables_sql;
    struct long_text text;
    bool good = true;

    long_text_open(&text);
    put_bench(text.out, run, bench);
    const char *const json = long_text_close(&text);

    while (good && *sql != '\0') {
        sqlite3_stmt *statement = NULL;

        const int prepared = sqlite3_prepare_v2(db, sql, -1, &statement, &sql);

        bind(statement, ":bench", bench->name);
        bind(statement, ":json", json);
        sqlite3_bind_double(statement, sqlite3_bind_parameter_index(statement, ":ms"),
                            ns > 0 ? ns / NS_PER_MS : NAN);
        sqlite3_step(statement);
        good = (sqlite3_finalize(statement) == SQLITE_OK && prepared == SQLITE_OK) ||
               FAIL(claims, "bench %s: its tables cannot be made: %s", bench->name,
                    sqlite3_errmsg(db));
    }
    long_text_free(&text);
    return good;
}

/* ---- queries ---- */

/* Asks "SELECT VALUE, N". The value is unknown if there is no row, if it is NULL, or if n is 0. */
static bool ask(struct claims *claims, sqlite3 *db, struct claim *claim)
{
    char *sql = text_format("WITH q(value, n) AS (%s) SELECT value, n, value %s FROM q",
                            claim->query, claim->expects);
    sqlite3_stmt *statement = NULL;

    sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
    free(sql);
    if (sqlite3_step(statement) == SQLITE_ROW) {
        claim->value = sqlite3_column_double(statement, 0);
        claim->n = (uint64_t)sqlite3_column_int64(statement, 1);
        claim->known = sqlite3_column_type(statement, 0) != SQLITE_NULL && claim->n > 0;
        claim->verdict = !claim->known                           ? CLAIM_NOT_KNOWN
                         : sqlite3_column_int(statement, 2) != 0 ? CLAIM_REPRODUCED
                                                                 : CLAIM_NOT_REPRODUCED;
    }
    if (sqlite3_step(statement) == SQLITE_ROW) {
        sqlite3_finalize(statement);
        return FAIL(claims, "claim %s: expected 1 row of its query, got more", claim->id);
    }
    return (statement != NULL && sqlite3_finalize(statement) == SQLITE_OK) ||
           FAIL(claims, "claim %s: correct its query or range: %s", claim->id, sqlite3_errmsg(db));
}

/* Returns the first pass of a bench if its values count. */
static const struct run_bench *find_bench(const struct run *run, const char *name)
{
    const struct run_bench *bench = run_find_bench(run, name);

    return bench != NULL && bench->state != NULL && strcmp(bench->state, STATE_OK) == 0 &&
                   bench->group != NULL && strcmp(bench->group, GROUP_INTERACTIVE) == 0
               ? bench
               : NULL;
}

/* Evaluates a claim. Writes what it needs: the first bench of its query that the run lacks; if it
 * has all, values of the last one. */
static bool evaluate(struct claims *claims, sqlite3 *db, const struct run *run, struct claim *claim)
{
    const char *at = claim->query != NULL ? claim->query : "";

    claim->verdict = claim->query == NULL ? CLAIM_CANNOT_BE : CLAIM_NOT_KNOWN;
    while ((at = strstr(at, NAMES)) != NULL) {
        char name[CLAIM_NEEDS_MAX / 2];

        at += strlen(NAMES);
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, "'"), at);
        if (find_bench(run, name) == NULL) {
            snprintf(claim->needs, sizeof(claim->needs), "bench %s", name);
            return true;
        }
        snprintf(claim->needs, sizeof(claim->needs), "values that bench %s lacks", name);
    }
    return claim->query == NULL || ask(claims, db, claim);
}

bool claims_check(struct claims *claims, const char *text, const struct run *run)
{
    static bool median = true;
    sqlite3 *db = NULL;

    *claims = (struct claims){.text = alloc_text(text != NULL ? text : claims_text)};
    bool good = read_claims(claims);

    sqlite3_open(":memory:", &db);
    sqlite3_create_function(alloc_checked(db), "median", 1, SQLITE_UTF8, &median, NULL, add_value,
                            end_values);
    sqlite3_create_function(db, "stddev", 1, SQLITE_UTF8, NULL, NULL, add_value, end_values);
    for (size_t i = 0; i < run->bench_count && good; i++) {
        const struct run_bench *bench = &run->benches[i];

        good = find_bench(run, bench->name) != bench || add_bench(claims, db, run, bench);
    }
    for (size_t i = 0; i < claims->count && good; i++) {
        struct claim *claim = &claims->item[i];

        good = evaluate(claims, db, run, claim);
        claims->verdicts[claim->verdict]++;
        claims->different += claim->verdict != claim->declared && claim->verdict != CLAIM_NOT_KNOWN;
    }
    sqlite3_close(db);
    return good;
}

void claims_free(struct claims *claims)
{
    free(claims->item);
    free(claims->text);
    free(claims->error);
}
