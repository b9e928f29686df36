/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/sql.h"

#include <stdio.h>

void sql_table_text(const struct run_table *table, const char *const types[3], const char *lead,
                    char sql[SQL_TABLE_MAX])
{
    size_t used = (size_t)snprintf(sql, SQL_TABLE_MAX, "CREATE TABLE \"%s\"(%s", table->name, lead);

    for (size_t i = 0; i < table->count; i++) {
        const struct column *column = &table->columns[i];

        used += (size_t)snprintf(sql + used, SQL_TABLE_MAX - used, "%s\"%s\" %s%s",
                                 i > 0 ? ", " : "", column->name, types[column->type],
                                 column->required ? " NOT NULL" : "");
    }
    snprintf(sql + used, SQL_TABLE_MAX - used, ")");
}
