/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An open database that stores many runs: an SQLite file or a PostgreSQL database. fleet.h sends
 * the same SQL to both; struct store_backend has what differs. store_open() opens one by its name.
 *
 * A function that fails leaves one line in `error`.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/base/sha256.h"
#include "tools/store/known_contents.h"
#include "tools/store/run_tables.h"

#define STORE_ERROR_MAX 640

struct store;

/* A row of an answer. NULL in texts means no value. Bytes are "\x" and hexadecimal digits. */
struct store_row {
    size_t count;
    const char *const *names;
    const char *const *texts;
    const bool *numeric;
};

/* Receives a row. Returning false ends the query. */
typedef bool store_row_taker(void *context, const struct store_row *row);

#define FLEET_PLAIN   4
#define FLEET_GROUPED 5 /* fleet.c */

struct store_dialect {
    const char *const *types; /* SQL types by enum column_type */
    /* SQL that begins a transaction in which only this program writes to the store */
    const char *begin;
    /* SQL that begins a transaction with a consistent view of the data at its start */
    const char *begin_reading;
    /* Query whose answer is 0 if the role may neither run programs nor read files where the data
     * are; NULL: no role may */
    const char *powers;
    const char *has_fleet;   /* query whose answer is 1 if table `fleet` exists, otherwise 0 */
    const char *prepare;     /* SQL to run after the tables and the derived views were created */
    const char *sample_view; /* SQL of view `sample` (README.md); NULL: the engine adds it */
    /* SQL after a table's columns that puts rows into parts by run_id; NULL: no parts */
    const char *partitioned;
    bool analyzes; /* query plans depend on what ANALYZE last gathered */
    int version;   /* version of new fleets; only the engine of FLEET_GROUPED reads these */
    /* Query for the first KNOWN_DIGITS digits of every content of the fleet, in one text. NULL:
     * single look-ups are cheap. */
    const char *contents;
};

struct store_backend {
    const struct store_dialect *dialect;
    bool (*execute)(struct store *store, const char *sql);
    /* Runs one SELECT on the data as of the last flush(); any other statement fails. With
     * `streamed`, which needs a transaction, rows are passed on as they arrive, and nothing else
     * can be asked until the last one; otherwise they are passed on at the end. */
    bool (*query)(struct store *store, const char *sql, bool streamed, store_row_taker *take,
                  void *context);
    /* Adds a row with `lead_count` integers in front. It is in the store after flush(). */
    bool (*add)(struct store *store, const struct run_table *table, const int64_t *lead,
                size_t lead_count, const struct cell *cells);
    bool (*flush)(struct store *store);
    /* Reads a part of a cell of bytes, in the row of this run and position. */
    bool (*read)(struct store *store, const char *table, const char *column, const int64_t place[2],
                 uint64_t offset, void *to, size_t size);
    void (*close)(struct store *store);
};

#define STORE_PENDING_MAX 256
/* State of fleet_add() in the transaction: the contents of the runs added since the last flush().
 */
struct store_pending {
    char contents[STORE_PENDING_MAX][SHA256_TEXT];
    size_t count;
    int64_t last; /* greatest run number */
    int64_t part; /* the part of the tables that is known to exist, from 1 */
    uint64_t added;
    /* Contents of all runs, fetched once enough look-ups were made that fetching all takes less
     * time. */
    struct known_contents known;
    uint64_t asked;
    bool knows_all;
};

/* Common first part of every backend's store. */
struct store {
    const struct store_backend *backend;
    uint64_t most_bytes; /* largest number of bytes in a cell */
    bool created;        /* this program created the file */
    bool grouped;        /* rows of small tables are groups (fleet.c) */
    /* Number of runs whose rows form one part of each table; 0: tables have no parts. Every program
     * that adds to a fleet uses the same number. */
    int64_t partition_runs;
    struct store_pending pending;
    char error[STORE_ERROR_MAX];
};

enum store_mode {
    STORE_READ,  /* read what exists */
    STORE_WRITE, /* change what exists */
    STORE_CREATE /* also create a file if there is none */
};

/* Opens a database of runs with the backend selected by its name: postgresql://... or
 * postgres://... is PostgreSQL, any other name is an SQLite file. Returns NULL, with one line in
 * `error`, if it cannot be opened or is a foreign file. */
struct store *store_open(const char *name, enum store_mode mode, char error[STORE_ERROR_MAX]);
/* The backends, called by store_open(). */
struct store *store_sqlite_open(const char *name, enum store_mode mode,
                                char error[STORE_ERROR_MAX]);
struct store *store_postgres_open(const char *name, enum store_mode mode,
                                  char error[STORE_ERROR_MAX]);
/* Closes a store; NULL is allowed. Removes a file that was created but never written to. */
void store_close(struct store *store);

#define STORE_ASK_MAX 1024
/* Stores the integer in the first column of the last row of the answer to a query, or 0 if there is
 * none. */
__attribute__((format(printf, 3, 4))) bool store_ask(struct store *store, int64_t *number,
                                                     const char *format, ...);

/* For backends: stores a message as one line. */
__attribute__((format(printf, 2, 3))) void store_fail(char error[STORE_ERROR_MAX],
                                                      const char *format, ...);
