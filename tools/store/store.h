/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An open database that keeps many runs: a file of SQLite, or PostgreSQL. fleet.h sends the same
 * SQL to both; struct store_backend holds what differs. store_open() opens one by its name.
 *
 * All functions leave one line in `error` where they fail.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/checksum.h"
#include "tools/store/known_contents.h"
#include "tools/store/run_tables.h"

#define STORE_ERROR_MAX 640

struct store;

/* A row of an answer; NULL in texts: no value. Bytes are "\x" and hexadecimal digits. */
struct store_row {
    size_t count;
    const char *const *names;
    const char *const *texts;
    const bool *numeric;
};

/* False ends the query. */
typedef bool store_row_taker(void *context, const struct store_row *row);

struct store_dialect {
    const char *const *types;  /* by enum column_type */
    const char *begin;         /* a transaction in which only this program writes to the store */
    const char *begin_reading; /* one that sees what was there when it began */
    const char *has_fleet;     /* a query: is table `fleet` there? 0 or 1 */
    const char *prepare;       /* after the tables are made */
    const char *sample_view;   /* see README.md */
    const char *partitioned; /* behind a table's columns: rows lie in parts by run_id; NULL: not */
    bool analyzes;           /* plans depend on what ANALYZE last saw */
    /* A query: the first KNOWN_DIGITS digits of every content of the fleet, in one text. NULL: it
     * costs little to ask for each. */
    const char *contents;
};

struct store_backend {
    const struct store_dialect *dialect;
    bool (*execute)(struct store *store, const char *sql);
    /* One statement, on what was there at the last flush(). With `streamed` rows are taken as they
     * come, and nothing else can be asked until the last; else at the end. */
    bool (*query)(struct store *store, const char *sql, bool streamed, store_row_taker *take,
                  void *context);
    /* The row with `lead_count` integers before it. What was added is there after flush(). */
    bool (*add)(struct store *store, const struct run_table *table, const int64_t *lead,
                size_t lead_count, const struct cell *cells);
    bool (*flush)(struct store *store);
    /* A piece of a cell of bytes of the row of this run and position. */
    bool (*read)(struct store *store, const char *table, const char *column, const int64_t place[2],
                 uint64_t offset, void *to, size_t size);
    void (*close)(struct store *store);
};

#define STORE_PENDING_MAX 256
/* What fleet_add() knows of the transaction: contents of the runs since the last flush(), of which
 * the newest has number `last`. */
struct store_pending {
    char contents[STORE_PENDING_MAX][SHA256_TEXT];
    size_t count;
    int64_t last; /* the greatest number of a run */
    int64_t part; /* the part of the tables that is known to be there, from 1 */
    uint64_t added;
    /* Contents of all runs, once it was asked for so many of them that this takes less time. */
    struct known_contents known;
    uint64_t asked;
    bool knows_all;
};

/* What every backend's store begins with. */
struct store {
    const struct store_backend *backend;
    uint64_t most_bytes; /* of a cell */
    bool created;        /* the file was not there */
    /* Runs whose rows lie in one part of each table; 0: tables have no parts. Every program that
     * adds to a fleet has the same number. */
    int64_t partition_runs;
    struct store_pending pending;
    char error[STORE_ERROR_MAX];
};

enum store_mode {
    STORE_READ,  /* what is there */
    STORE_WRITE, /* what is there */
    STORE_CREATE /* make a file where there is none */
};

/* Opens a database of runs with the backend that its name selects: postgresql://... or
 * postgres://... is PostgreSQL, any other name is a file of SQLite. NULL, with one line in `error`,
 * where it cannot be opened or is a foreign file. */
struct store *store_open(const char *name, enum store_mode mode, char error[STORE_ERROR_MAX]);
/* For store_open(): the backends. */
struct store *store_sqlite_open(const char *name, enum store_mode mode,
                                char error[STORE_ERROR_MAX]);
struct store *store_postgres_open(const char *name, enum store_mode mode,
                                  char error[STORE_ERROR_MAX]);
/* NULL is let pass. A file that was made and never written to goes. */
void store_close(struct store *store);

#define STORE_ASK_MAX 1024
/* The integer in the first column of the last row of the answer to a query; 0: there is none. */
__attribute__((format(printf, 3, 4))) bool store_ask(struct store *store, int64_t *number,
                                                     const char *format, ...);

/* For backends: keeps a message as one line. */
__attribute__((format(printf, 2, 3))) void store_fail(char error[STORE_ERROR_MAX],
                                                      const char *format, ...);
