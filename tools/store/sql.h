/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The SQL that makes tables of runs, for any database.
 */
#pragma once

#include "tools/store/run_tables.h"

#define SQL_TABLE_MAX 2048

/* "CREATE TABLE name(...)", with `types` by enum column_type, and `lead`, as "a BIGINT, ", before
 * the table's own columns. */
void sql_table_text(const struct run_table *table, const char *const types[3], const char *lead,
                    char sql[SQL_TABLE_MAX]);
