/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables, indexes and views of a fleet (fleet.h).
 *
 * Where an engine has partitioned tables, rows of store->partition_runs runs lie in one part of
 * each table: part `TABLE_k` has runs k * partition_runs + 1 to (k + 1) * partition_runs. By number
 * and not by machine, since runs come in this order: what is written lies in the newest part alone,
 * whose indexes fit memory, old runs go part by part, and a query for a machine looks up its runs
 * by number in any case. README.md has the measurement.
 *
 * False everywhere leaves one line in store->error.
 */
#pragma once

#include "tools/store/store.h"

#define FLEET_VERSION 4

/* Table `fleet`: a row for each run. */
extern const struct run_table fleet_table;

/* All of them, in a database that has none. */
bool fleet_tables_make(struct store *store);
/* Is the fleet of FLEET_VERSION? Another one is an error. */
bool fleet_tables_check(struct store *store);
/* Makes sure that rows of run `id` have a part, if tables have parts. */
bool fleet_tables_partition(struct store *store, int64_t id);
/* Gathers what plans of queries depend on, if the engine has any: of the whole tables, or of part
 * `part` (from 1) alone. */
bool fleet_tables_analyze(struct store *store, int64_t part);
