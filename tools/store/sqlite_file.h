/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A SQLite file that another program may have made: what it holds, and what of it may run.
 */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Opens the file of exactly this name, as sqlite3_open_v2() with `flags`. To SQLite ":memory:" is
 * no file, and a name that begins with "file:" may be a URI, in which ?, # and % are no part of the
 * name (sqlite.org/uri.html, 3.1). `*db` may not be NULL after a failure; the caller closes it. One
 * thread at a time uses it. */
bool sqlite_open_file(const char *path, int flags, sqlite3 **db);

/* The first column of the first row; where there is none, what was there. False where SQLite
 * failed. */
bool sqlite_query_integer(sqlite3 *db, const char *sql, int64_t *value);

/* The maker of a file may have put SQL into it, which has no end or makes texts that are in no
 * file. After this no trigger, check of a column or function with side effects of the file's runs;
 * nor does a view, without `views`. False where SQLite failed. */
bool sqlite_distrust(sqlite3 *db, bool views);

/* Is this a table, rows and no SQL: no view, and without computed columns? */
bool sqlite_is_plain_table(sqlite3 *db, const char *table);
