/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A file of SQLite that a fuzzer changes: bytes of it, or values in its tables.
 *
 * The fuzzer's first byte selects. Even: bytes follow, each as its place (3) and its value.
 * Odd: values, each as table, column, row, kind of value, value; behind the last table comes the
 * version.
 */
#pragma once

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/alloc.h"
#include "tools/run/run.h"
#include "tools/tests/support/fuzz_bytes.h"
#include "tools/tests/support/log_builder.h"
#include "tools/tests/support/whole_file.h"
#include "tools/wire/decoder.h"

#define EDITS_MAX     8
#define TABLES_MAX    32
#define COLUMNS_MAX   24
#define NAME_SIZE_MAX 32

struct fuzz_table {
    char name[NAME_SIZE_MAX];
    char columns[COLUMNS_MAX][NAME_SIZE_MAX];
    size_t count;
};

struct fuzz_file {
    const char *path;
    uint8_t *original;
    size_t size;
    struct fuzz_table tables[TABLES_MAX];
    size_t count;
};

static inline void fill_tables(struct run *run)
{
    struct run_bench *bench = &run->benches[0];

    run_add_pair(run, &run->machine, "cpu_brand", "a processor");
    *run_add_source(run) = (struct run_source){"tsc", 1000000000, "CPUID"};
    *run_add_estimate(run) = (struct run_estimate){"tsc", "hpet", 1000000000, true, 20, 3};
    run->verdict = (struct run_verdict){true, true, 1000000000, "hpet", "agrees"};
    *run_add_counter(run) = (struct run_counter){"pmc0", "usable", 48, "0x0", "none"};
    *run_add_event(run) =
        (struct run_event){"cycles", "counted", 1, "pmc0", "0x3c", "pmu", "CYCLES", "note", "why"};
    *run_add_expect(bench) = (struct run_expect){"s", true, true, 4, 5, "tick", "so it is"};
    run_add_fact(bench)->name = "f";
    run_add_param(bench)->name = "p";
    *run_add_absent(bench) = (struct run_absent){"a", "no such counter"};
    run_add_pair(run, &run_add_crash(run)->fields, "rip", "0");
    run_add_frame(&run->crashes[0])->symbol = "main";
    *run_add_interrupt(run) = (struct run_interrupt){32, "timer", 5, "yes"};
    run_add_text(run, &run->errors, "it broke");
    run_add_loss(run, "%d frames", 2);
}

/* A run with something in each table. */
static inline void make_whole_run(struct run *run)
{
    struct log_builder log;
    struct decoder *decoder = decoder_create();
    size_t length = 0;

    log_init(&log, FRAME_BINARY);
    log_traced(&log, 20, 1);
    uint8_t *wire = log_wire(&log, false, &length);

    decoder_push(decoder, wire, length);
    run_init(run);
    decoder_finish(decoder, run);
    fill_tables(run);
    decoder_destroy(decoder);
    free(wire);
    log_free(&log);
}

/* The tables in the order in which they were made, and the columns of each. */
static inline void list_tables(struct fuzz_file *file, sqlite3 *db)
{
    struct fuzz_table *table = NULL;
    sqlite3_stmt *statement = NULL;

    demand(sqlite3_prepare_v2(db,
                              "SELECT m.name, c.name FROM sqlite_schema AS m, "
                              "pragma_table_info(m.name) AS c WHERE m.type = 'table' "
                              "ORDER BY m.rowid, c.cid",
                              -1, &statement, NULL) == SQLITE_OK);
    while (sqlite3_step(statement) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);

        if (table == NULL || strcmp(table->name, name) != 0) {
            demand(file->count < TABLES_MAX && strlen(name) < NAME_SIZE_MAX);
            table = &file->tables[file->count++];
            snprintf(table->name, sizeof(table->name), "%s", name);
        }
        demand(table->count < COLUMNS_MAX);
        snprintf(table->columns[table->count++], NAME_SIZE_MAX, "%s",
                 (const char *)sqlite3_column_text(statement, 1));
    }
    sqlite3_finalize(statement);
}

