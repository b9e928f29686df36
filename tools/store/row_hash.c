/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/row_hash.h"

#include <string.h>

void row_hash_number(struct sha256 *hash, uint64_t number)
{
    sha256_put(hash, &number, sizeof(number));
}

void row_hash(struct sha256 *hash, const struct run_table *table, const struct cell *cells)
{
    sha256_put(hash, table->name, strlen(table->name) + 1);
    for (size_t i = 0; i < table->count; i++) {
        row_hash_number(hash, cells[i].present);
        if (cells[i].present && table->columns[i].type == COLUMN_INTEGER) {
            row_hash_number(hash, (uint64_t)cells[i].integer);
        } else if (cells[i].present && table->columns[i].type == COLUMN_TEXT) {
            row_hash_number(hash, strlen(cells[i].text));
            sha256_put(hash, cells[i].text, strlen(cells[i].text));
        }
    }
}

void content_hash_begin(struct content_hash *hash)
{
    for (size_t i = 0; i < RUN_TABLE_COUNT; i++) {
        sha256_begin(&hash->table[i]);
    }
}

void content_hash_row(struct content_hash *hash, const struct run_table *table,
                      const struct cell *cells)
{
    if (table >= run_tables && table < run_tables + RUN_TABLE_COUNT) {
        row_hash(&hash->table[table - run_tables], table, cells);
    }
}

void content_hash_end(struct content_hash *hash, char text[SHA256_TEXT])
{
    struct sha256 all;

    sha256_begin(&all);
    for (size_t i = 0; i < RUN_TABLE_COUNT; i++) {
        sha256_end(&hash->table[i], text);
        sha256_put(&all, text, SHA256_TEXT - 1);
    }
    sha256_end(&all, text);
}
