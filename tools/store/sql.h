/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SQL that makes tables of runs, for any database.
 */
#pragma once

#include "tools/store/run_tables.h"

#define SQL_TABLE_MAX 2048

/* "CREATE TABLE name(...)", with `types` by enum column_type, and `lead`, as "a BIGINT, ", before
 * the table's own columns. */
void sql_table_text(const struct run_table *table, const char *const types[COLUMN_TYPES],
                    const char *lead, char sql[SQL_TABLE_MAX]);

#define SQL_VIEW_MAX 6144
/* View `noise`: stolen time, gaps and SMIs of benches gap and idle (README.md). `of_run`: "", or
 * "run_id" where tables have that column. View `sample` must be there. */
void sql_noise_view_text(const char *of_run, char sql[SQL_VIEW_MAX]);
