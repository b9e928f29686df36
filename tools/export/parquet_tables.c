/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/export/parquet_tables.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/base/interrupt.h"
#include "tools/export/parquet.h"
#include "tools/run/series.h"
#include "tools/store/derived.h"
#include "tools/store/run_tables.h"

#define TABLES_MAX    (RUN_TABLE_COUNT + RUN_DERIVED_TABLES_MAX)
#define LOOK_UP_EVERY 65536
#define FILE_NAME_MAX 80

_Static_assert(RUN_TABLE_COLUMNS_MAX <= PARQUET_COLUMNS_MAX, "every table has its columns");

/* A file that is being written. */
struct file {
    const struct run_table *table; /* NULL: samples */
    struct parquet_column columns[PARQUET_COLUMNS_MAX];
    FILE *out;
    struct parquet *parquet;
    char path[EXPORT_PATH_MAX];
};

struct tables {
    struct row_sink sink;
    struct file *files[TABLES_MAX + 1]; /* the last is that of samples */
    size_t count;
};

static const enum parquet_type types[COLUMN_TYPES] = {
    [COLUMN_INTEGER] = PARQUET_INTEGER, [COLUMN_TEXT] = PARQUET_TEXT, [COLUMN_REAL] = PARQUET_REAL};

static const struct parquet_column sample_columns[] = {{"bench", PARQUET_TEXT, true},
                                                       {"pass", PARQUET_INTEGER, true},
                                                       {"series", PARQUET_TEXT, true},
                                                       {"index", PARQUET_INTEGER, true},
                                                       {"value", PARQUET_INTEGER, false}};

static bool open_file(struct tables *tables, struct export_directory *directory, const char *name,
                      const struct run_table *table, const struct parquet_column *columns,
                      size_t count, char error[EXPORT_ERROR_MAX])
{
    struct file *file = alloc_zeroed(sizeof(*file));
    char file_name[FILE_NAME_MAX];

    tables->files[tables->count++] = file;
    snprintf(file_name, sizeof(file_name), "%.60s.parquet", name);
    file->table = table;
    memcpy(file->columns, columns, count * sizeof(*columns));
    if (!export_directory_add(directory, file_name, file->path, error)) {
        return false;
    }
    file->out = fopen(file->path, "wb");
    if (file->out == NULL) {
        snprintf(error, EXPORT_ERROR_MAX, "cannot write %.400s: %s", file->path, strerror(errno));
        return false;
    }
    file->parquet = parquet_open(file->out, file->columns, count);
    return true;
}

static bool open_table(struct tables *tables, struct export_directory *directory,
                       const struct run_table *table, char error[EXPORT_ERROR_MAX])
{
    struct parquet_column columns[PARQUET_COLUMNS_MAX] = {0};
    size_t count = 0;

    for (size_t i = 0; i < table->count; i++) {
        const struct column *column = &table->columns[i];

        if (column->type != COLUMN_BYTES) {
            columns[count++] =
                (struct parquet_column){column->name, types[column->type], column->required};
        }
    }
    return open_file(tables, directory, table->name, table, columns, count, error);
}

static bool open_all(struct tables *tables, struct export_directory *directory,
                     char error[EXPORT_ERROR_MAX])
{
    const struct run_derived *derived = run_derived();
    bool ok = true;

    for (size_t i = 0; i < RUN_TABLE_COUNT && ok; i++) {
        ok = open_table(tables, directory, &run_tables[i], error);
    }
    for (size_t i = 0; derived != NULL && i < derived->table_count && ok; i++) {
        ok = open_table(tables, directory, &derived->tables[i], error);
    }
    return ok && open_file(tables, directory, "sample", NULL, sample_columns,
                           sizeof(sample_columns) / sizeof(sample_columns[0]), error);
}

/* All files that are open; false: one could not be written whole. */
static bool close_all(struct tables *tables, char error[EXPORT_ERROR_MAX])
{
    bool ok = true;

    for (size_t i = 0; i < tables->count; i++) {
        struct file *file = tables->files[i];

        if (file->out != NULL) {
            parquet_close(file->parquet);
            const bool whole = ferror(file->out) == 0;

            if ((fclose(file->out) != 0 || !whole) && ok) {
                snprintf(error, EXPORT_ERROR_MAX, "cannot write %.400s: %s", file->path,
                         strerror(errno));
                ok = false;
            }
        }
        free(file);
    }
    return ok;
}

static void put_cell(struct parquet *parquet, enum column_type type, const struct cell *cell)
{
    if (!cell->present) {
        parquet_null(parquet);
    } else if (type == COLUMN_TEXT) {
        parquet_text(parquet, cell->text);
    } else if (type == COLUMN_REAL) {
        parquet_real(parquet, cell->real);
    } else {
        parquet_integer(parquet, cell->integer);
    }
}

static bool add_row(struct row_sink *sink, const struct run_table *table, const struct cell *cells)
{
    struct tables *tables = (struct tables *)sink;
    size_t at = 0;

    while (tables->files[at]->table != table) {
        at++;
    }
    for (size_t i = 0; i < table->count; i++) {
        if (table->columns[i].type != COLUMN_BYTES) {
            put_cell(tables->files[at]->parquet, table->columns[i].type, &cells[i]);
        }
    }
    parquet_row(tables->files[at]->parquet);
    return !interrupt_seen();
}

/* Every index; those between the ranges did not arrive. */
static bool put_samples(struct parquet *parquet, const struct run_bench *bench,
                        const struct run_series *series)
{
    size_t range = 0, before = 0;

    for (uint32_t i = 0; i < series->n; i++) {
        const struct run_range *in = range < series->range_count ? &series->ranges[range] : NULL;

        parquet_text(parquet, bench->name);
        parquet_integer(parquet, bench->pass);
        parquet_text(parquet, series->name);
        parquet_integer(parquet, i);
        if (in != NULL && i >= in->first) {
            parquet_integer(parquet, series->samples[before + i - in->first]);
            if (i + 1 == in->first + in->count) {
                before += in->count;
                range++;
            }
        } else {
            parquet_null(parquet);
        }
        parquet_row(parquet);
        if (i % LOOK_UP_EVERY == 0 && interrupt_seen()) {
            return false;
        }
    }
    return true;
}

static bool put_all_samples(struct tables *tables, const struct run *run)
{
    struct parquet *parquet = tables->files[tables->count - 1]->parquet;
    bool ok = true;

    for (size_t i = 0; i < run->bench_count; i++) {
        for (size_t k = 0; k < run->benches[i].series_count && ok; k++) {
            ok = put_samples(parquet, &run->benches[i], &run->benches[i].series[k]);
        }
    }
    return ok;
}

bool parquet_tables_write(struct run *run, struct export_directory *directory,
                          char error[EXPORT_ERROR_MAX])
{
    struct tables tables = {.sink = {.add = add_row, .most_bytes = UINT64_MAX}};
    const struct run_derived *derived = run_derived();

    error[0] = '\0';
    bool ok = open_all(&tables, directory, error);

    if (ok) {
        ok = run_tables_write(run, &tables.sink) &&
             (derived == NULL || derived->write(run, &tables.sink)) &&
             put_all_samples(&tables, run);
        snprintf(error, EXPORT_ERROR_MAX, "%s", tables.sink.error);
    }
    return close_all(&tables, error) && ok;
}
