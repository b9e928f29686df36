/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run as rows of tables: what run files and fleets (store.h) hold, in one order. README.md
 * lists each table and column with its meaning.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

struct run_record;
struct trace_bytes;

enum column_type {
    COLUMN_INTEGER, /* 64 bits, signed: what is larger unsigned has the same bits */
    COLUMN_TEXT,
    COLUMN_BYTES,
    COLUMN_REAL, /* of derived tables alone */
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
    const struct run_record *record; /* whose items the rows are; NULL: of none */
};

#define RUN_TABLE_COUNT       20
#define RUN_TABLE_COLUMNS_MAX 24

/* In the order in which a run is read from them. */
extern const struct run_table run_tables[RUN_TABLE_COUNT];

/* A value of a row. */
struct cell {
    bool present; /* else NULL */
    int64_t integer;
    double real;
    const char *text;
    struct trace_bytes *bytes; /* read by the taker of the row */
};

#define ROW_ERROR_MAX 256

/* Where rows go. */
struct row_sink {
    /* False ends the writing. The cells live until it returns. */
    bool (*add)(struct row_sink *sink, const struct run_table *table, const struct cell *cells);
    uint64_t most_bytes;       /* that a cell may have */
    char error[ROW_ERROR_MAX]; /* what went wrong; empty: nothing, or the sink knows by itself */
};

/* Adds a row to a table, one letter of `types` a column: t text or NULL, i int64_t, u uint64_t, o
 * const int64_t * or NULL, r double or NAN for NULL, b struct trace_bytes *. */
bool row_put(struct row_sink *sink, const struct run_table *table, const char *types, ...);

/* Every row of the run. Samples in files are forgotten (series.h) once read. */
bool run_tables_write(const struct run *run, struct row_sink *sink);

/*
 * The SQL that makes tables of runs, for any database.
 */

#define SQL_TABLE_MAX 2048

/* "CREATE TABLE name(...)", with `types` by enum column_type, and `lead`, as "a BIGINT, ", before
 * the table's own columns. */
void sql_table_text(const struct run_table *table, const char *const types[COLUMN_TYPES],
                    const char *lead, char sql[SQL_TABLE_MAX]);

#define SQL_VIEW_MAX 6144
/* View `noise`: stolen time, gaps and SMIs of benches gap and idle (README.md). `of_run`: "", or
 * "run_id" where tables have that column. View `sample` must be there. */
void sql_noise_view_text(const char *of_run, char sql[SQL_VIEW_MAX]);

/*
 * Tables and views that are derived from a run and written behind it into every run file and fleet:
 * for people's SQL, since plain SQL reads neither samples nor traces. They are no part of the run:
 * nothing reads them back, and a fleet's content does not count them.
 *
 * A room above this one makes them, and registers itself before main() (tools/finding). A program
 * without that room writes runs without them.
 */

#define RUN_DERIVED_TABLES_MAX 8

struct run_derived {
    const struct run_table *tables;
    size_t table_count; /* RUN_DERIVED_TABLES_MAX at most */
    /* "CREATE VIEW ..." number `index` from 0, the same in every engine. `of_run`: "", or "run_id"
     * where all tables have that column. False: there are no more. */
    bool (*view)(size_t index, const char *of_run, char sql[SQL_VIEW_MAX]);
    /* Every row of the derived tables. */
    bool (*write)(struct run *run, struct row_sink *sink);
};

void run_derived_register(const struct run_derived *derived);
/* NULL: none is registered. */
const struct run_derived *run_derived(void);
