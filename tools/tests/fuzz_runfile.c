/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libFuzzer: a run file with bytes or values changed, through the reader. It is refused in one line
 * that names it, or holds true samples and whole packets.
 *
 * After an odd first byte come values: table, column, row, kind of value, value. Else come bytes:
 * place (3), value.
 */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/lib/alloc.h"
#include "tools/lib/decoder.h"
#include "tools/lib/run_tables.h"
#include "tools/lib/runfile.h"
#include "tools/lib/trace_bytes.h"
#include "tools/tests/fuzz_bytes.h"
#include "tools/tests/log_builder.h"
#include "tools/tests/whole_file.h"

#define EDITS_MAX 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[] = "/tmp/tare-fuzz.XXXXXX";
static uint8_t *original;
static size_t original_size;

static void remove_file(void)
{
    unlink(path);
}

/* A run with something in most tables. */
static void make_original(void)
{
    char error[RUNFILE_ERROR_MAX];
    uint8_t wire[FRAME_WIRE_MAX];
    struct log_builder log;
    struct decoder *decoder = decoder_create();
    struct run run;

    const int descriptor = mkstemp(path);

    demand(descriptor >= 0);
    close(descriptor);
    atexit(remove_file);
    log_init(&log, FRAME_BINARY);
    log_traced(&log, 20, 1);
    for (size_t i = 0; i < log.frame_count; i++) {
        decoder_push(decoder, wire, frame_encode(&log.frames[i], FRAME_BINARY, wire));
    }
    run_init(&run);
    decoder_finish(decoder, &run);
    run_add_fact(&run.benches[0])->name = "f";
    run_add_param(&run.benches[0])->name = "p";
    run_add_pair(&run, &run_add_crash(&run)->fields, "rip", "0");
    run_add_backtrace(&run.crashes[0])->symbol = "main";
    run_add_text(&run, &run.errors, "it broke");
    demand(runfile_write(path, &run, error));
    run_free(&run);
    decoder_destroy(decoder);
    log_free(&log);
    original = read_whole_file(path, &original_size);
}

static void change_bytes(struct bytes *bytes)
{
    uint8_t *changed = alloc_zeroed(original_size);

    memcpy(changed, original, original_size);
    while (bytes->left > 0) {
        const size_t high = take(bytes);
        const size_t middle = take(bytes);
        const size_t at = (high << 16 | middle << 8 | take(bytes)) % original_size;

        changed[at] = take(bytes);
    }
    write_whole_file(path, changed, original_size);
    free(changed);
}

static void bind(sqlite3_stmt *statement, struct bytes *bytes)
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

static void change_value(sqlite3 *db, struct bytes *bytes)
{
    const struct run_table *table = &run_tables[take(bytes) % RUN_TABLE_COUNT];
    const struct column *column = &table->columns[take(bytes) % table->count];
    sqlite3_stmt *statement = NULL;
    char sql[256];

    snprintf(sql, sizeof(sql), "UPDATE \"%s\" SET \"%s\" = ? WHERE rowid = %u", table->name,
             column->name, take(bytes) % 8 + 1u);
    demand(sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK);
    bind(statement, bytes);
    sqlite3_step(statement);
    sqlite3_finalize(statement);
}

static void change_values(struct bytes *bytes)
{
    sqlite3 *db = NULL;

    write_whole_file(path, original, original_size);
    demand(sqlite3_open(path, &db) == SQLITE_OK);
    sqlite3_exec(db, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF", NULL, NULL, NULL);
    for (unsigned i = 0; i < EDITS_MAX && bytes->left > 0; i++) {
        change_value(db, bytes);
    }
    sqlite3_close(db);
}

static void check_bench(const struct run_bench *bench)
{
    for (size_t i = 0; i < bench->series_count; i++) {
        const struct run_series *series = &bench->series[i];

        demand(!run_series_whole(series) || run_series_crc(series) == series->crc);
    }
    for (size_t i = 0; i < bench->trace_count; i++) {
        const struct trace_bytes *packets = bench->traces[i].packets;

        demand(packets->length <= bench->traces[i].claimed);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[RUNFILE_ERROR_MAX] = "";
    struct bytes bytes = {data, size};
    struct run run;

    if (original == NULL) {
        make_original();
    }
    if (take(&bytes) % 2 == 1) {
        change_values(&bytes);
    } else {
        change_bytes(&bytes);
    }
    run_init(&run);
    if (runfile_read(path, &run, error)) {
        for (size_t i = 0; i < run.bench_count; i++) {
            check_bench(&run.benches[i]);
        }
    } else {
        demand(strstr(error, path) != NULL && strchr(error, '\n') == NULL);
    }
    run_free(&run);
    return 0;
}
