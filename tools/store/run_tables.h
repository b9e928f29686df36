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
