/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/figure/figure_table.h"

#include <stdarg.h>
#include <stdio.h>

#define ID_MAX 128

struct figure *figure_add_table(struct figures *figures, const char *section, const char *title,
                                struct table *table, const char *id, ...)
{
    char alignment[TABLE_COLUMNS_MAX + 1] = "";
    const char *heads[TABLE_COLUMNS_MAX];
    char name[ID_MAX];
    va_list values;

    va_start(values, id);
    vsnprintf(name, sizeof(name), id, values);
    va_end(values);
    struct figure *figure = figure_add(figures, FIGURE_TABLE, section, title, "%s", name);

    for (size_t i = 0; i < table->columns; i++) {
        alignment[i] = table->right[i] ? 'r' : 'l';
        heads[i] = table_cell(table, 0, i)->text;
    }
    figure_table(figure, alignment, heads);
    for (size_t i = 0; i < (table->rows - 1) * table->columns; i++) {
        figure_cell(figure, "%s",
                    table_cell(table, 1 + i / table->columns, i % table->columns)->text);
    }
    table_free(table);
    return figure;
}
