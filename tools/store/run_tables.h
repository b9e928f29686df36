/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as rows of tables: the contents of run files and fleets (store.h), in a fixed order.
 * README.md describes each table and column.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

struct run_record;
struct trace_bytes;

enum column_type {
    COLUMN_INTEGER, /* 64 bits, signed; a larger unsigned value is stored with the same bits */
    COLUMN_TEXT,
    COLUMN_BYTES,
    COLUMN_REAL, /* only in derived tables */
    COLUMN_TYPES,
};

struct column {
    const char *name;
    enum column_type type;
    bool required; /* never NULL */
};

struct run_table {
    const char *name;
    const struct column *columns;
    size_t count;
    const struct run_record *record; /* record whose items are the rows; NULL: none */
};

#define RUN_TABLE_COUNT       20
#define RUN_TABLE_COLUMNS_MAX 24

/* In the order in which a run is read from them. */
extern const struct run_table run_tables[RUN_TABLE_COUNT];

/* A value of a row. */
struct cell {
    bool present; /* false: the value is NULL */
    int64_t integer;
    double real;
    const char *text;
    struct trace_bytes *bytes; /* read by the receiver of the row */
};

#define ROW_ERROR_MAX 256

/* Receiver of rows. */
struct row_sink {
    /* Takes a row. Returning false ends the writing. The cells are valid until it returns. */
    bool (*add)(struct row_sink *sink, const struct run_table *table, const struct cell *cells);
    uint64_t most_bytes; /* largest number of bytes in a cell */
    /* reason of a failure; empty: none, or the sink knows the reason itself */
    char error[ROW_ERROR_MAX];
};

/* Adds a row to a table. `types` has one letter for each column: t text or NULL, i int64_t, u
 * uint64_t, o const int64_t * or NULL, r double or NAN for NULL, b struct trace_bytes *. */
bool row_put(struct row_sink *sink, const struct run_table *table, const char *types, ...);

/* Writes every row of the run. Releases samples in mapped files (series.h) after reading them. */
bool run_tables_write(const struct run *run, struct row_sink *sink);

/*
 * SQL that creates tables of runs, for any database.
 */

#define SQL_TABLE_MAX 2048

/* Writes "CREATE TABLE name(...)". `types` are the engine's types by enum column_type; `lead` are
 * columns in front of the table's columns, such as "a BIGINT, ". */
void sql_table_text(const struct run_table *table, const char *const types[COLUMN_TYPES],
                    const char *lead, char sql[SQL_TABLE_MAX]);

#define SQL_VIEW_MAX 6144
/* Writes the view `noise`: lost (stolen) time, gaps and SMIs of benches gap and idle (README.md).
 * `of_run` is "", or "run_id" if the tables have that column. View `sample` must exist. */
void sql_noise_view_text(const char *of_run, char sql[SQL_VIEW_MAX]);

/*
 * Tables and views that are derived from a run and written after it into every run file and fleet.
 * They are for people's SQL, because plain SQL reads neither samples nor traces. They are not part
 * of the run: nothing reads them back, and they do not count for the content of a run in a fleet.
 *
 * A module above this one makes them, and registers itself before main() (tools/finding). A program
 * without that module writes runs without them.
 */

#define RUN_DERIVED_TABLES_MAX 8

struct run_derived {
    const struct run_table *tables;
    size_t table_count; /* at most RUN_DERIVED_TABLES_MAX */
    /* Writes "CREATE VIEW ..." number `index` from 0, the same for every engine. `of_run` is "", or
     * "run_id" if all tables have that column. Returns false if there are no more. */
    bool (*view)(size_t index, const char *of_run, char sql[SQL_VIEW_MAX]);
    /* Writes every row of the derived tables. */
    bool (*write)(struct run *run, struct row_sink *sink);
};

void run_derived_register(const struct run_derived *derived);
/* Returns the registered module, or NULL. */
const struct run_derived *run_derived(void);
