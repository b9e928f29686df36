/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/sqlite_file.h"

#include <stdio.h>

#define SQL_MAX 512

/* Locks of SQLite's, and its account of all memory, take a tenth of the time in which a run file is
 * read. */
static void set_up(void)
{
    static bool done;

    if (!done) {
        sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); /* fails where a library began before */
        done = true;
    }
}

bool sqlite_open_file(const char *path, int flags, sqlite3 **db)
{
    /* A name that begins with a folder is neither. */
    char *name = path[0] == '/' ? sqlite3_mprintf("%s", path) : sqlite3_mprintf("./%s", path);

    *db = NULL;
    if (name == NULL) {
        return false;
    }
    set_up();
    const bool ok = sqlite3_open_v2(name, db, flags | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK;

    sqlite3_free(name);
    return ok;
}

bool sqlite_query_integer(sqlite3 *db, const char *sql, int64_t *value)
{
    sqlite3_stmt *statement;

    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        return false;
    }
    if (sqlite3_step(statement) == SQLITE_ROW) {
        *value = sqlite3_column_int64(statement, 0);
    }
    return sqlite3_finalize(statement) == SQLITE_OK;
}

bool sqlite_distrust(sqlite3 *db, bool views)
{
    return sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) == SQLITE_OK &&
           sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) == SQLITE_OK &&
           sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL) == SQLITE_OK &&
           sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, views, NULL) == SQLITE_OK &&
           sqlite3_exec(db, "PRAGMA ignore_check_constraints = ON", NULL, NULL, NULL) == SQLITE_OK;
}

bool sqlite_is_plain_table(sqlite3 *db, const char *table)
{
    char sql[SQL_MAX];
    int64_t plain = 0;

    snprintf(sql, sizeof(sql),
             "SELECT count(*) FROM sqlite_schema WHERE name = '%s' AND type = 'table' AND "
             "substr(sql, 1, 13) = 'CREATE TABLE ' AND NOT EXISTS "
             "(SELECT 1 FROM pragma_table_xinfo('%s') WHERE hidden <> 0)",
             table, table);
    return sqlite_query_integer(db, sql, &plain) && plain == 1;
}
