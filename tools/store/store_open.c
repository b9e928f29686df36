/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/store_open.h"

#include <string.h>

#include "tools/store/store_postgres.h"
#include "tools/store/store_sqlite.h"

/* Is this the name of a PostgreSQL database? */
static bool store_is_postgres(const char *name)
{
    return strncmp(name, "postgresql://", strlen("postgresql://")) == 0 ||
           strncmp(name, "postgres://", strlen("postgres://")) == 0;
}

struct store *store_open(const char *name, enum store_mode mode, char error[STORE_ERROR_MAX])
{
    return store_is_postgres(name) ? store_postgres_open(name, mode, error)
                                   : store_sqlite_open(name, mode, error);
}