/* Of an empty table no value can be changed. */
static inline void demand_rows(const struct fuzz_table *table, sqlite3 *db)
{
    sqlite3_stmt *statement = NULL;
    char sql[64];

    snprintf(sql, sizeof(sql), "SELECT 1 FROM \"%s\"", table->name);
    demand(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
           sqlite3_step(statement) == SQLITE_ROW);
    sqlite3_finalize(statement);
}

/* Takes the file as it is now; `path` must stay. */
static inline void fuzz_file_take(struct fuzz_file *file, const char *path)
{
    sqlite3 *db = NULL;

    file->path = path;
    file->original = read_whole_file(path, &file->size);
    demand(sqlite3_open(path, &db) == SQLITE_OK);
    list_tables(file, db);
    for (size_t i = 0; i < file->count; i++) {
        demand_rows(&file->tables[i], db);
    }
    sqlite3_close(db);
}

static inline void change_bytes(const struct fuzz_file *file, struct bytes *bytes)
{
    uint8_t *changed = alloc_zeroed(file->size);

    memcpy(changed, file->original, file->size);
    while (bytes->left > 0) {
        const size_t at = take_many(bytes, 3) % file->size;

        changed[at] = take(bytes);
    }
    write_whole_file(file->path, changed, file->size);
    free(changed);
}

static inline void bind(sqlite3_stmt *statement, struct bytes *bytes)
{
    static const char *const texts[] = {"", "0..3", "1..18446744073709551615,", "switches"};
    const uint8_t kind = take(bytes);

    switch (kind % 5) {
    case 0:
        sqlite3_bind_null(statement, 1);
        break;
    case 1:
        sqlite3_bind_int64(statement, 1, (int64_t)take_number(bytes));
        break;
    case 2:
        sqlite3_bind_double(statement, 1, (double)(int8_t)take(bytes) * 1e30);
        break;
    case 3:
        sqlite3_bind_text(statement, 1, texts[take(bytes) % 4], -1, SQLITE_STATIC);
        break;
    default:
        sqlite3_bind_zeroblob(statement, 1, (int)(take_number(bytes) % 100000));
    }
}

static inline void change_version(sqlite3 *db, uint8_t version)
{
    char sql[64];

    snprintf(sql, sizeof(sql), "PRAGMA user_version = %u", version);
    sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static inline void change_value(const struct fuzz_file *file, sqlite3 *db, struct bytes *bytes)
{
    const size_t index = take(bytes) % (file->count + 1);

    if (index == file->count) {
        change_version(db, take(bytes));
        return;
    }
    const struct fuzz_table *table = &file->tables[index];
    const char *column = table->columns[take(bytes) % table->count];
    sqlite3_stmt *statement = NULL;
    char sql[256];

    snprintf(sql, sizeof(sql), "UPDATE \"%s\" SET \"%s\" = ? WHERE rowid = %u", table->name, column,
             take(bytes) % 8 + 1u);
    demand(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK);
    bind(statement, bytes);
    sqlite3_step(statement);
    sqlite3_finalize(statement);
}

static inline void change_values(const struct fuzz_file *file, struct bytes *bytes)
{
    sqlite3 *db = NULL;

    write_whole_file(file->path, file->original, file->size);
    demand(sqlite3_open(file->path, &db) == SQLITE_OK);
    sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", NULL, NULL, NULL);
    for (unsigned i = 0; i < EDITS_MAX && bytes->left > 0; i++) {
        change_value(file, db, bytes);
    }
    sqlite3_close(db);
}

/* The file at its path is the original with what the bytes change. */
static inline void fuzz_file_change(const struct fuzz_file *file, struct bytes *bytes)
{
    if (take(bytes) % 2 == 1) {
        change_values(file, bytes);
    } else {
        change_bytes(file, bytes);
    }
}
