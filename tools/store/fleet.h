/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A fleet: runs of many machines in one database (store.h).
 *
 * Every table of a run file is there, with two columns before its own: run_id, and position, which
 * counts the rows of a table of a run from 0. Table `fleet` has a row for each run. Views are for
 * people. README.md lists all of them.
 *
 * False everywhere leaves one line in store->error.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/store/file_kind.h"
#include "tools/store/store.h"

/* Table `fleet`: a row for each run. */
extern const struct run_table fleet_table;

/* Begins a transaction, and makes the tables where there are none. */
bool fleet_begin(struct store *store);
/* Ends it: all that was done since is there, or nothing of it. */
bool fleet_commit(struct store *store);

/* Begins a transaction that only reads. */
bool fleet_look(struct store *store);

/* Adds a run that comes from file `file`, behind fleet_begin(). Where its content is there already
 * nothing is added, and *id is that run's. */
bool fleet_add(struct store *store, struct run *run, const char *file, int64_t *id, bool *is_new);
/* Writes the run file of one of the runs; it is what runfile_write() makes of that run. */
bool fleet_extract(struct store *store, int64_t id, const char *path);
bool fleet_remove(struct store *store, int64_t id);

/* run_id, machine, date, kind, valid, reason, benches, file and content of each run, by run_id. */
bool fleet_list(struct store *store, store_row_taker *take, void *context);
