/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fleet: runs of many machines in one database (store.h).
 *
 * It has every table of a run file, with two more columns in front: run_id, and position, which
 * counts the rows of a run in a table from 0. Table `fleet` has one row for each run. Views are for
 * people. README.md lists all of them.
 *
 * A function that returns false leaves one line in store->error.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/store/file_kind.h"
#include "tools/store/store.h"

/* Table `fleet`: one row for each run. */
extern const struct run_table fleet_table;

/* Begins a transaction, and creates the tables if there are none. */
bool fleet_begin(struct store *store);
/* Commits the transaction: either all its changes take effect, or none. */
bool fleet_commit(struct store *store);

/* Begins a read-only transaction. */
bool fleet_look(struct store *store);
/* Begins a read-only transaction and passes the rows of one SELECT, which may come from anybody, to
 * `take`. The role of a server must not have powers beyond the data. */
bool fleet_query(struct store *store, const char *sql, store_row_taker *take, void *context);

/* Returns table number `index` of those with rows of runs, or NULL after the last: first the tables
 * of a run file, then the derived ones. */
const struct run_table *fleet_placed_table(size_t index);
/* Creates the views. With `temporary` they are those of the connection, in place of what the
 * database has under these names. */
bool fleet_make_views(struct store *store, bool temporary);

/* Adds a run that comes from file `file`; call after fleet_begin(). If a run with the same content
 * is already there, adds nothing and sets *id to that run. */
bool fleet_add(struct store *store, struct run *run, const char *file, int64_t *id, bool *is_new);
/* Writes one of the runs as a run file, identical to what runfile_write() writes for that run. */
bool fleet_extract(struct store *store, int64_t id, const char *path);
bool fleet_remove(struct store *store, int64_t id);

/* Passes run_id, machine, date, kind, valid, reason, benches, file and content of each run to
 * `take`, by run_id. */
bool fleet_list(struct store *store, store_row_taker *take, void *context);
