/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Tables and views that are derived from a run and written behind it into every run file and fleet:
 * for people's SQL, since plain SQL reads neither samples nor traces. They are no part of the run:
 * nothing reads them back, and a fleet's content does not count them.
 *
 * A room above this one makes them, and registers itself before main() (tools/finding). A program
 * without that room writes runs without them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/run/run.h"
#include "tools/store/run_tables.h"
#include "tools/store/sql.h"

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
