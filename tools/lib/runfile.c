/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/lib/runfile.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/trace/packet.h"
#include "tools/lib/alloc.h"
#include "tools/lib/statistics.h"
#include "tools/lib/trace_bytes.h"

#define BLOB_PIECE 65536 /* bytes of a trace in memory */
#define ROW_REST   65536 /* more than what a row of `trace` holds beside its BLOB */

/* `run` holds the fields of the log's own head, and plan.source, plan.text and log.ended. */
static const char schema[] =
    "CREATE TABLE run(key TEXT NOT NULL, value TEXT);"
    "CREATE TABLE machine(name TEXT NOT NULL, value TEXT);"
    "CREATE TABLE source(name TEXT NOT NULL, hz INTEGER, stated_by TEXT);"
    "CREATE TABLE estimate(clock TEXT NOT NULL, reference TEXT NOT NULL, hz INTEGER NOT NULL,"
    " error_ppb INTEGER, windows INTEGER NOT NULL);"
    "CREATE TABLE verdict(ok INTEGER NOT NULL, hz INTEGER, agreed_by TEXT, reason TEXT);"
    "CREATE TABLE counter(name TEXT NOT NULL, state TEXT NOT NULL, width INTEGER, found TEXT,"
    " reason TEXT);"
    "CREATE TABLE event(name TEXT NOT NULL, state TEXT NOT NULL, pass INTEGER, counter TEXT,"
    " code TEXT, source TEXT, manual TEXT, note TEXT, reason TEXT);"
    "CREATE TABLE bench(name TEXT NOT NULL, pass INTEGER NOT NULL, family TEXT, summary TEXT,"
    " unit TEXT, estimate TEXT, state TEXT NOT NULL, reason TEXT);"
    "CREATE TABLE expect(bench TEXT NOT NULL, pass INTEGER NOT NULL, series TEXT NOT NULL,"
    " instructions INTEGER, value INTEGER, unit TEXT, because TEXT);"
    "CREATE TABLE param(bench TEXT NOT NULL, pass INTEGER NOT NULL, name TEXT NOT NULL,"
    " value TEXT, origin TEXT);"
    "CREATE TABLE fact(bench TEXT NOT NULL, pass INTEGER NOT NULL, name TEXT NOT NULL,"
    " value INTEGER NOT NULL, unit TEXT);"
    "CREATE TABLE absent(bench TEXT NOT NULL, pass INTEGER NOT NULL, name TEXT NOT NULL,"
    " reason TEXT);"
    "CREATE TABLE series(bench TEXT NOT NULL, pass INTEGER NOT NULL, name TEXT NOT NULL,"
    " unit TEXT, of TEXT, event TEXT, n INTEGER NOT NULL,"
    " min INTEGER, median INTEGER, p99 INTEGER, p999 INTEGER, max INTEGER,"
    " stream INTEGER NOT NULL, nominal INTEGER NOT NULL, crc INTEGER NOT NULL, missing TEXT,"
    " samples BLOB NOT NULL);"
    "CREATE TABLE object(bench TEXT NOT NULL, pass INTEGER NOT NULL, kind TEXT NOT NULL,"
    " id INTEGER NOT NULL, name TEXT NOT NULL, process INTEGER, priority INTEGER);"
    "CREATE TABLE trace(bench TEXT NOT NULL, pass INTEGER NOT NULL, part INTEGER NOT NULL,"
    " stream INTEGER NOT NULL, mode TEXT NOT NULL, cpu INTEGER NOT NULL,"
    " begin_tsc INTEGER NOT NULL, end_tsc INTEGER NOT NULL, packet_bytes INTEGER NOT NULL,"
    " kept INTEGER NOT NULL, discarded INTEGER NOT NULL, overwritten INTEGER NOT NULL,"
    " record INTEGER NOT NULL, lead INTEGER NOT NULL, extended INTEGER NOT NULL,"
    " isr_lead INTEGER NOT NULL, isr_trail INTEGER NOT NULL, dpc_trail INTEGER NOT NULL,"
    " switch_trail INTEGER NOT NULL, claimed INTEGER NOT NULL, crc INTEGER NOT NULL, packets BLOB "
    "NOT NULL);"
    "CREATE TABLE crash(crash INTEGER NOT NULL, key TEXT NOT NULL, value TEXT);"
    "CREATE TABLE backtrace(crash INTEGER NOT NULL, depth INTEGER NOT NULL, address TEXT,"
    " symbol TEXT, offset TEXT);"
    "CREATE TABLE interrupt(vector INTEGER NOT NULL, name TEXT, count INTEGER NOT NULL,"
    " expected TEXT);"
    "CREATE TABLE error(text TEXT NOT NULL);"
    "CREATE TABLE loss(text TEXT NOT NULL);";

/* ---- writing ---- */

/* Binds the next of `values` to a column: t text or NULL, i int64_t, u uint64_t (kept as the int64
 * of the same bits), o const int64_t * or NULL, b const void * and size_t, z uint64_t zero bytes.
 */
static int bind_next(sqlite3_stmt *statement, int column, char type, va_list *values)
{
    const int64_t *optional;
    const void *bytes;

    switch (type) {
    case 't':
        return sqlite3_bind_text(statement, column, va_arg(*values, const char *), -1,
                                 SQLITE_STATIC);
    case 'i':
        return sqlite3_bind_int64(statement, column, va_arg(*values, int64_t));
    case 'u':
        return sqlite3_bind_int64(statement, column, (int64_t)va_arg(*values, uint64_t));
    case 'o':
        optional = va_arg(*values, const int64_t *);
        return optional == NULL ? sqlite3_bind_null(statement, column)
                                : sqlite3_bind_int64(statement, column, *optional);
    case 'z':
        return sqlite3_bind_zeroblob64(statement, column, va_arg(*values, uint64_t));
    default:
        bytes = va_arg(*values, const void *);
        return sqlite3_bind_blob64(statement, column, bytes, va_arg(*values, size_t),
                                   SQLITE_STATIC);
    }
}

/* Adds a row to `table`, one letter of `types` a column. */
static bool insert(sqlite3 *db, const char *table, const char *types, ...)
{
    char sql[128];
    sqlite3_stmt *statement;
    va_list values;
    int status = SQLITE_OK;
    size_t used = (size_t)snprintf(sql, sizeof(sql), "INSERT INTO %s VALUES(", table);

    for (size_t i = 0; types[i] != '\0'; i++) {
        used += (size_t)snprintf(sql + used, sizeof(sql) - used, i > 0 ? ",?" : "?");
    }
    snprintf(sql + used, sizeof(sql) - used, ")");
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) {
        return false;
    }
    va_start(values, types);
    for (int column = 1; types[column - 1] != '\0' && status == SQLITE_OK; column++) {
        status = bind_next(statement, column, types[column - 1], &values);
    }
    va_end(values);
    if (status == SQLITE_OK) {
        sqlite3_step(statement);
    }
    const int finished = sqlite3_finalize(statement);

    return status == SQLITE_OK && finished == SQLITE_OK;
}

static bool write_pairs(sqlite3 *db, const char *table, const struct run_pairs *pairs)
{
    bool ok = true;

    for (size_t i = 0; i < pairs->count && ok; i++) {
        ok = insert(db, table, "tt", pairs->item[i].key, pairs->item[i].value);
    }
    return ok;
}

static bool write_texts(sqlite3 *db, const char *table, const struct run_texts *texts)
{
    bool ok = true;

    for (size_t i = 0; i < texts->count && ok; i++) {
        ok = insert(db, table, "t", texts->item[i]);
    }
    return ok;
}

static bool write_head(sqlite3 *db, const struct run *run)
{
    bool ok = write_pairs(db, "run", &run->info) &&
              insert(db, "run", "tt", "plan.source", run->plan_source) &&
              insert(db, "run", "tt", "plan.text", run->plan_text) &&
              insert(db, "run", "tt", "log.ended", run->ended ? "1" : "0") &&
              write_pairs(db, "machine", &run->machine);

    for (size_t i = 0; i < run->source_count && ok; i++) {
        const struct run_source *source = &run->sources[i];

        const int64_t hz = (int64_t)source->hz;

        ok = insert(db, "source", "tot", source->name, hz != 0 ? &hz : NULL, source->from);
    }
    for (size_t i = 0; i < run->estimate_count && ok; i++) {
        const struct run_estimate *estimate = &run->estimates[i];

        const int64_t ppb = (int64_t)estimate->error_ppb;

        ok = insert(db, "estimate", "ttuou", estimate->clock, estimate->reference, estimate->hz,
                    estimate->has_error ? &ppb : NULL, estimate->windows);
    }
    if (run->verdict.present && ok) {
        const int64_t hz = (int64_t)run->verdict.hz;

        ok = insert(db, "verdict", "iott", (int64_t)run->verdict.ok, hz != 0 ? &hz : NULL,
                    run->verdict.by, run->verdict.reason);
    }
    return ok;
}

/* "first..last,first..last", or NULL where nothing is missing. To be freed. */
static char *missing_text(const struct run_series *series)
{
    size_t used = 0;
    size_t capacity = 0;
    char *text = NULL;
    uint64_t next = 0;

    for (size_t r = 0; r <= series->range_count; r++) {
        const bool last = r == series->range_count;
        const uint64_t first = last ? series->n : series->ranges[r].first;

        if (first > next) {
            text = alloc_grow(text, &capacity, used + 32, 1);
            used += (size_t)snprintf(text + used, 32, "%s%" PRIu64 "..%" PRIu64,
                                     used > 0 ? "," : "", next, first - 1);
        }
        next = last ? first : first + series->ranges[r].count;
    }
    return text;
}

static bool write_events(sqlite3 *db, const struct run *run)
{
    bool ok = true;

    for (size_t i = 0; i < run->counter_count && ok; i++) {
        const struct run_counter *counter = &run->counters[i];
        const int64_t width = (int64_t)counter->width;

        ok = insert(db, "counter", "ttott", counter->name, counter->state,
                    width != 0 ? &width : NULL, counter->found, counter->reason);
    }
    for (size_t i = 0; i < run->event_count && ok; i++) {
        const struct run_event *event = &run->events[i];
        const int64_t pass = event->pass;

        ok = insert(db, "event", "ttotttttt", event->name, event->state, pass != 0 ? &pass : NULL,
                    event->counter, event->code, event->source, event->manual, event->note,
                    event->reason);
    }
    return ok;
}

static bool write_series(sqlite3 *db, const struct run_bench *bench,
                         const struct run_series *series)
{
    struct statistics s;
    char *missing = missing_text(series);
    const size_t size = series->received * sizeof(int64_t);
    uint8_t *bytes = alloc_zeroed(size);

    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)((uint64_t)series->samples[i / 8] >> (i % 8 * 8));
    }
    statistics_of(series->samples, series->received, &s);
    const bool any = s.n > 0;
    const bool ok =
        insert(db, "series", "tuttttuooooouiutb", bench->name, (uint64_t)bench->pass, series->name,
               series->unit, series->of, series->event, (uint64_t)series->n, any ? &s.min : NULL,
               any ? &s.median : NULL, s.has_p99 ? &s.p99 : NULL, s.has_p999 ? &s.p999 : NULL,
               any ? &s.max : NULL, (uint64_t)series->stream, series->nominal,
               (uint64_t)series->crc, missing, bytes, size);

    free(bytes);
    free(missing);
    return ok;
}

static bool write_object(sqlite3 *db, const struct run_bench *bench,
                         const struct run_object *object)
{
    const int64_t process = object->process;
    const int64_t priority = object->priority;

    return insert(db, "object", "tututoo", bench->name, (uint64_t)bench->pass, object->kind,
                  (uint64_t)object->id, object->name, object->has_process ? &process : NULL,
                  object->has_priority ? &priority : NULL);
}

/* Fills the BLOB of the last row of `trace`. False with nothing in `error` where SQLite failed. */
static bool write_packets(sqlite3 *db, const struct run_trace *trace, char *error)
{
    uint8_t piece[BLOB_PIECE];
    sqlite3_blob *blob;
    const uint64_t length = trace->packets->length;

    if (sqlite3_blob_open(db, "main", "trace", "packets", sqlite3_last_insert_rowid(db), 1,
                          &blob) != SQLITE_OK) {
        return false;
    }
    bool ok = true;

    for (uint64_t at = 0, part; at < length && ok; at += part) {
        part = length - at < BLOB_PIECE ? length - at : BLOB_PIECE;
        if (!trace->packets->read(trace->packets, at, piece, part)) {
            snprintf(error, RUNFILE_ERROR_MAX, "cannot read back the packets of stream %u",
                     trace->stream);
            ok = false;
        } else {
            ok = sqlite3_blob_write(blob, piece, (int)part, (int)at) == SQLITE_OK;
        }
    }
    return sqlite3_blob_close(blob) == SQLITE_OK && ok;
}

/* Can it be kept? */
static bool check_packets(sqlite3 *db, const struct run_bench *bench, const struct run_trace *trace,
                          uint32_t *crc, char *error)
{
    const uint64_t limit = (uint64_t)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, -1) - ROW_REST;

    if (trace->packets->length > limit) {
        snprintf(error, RUNFILE_ERROR_MAX,
                 "the trace of %.64s, part %" PRIu32 ", has %" PRIu64 " bytes, and a run file "
                 "holds %" PRIu64 " of each: trace for a shorter time",
                 bench->name, trace->part, trace->packets->length, limit);
        return false;
    }
    if (!trace_bytes_crc(trace->packets, crc)) {
        snprintf(error, RUNFILE_ERROR_MAX, "cannot read back the packets of stream %u",
                 trace->stream);
        return false;
    }
    return true;
}

static bool write_trace(sqlite3 *db, const struct run_bench *bench, const struct run_trace *trace,
                        char *error)
{
    const struct run_trace_costs *costs = &trace->costs;
    uint32_t crc;

    return check_packets(db, bench, trace, &crc, error) &&
           insert(db, "trace", "tuuutuuuuuuuuuuuuuuuuz", bench->name, (uint64_t)bench->pass,
                  (uint64_t)trace->part, (uint64_t)trace->stream, trace->mode, (uint64_t)trace->cpu,
                  trace->begin, trace->end, (uint64_t)trace->packet_bytes, trace->kept,
                  trace->discarded, trace->overwritten, (uint64_t)costs->record,
                  (uint64_t)costs->lead, (uint64_t)costs->extended, (uint64_t)costs->isr_lead,
                  (uint64_t)costs->isr_trail, (uint64_t)costs->dpc_trail,
                  (uint64_t)costs->switch_trail, trace->claimed, (uint64_t)crc,
                  trace->packets->length) &&
           write_packets(db, trace, error);
}

/* What of it was traced. */
static bool write_traces(sqlite3 *db, const struct run_bench *bench, char *error)
{
    bool ok = true;

    for (size_t i = 0; i < bench->object_count && ok; i++) {
        ok = write_object(db, bench, &bench->objects[i]);
    }
    for (size_t i = 0; i < bench->trace_count && ok; i++) {
        ok = write_trace(db, bench, &bench->traces[i], error);
    }
    return ok;
}

static bool write_expect(sqlite3 *db, const struct run_bench *bench,
                         const struct run_expect *expect)
{
    return insert(db, "expect", "tutoott", bench->name, (uint64_t)bench->pass, expect->series,
                  expect->has_instructions ? &expect->instructions : NULL,
                  expect->has_value ? &expect->value : NULL, expect->unit, expect->because);
}

static bool write_bench(sqlite3 *db, const struct run_bench *bench, char *error)
{
    const char *name = bench->name;
    const uint64_t pass = bench->pass;
    bool ok = insert(db, "bench", "tutttttt", name, pass, bench->group, bench->summary, bench->unit,
                     bench->estimate, bench->state, bench->reason);

    for (size_t i = 0; i < bench->expect_count && ok; i++) {
        ok = write_expect(db, bench, &bench->expects[i]);
    }
    for (size_t i = 0; i < bench->param_count && ok; i++) {
        const struct run_param *param = &bench->params[i];

        ok = insert(db, "param", "tuttt", name, pass, param->name, param->value, param->origin);
    }
    for (size_t i = 0; i < bench->fact_count && ok; i++) {
        const struct run_fact *fact = &bench->facts[i];

        ok = insert(db, "fact", "tutit", name, pass, fact->name, fact->value, fact->unit);
    }
    for (size_t i = 0; i < bench->absent_count && ok; i++) {
        const struct run_absent *absent = &bench->absents[i];

        ok = insert(db, "absent", "tutt", name, pass, absent->name, absent->reason);
    }
    for (size_t i = 0; i < bench->series_count && ok; i++) {
        ok = write_series(db, bench, &bench->series[i]);
    }
    return ok && write_traces(db, bench, error);
}

static bool write_crash(sqlite3 *db, int64_t number, const struct run_crash *crash)
{
    bool ok = true;

    for (size_t i = 0; i < crash->fields.count && ok; i++) {
        const struct run_pair *field = &crash->fields.item[i];

        ok = insert(db, "crash", "itt", number, field->key, field->value);
    }
    for (size_t i = 0; i < crash->frame_count && ok; i++) {
        const struct run_backtrace *frame = &crash->frames[i];

        ok = insert(db, "backtrace", "iuttt", number, frame->depth, frame->address, frame->symbol,
                    frame->offset);
    }
    return ok;
}

/* False with nothing in `error` where SQLite failed. */
static bool write_tables(sqlite3 *db, const struct run *run, char *error)
{
    bool ok = write_head(db, run) && write_events(db, run);

    for (size_t i = 0; i < run->bench_count && ok; i++) {
        ok = write_bench(db, &run->benches[i], error);
    }
    for (size_t i = 0; i < run->crash_count && ok; i++) {
        ok = write_crash(db, (int64_t)i, &run->crashes[i]);
    }
    for (size_t i = 0; i < run->interrupt_count && ok; i++) {
        const struct run_interrupt *interrupt = &run->interrupts[i];

        ok = insert(db, "interrupt", "utut", interrupt->vector, interrupt->name, interrupt->count,
                    interrupt->expected);
    }
    return ok && write_texts(db, "error", &run->errors) && write_texts(db, "loss", &run->losses);
}

static bool execute(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static bool create_tables(sqlite3 *db)
{
    char marks[128];

    snprintf(marks, sizeof(marks), "PRAGMA application_id = %d; PRAGMA user_version = %d;",
             RUNFILE_APPLICATION_ID, RUNFILE_SCHEMA_VERSION);
    return execute(db, "PRAGMA page_size = 4096; PRAGMA encoding = 'UTF-8';"
                       "PRAGMA auto_vacuum = NONE; PRAGMA journal_mode = OFF;"
                       "PRAGMA synchronous = OFF; BEGIN;") &&
           execute(db, marks) && execute(db, schema);
}

bool runfile_write(const char *path, struct run *run, char error[RUNFILE_ERROR_MAX])
{
    sqlite3 *db = NULL;
    const size_t size = strlen(path) + sizeof(".tmp");
    char *temporary = alloc_zeroed(size);
    char reason[RUNFILE_ERROR_MAX] = "";

    snprintf(temporary, size, "%s.tmp", path);
    unlink(temporary);
    bool ok = sqlite3_open_v2(temporary, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) ==
                  SQLITE_OK &&
              create_tables(db) && write_tables(db, run, reason) && execute(db, "COMMIT");

    if (!ok) {
        snprintf(error, RUNFILE_ERROR_MAX, "cannot write %s: %s", temporary,
                 reason[0] != '\0' ? reason : sqlite3_errmsg(db));
    }
    ok = sqlite3_close(db) == SQLITE_OK && ok;
    if (ok && rename(temporary, path) != 0) {
        snprintf(error, RUNFILE_ERROR_MAX, "cannot write %s: %s", path, strerror(errno));
        ok = false;
    }
    if (!ok) {
        unlink(temporary);
    }
    free(temporary);
    return ok;
}

/* ---- reading ---- */

/* The file, as long as somebody reads from it. */
struct database {
    sqlite3 *db;
    unsigned users;
};

static void release(struct database *database)
{
    if (--database->users == 0) {
        sqlite3_close(database->db);
        free(database);
    }
}

/* Packets in a BLOB, which is opened when they are first read. */
struct stored_bytes {
    struct trace_bytes bytes;
    struct database *database;
    int64_t row;
    sqlite3_blob *blob;
};

static bool stored_read(struct trace_bytes *bytes, uint64_t offset, void *to, size_t size)
{
    struct stored_bytes *stored = (struct stored_bytes *)bytes;

    if (offset > bytes->length || size > bytes->length - offset) {
        return false;
    }
    if (stored->blob == NULL && sqlite3_blob_open(stored->database->db, "main", "trace", "packets",
                                                  stored->row, 0, &stored->blob) != SQLITE_OK) {
        return false;
    }
    return sqlite3_blob_read(stored->blob, to, (int)size, (int)offset) == SQLITE_OK;
}

static void stored_close(struct trace_bytes *bytes)
{
    struct stored_bytes *stored = (struct stored_bytes *)bytes;

    sqlite3_blob_close(stored->blob);
    release(stored->database);
    free(stored);
}

static struct trace_bytes *stored_bytes(struct database *database, int64_t row, uint64_t length)
{
    struct stored_bytes *stored = alloc_zeroed(sizeof(*stored));

    stored->bytes =
        (struct trace_bytes){.length = length, .read = stored_read, .close = stored_close};
    stored->database = database;
    stored->row = row;
    database->users++;
    return &stored->bytes;
}

struct reader {
    struct database *database;
    struct run *run;
    sqlite3_stmt *row;
};

static const char *text_at(struct reader *reader, int column)
{
    return run_text(reader->run, (const char *)sqlite3_column_text(reader->row, column));
}

static int64_t integer_at(struct reader *reader, int column)
{
    return sqlite3_column_int64(reader->row, column);
}

static uint64_t unsigned_at(struct reader *reader, int column)
{
    return (uint64_t)sqlite3_column_int64(reader->row, column);
}

/* A pass, or 0 where it is none. */
static uint32_t pass_at(struct reader *reader, int column)
{
    const int64_t pass = integer_at(reader, column);

    return pass > 0 && pass <= UINT32_MAX ? (uint32_t)pass : 0;
}

/* The bench that the first two columns name. */
static struct run_bench *bench_at(struct reader *reader)
{
    const char *name = (const char *)sqlite3_column_text(reader->row, 0);

    return name != NULL ? run_find_pass(reader->run, name, pass_at(reader, 1)) : NULL;
}

/* The readers: one a table, called for each row in the order of writing. False where the row cannot
 * be one of ours. */

static bool read_run(struct reader *reader)
{
    struct run *run = reader->run;
    const char *key = text_at(reader, 0);
    const char *value = text_at(reader, 1);

    if (key == NULL) {
        return false;
    }
    if (strcmp(key, "plan.source") == 0) {
        run->plan_source = value;
    } else if (strcmp(key, "plan.text") == 0) {
        run->plan_text = value;
    } else if (strcmp(key, "log.ended") == 0) {
        run->ended = value != NULL && strcmp(value, "1") == 0;
    } else {
        run_add_pair(run, &run->info, key, value);
    }
    return true;
}

static bool read_machine(struct reader *reader)
{
    const char *name = text_at(reader, 0);

    if (name == NULL) {
        return false;
    }
    run_add_pair(reader->run, &reader->run->machine, name, text_at(reader, 1));
    return true;
}

static bool read_source(struct reader *reader)
{
    const struct run_source source = {text_at(reader, 0), unsigned_at(reader, 1),
                                      text_at(reader, 2)};

    *run_add_source(reader->run) = source;
    return source.name != NULL;
}

static bool read_estimate(struct reader *reader)
{
    const struct run_estimate estimate = {
        text_at(reader, 0),     text_at(reader, 1),
        unsigned_at(reader, 2), sqlite3_column_type(reader->row, 3) != SQLITE_NULL,
        unsigned_at(reader, 3), unsigned_at(reader, 4)};

    *run_add_estimate(reader->run) = estimate;
    return estimate.clock != NULL && estimate.reference != NULL;
}

static bool read_verdict(struct reader *reader)
{
    reader->run->verdict =
        (struct run_verdict){true, integer_at(reader, 0) != 0, unsigned_at(reader, 1),
                             text_at(reader, 2), text_at(reader, 3)};
    return true;
}

static bool read_counter(struct reader *reader)
{
    const struct run_counter counter = {text_at(reader, 0), text_at(reader, 1),
                                        unsigned_at(reader, 2), text_at(reader, 3),
                                        text_at(reader, 4)};

    *run_add_counter(reader->run) = counter;
    return counter.name != NULL && counter.state != NULL;
}

static bool read_event(struct reader *reader)
{
    const struct run_event event = {text_at(reader, 0), text_at(reader, 1), pass_at(reader, 2),
                                    text_at(reader, 3), text_at(reader, 4), text_at(reader, 5),
                                    text_at(reader, 6), text_at(reader, 7), text_at(reader, 8)};

    *run_add_event(reader->run) = event;
    return event.name != NULL && event.state != NULL;
}

static bool read_bench(struct reader *reader)
{
    const char *name = text_at(reader, 0);
    const uint32_t pass = pass_at(reader, 1);

    if (name == NULL || pass == 0 || run_find_pass(reader->run, name, pass) != NULL) {
        return false;
    }
    struct run_bench *bench = run_add_bench(reader->run, name);

    bench->pass = pass;
    bench->group = text_at(reader, 2);
    bench->summary = text_at(reader, 3);
    bench->unit = text_at(reader, 4);
    bench->estimate = text_at(reader, 5);
    bench->state = text_at(reader, 6);
    bench->reason = text_at(reader, 7);
    return bench->state != NULL;
}

/* An integer, or NULL where there is none. False where it is neither. */
static bool integer_or_null_at(struct reader *reader, int column, bool *present, int64_t *value)
{
    const int type = sqlite3_column_type(reader->row, column);

    *present = type != SQLITE_NULL;
    *value = integer_at(reader, column);
    return type == SQLITE_NULL || type == SQLITE_INTEGER;
}

static bool read_expect(struct reader *reader)
{
    struct run_bench *bench = bench_at(reader);
    struct run_expect expect = {
        .series = text_at(reader, 2), .unit = text_at(reader, 5), .because = text_at(reader, 6)};

    if (bench == NULL || expect.series == NULL ||
        !integer_or_null_at(reader, 3, &expect.has_instructions, &expect.instructions) ||
        !integer_or_null_at(reader, 4, &expect.has_value, &expect.value) ||
        expect.has_value != (expect.unit != NULL)) {
        return false;
    }
    *run_add_expect(bench) = expect;
    return true;
}

static bool read_param(struct reader *reader)
{
    struct run_bench *bench = bench_at(reader);
    const struct run_param param = {text_at(reader, 2), text_at(reader, 3), text_at(reader, 4)};

    if (bench == NULL || param.name == NULL) {
        return false;
    }
    *run_add_param(bench) = param;
    return true;
}

static bool read_fact(struct reader *reader)
{
    struct run_bench *bench = bench_at(reader);
    const struct run_fact fact = {text_at(reader, 2), integer_at(reader, 3), text_at(reader, 4)};

    if (bench == NULL || fact.name == NULL) {
        return false;
    }
    *run_add_fact(bench) = fact;
    return true;
}

static bool read_absent(struct reader *reader)
{
    struct run_bench *bench = bench_at(reader);
    const struct run_absent absent = {text_at(reader, 2), text_at(reader, 3)};

    if (bench == NULL || absent.name == NULL) {
        return false;
    }
    *run_add_absent(bench) = absent;
    return true;
}

/* The ranges that are there, from those that are missing. False where `text` is malformed. */
static bool read_ranges(struct run_series *series, const char *text)
{
    size_t capacity = 0;
    uint64_t next = 0;

    while (next < series->n) {
        uint64_t first = series->n;
        uint64_t last = series->n;
        int length = 0;

        if (text != NULL && *text != '\0') {
            if (sscanf(text, "%" SCNu64 "..%" SCNu64 "%n", &first, &last, &length) != 2 ||
                first < next || last < first || last >= series->n) {
                return false;
            }
            text += length;
            text += *text == ',' ? 1 : 0;
        }
        if (first > next) {
            series->ranges = alloc_append(series->ranges, &series->range_count, &capacity,
                                          sizeof(*series->ranges));
            series->ranges[series->range_count - 1] =
                (struct run_range){(uint32_t)next, (uint32_t)(first - next)};
            series->received += first - next;
        }
        next = last + 1;
    }
    return text == NULL || *text == '\0';
}

/* The samples that the columns `missing` and `samples` hold. */
static bool read_samples(struct reader *reader, struct run_series *series, int missing, int samples)
{
    const size_t size = (size_t)sqlite3_column_bytes(reader->row, samples);
    const uint8_t *bytes = sqlite3_column_blob(reader->row, samples);

    if (size % 8 != 0 ||
        !read_ranges(series, (const char *)sqlite3_column_text(reader->row, missing)) ||
        series->received != size / 8) {
        series->received = 0;
        return false;
    }
    series->samples = alloc_zeroed(size);
    for (size_t i = 0; i < size; i++) {
        series->samples[i / 8] =
            (int64_t)((uint64_t)series->samples[i / 8] | (uint64_t)bytes[i] << (i % 8 * 8));
    }
    return !run_series_whole(series) || run_series_crc(series) == series->crc;
}

static bool read_series(struct reader *reader)
{
    struct run_bench *bench = bench_at(reader);
    const char *name = text_at(reader, 2);
    const uint64_t n = unsigned_at(reader, 6);

    if (bench == NULL || name == NULL || n > UINT32_MAX) {
        return false;
    }
    struct run_series *series = run_add_series(bench);

    series->name = name;
    series->unit = text_at(reader, 3);
    series->of = text_at(reader, 4);
    series->event = text_at(reader, 5);
    series->n = (uint32_t)n;
    series->stream = (uint16_t)unsigned_at(reader, 12);
    series->nominal = integer_at(reader, 13);
    series->crc = (uint32_t)unsigned_at(reader, 14);
    return (series->of == NULL) == (series->event == NULL) && read_samples(reader, series, 15, 16);
}

/* A number of 32 bits. False where it is none. */
static bool number_at(struct reader *reader, int column, uint32_t *value)
{
    const int64_t number = integer_at(reader, column);

    *value = (uint32_t)number;
    return sqlite3_column_type(reader->row, column) == SQLITE_INTEGER && number >= 0 &&
           number <= UINT32_MAX;
}

/* The same where NULL says that there is none. */
static bool optional_at(struct reader *reader, int column, bool *present, uint32_t *value)
{
    *present = sqlite3_column_type(reader->row, column) != SQLITE_NULL;
    return !*present || number_at(reader, column, value);
}

static bool read_object(struct reader *reader)
{
    struct run_bench *bench = bench_at(reader);
    struct run_object object = {.kind = text_at(reader, 2), .name = text_at(reader, 4)};

    if (bench == NULL || object.kind == NULL || object.name == NULL ||
        !number_at(reader, 3, &object.id) ||
        !optional_at(reader, 5, &object.has_process, &object.process) ||
        !optional_at(reader, 6, &object.has_priority, &object.priority)) {
        return false;
    }
    *run_add_object(bench) = object;
    return true;
}

static bool read_costs(struct reader *reader, int column, struct run_trace_costs *costs)
{
    return number_at(reader, column, &costs->record) &&
           number_at(reader, column + 1, &costs->lead) &&
           number_at(reader, column + 2, &costs->extended) &&
           number_at(reader, column + 3, &costs->isr_lead) &&
           number_at(reader, column + 4, &costs->isr_trail) &&
           number_at(reader, column + 5, &costs->dpc_trail) &&
           number_at(reader, column + 6, &costs->switch_trail);
}

/* Whole packets, no more than there should be, and what they were when they were written. The last
 * columns are the CRC, length and type of the BLOB, and its row. */
static bool read_packets(struct reader *reader, int column, struct run_trace *trace)
{
    const uint64_t length = unsigned_at(reader, column + 1);
    const char *type = (const char *)sqlite3_column_text(reader->row, column + 2);
    uint32_t expected;
    uint32_t crc;

    trace->packets = stored_bytes(reader->database, integer_at(reader, column + 3), length);
    return number_at(reader, column, &expected) && type != NULL && strcmp(type, "blob") == 0 &&
           trace->packet_bytes == TRACE_PACKET_BYTES && length % TRACE_PACKET_BYTES == 0 &&
           length <= trace->claimed && trace_bytes_crc(trace->packets, &crc) && crc == expected;
}

static bool read_trace(struct reader *reader)
{
    struct run_bench *bench = bench_at(reader);
    uint32_t stream;

    if (bench == NULL) {
        return false;
    }
    struct run_trace *trace = run_add_trace(bench);

    trace->mode = text_at(reader, 4);
    trace->begin = unsigned_at(reader, 6);
    trace->end = unsigned_at(reader, 7);
    trace->kept = unsigned_at(reader, 9);
    trace->discarded = unsigned_at(reader, 10);
    trace->overwritten = unsigned_at(reader, 11);
    trace->claimed = unsigned_at(reader, 19);
    if (trace->mode == NULL || !number_at(reader, 2, &trace->part) ||
        !number_at(reader, 3, &stream) || stream > UINT16_MAX ||
        !number_at(reader, 5, &trace->cpu) || !number_at(reader, 8, &trace->packet_bytes) ||
        !read_costs(reader, 12, &trace->costs)) {
        return false;
    }
    trace->stream = (uint16_t)stream;
    return read_packets(reader, 20, trace);
}

static bool read_crash(struct reader *reader)
{
    struct run *run = reader->run;
    const uint64_t number = unsigned_at(reader, 0);

    if (number > run->crash_count) {
        return false;
    }
    if (number == run->crash_count) {
        run_add_crash(run);
    }
    run_add_pair(run, &run->crashes[number].fields, text_at(reader, 1), text_at(reader, 2));
    return true;
}

static bool read_backtrace(struct reader *reader)
{
    const uint64_t number = unsigned_at(reader, 0);

    if (number >= reader->run->crash_count) {
        return false;
    }
    const struct run_backtrace frame = {unsigned_at(reader, 1), text_at(reader, 2),
                                        text_at(reader, 3), text_at(reader, 4)};

    *run_add_backtrace(&reader->run->crashes[number]) = frame;
    return true;
}

static bool read_interrupt(struct reader *reader)
{
    const struct run_interrupt interrupt = {unsigned_at(reader, 0), text_at(reader, 1),
                                            unsigned_at(reader, 2), text_at(reader, 3)};

    *run_add_interrupt(reader->run) = interrupt;
    return true;
}

static bool read_error(struct reader *reader)
{
    run_add_text(reader->run, &reader->run->errors, text_at(reader, 0));
    return true;
}

static bool read_loss(struct reader *reader)
{
    run_add_text(reader->run, &reader->run->losses, text_at(reader, 0));
    return true;
}

/* Named, so that SQLite does not load the BLOB. */
static const char trace_columns[] =
    "bench, pass, part, stream, mode, cpu, begin_tsc, end_tsc, packet_bytes, kept, discarded, "
    "overwritten, record, lead, extended, isr_lead, isr_trail, dpc_trail, switch_trail, claimed, "
    "crc, length(packets), typeof(packets), rowid";
static const char older_trace_columns[] =
    "bench, pass, part, stream, mode, cpu, begin_tsc, end_tsc, packet_bytes, kept, discarded, "
    "overwritten, record, lead, extended, isr_lead, isr_trail, isr_trail, switch_trail, claimed, "
    "crc, length(packets), typeof(packets), rowid";

static const struct {
    const char *table;
    bool (*read)(struct reader *reader);
    int columns;
    int since;            /* the schema that it came with */
    const char *selected; /* what is read of it; NULL: all */
    int changed;          /* in files of a schema before this: */
    const char *older;    /* what is read of it */
} tables[] = {
    {"run", read_run, 2, 1, NULL, 0, NULL},
    {"machine", read_machine, 2, 1, NULL, 0, NULL},
    {"source", read_source, 3, 1, NULL, 0, NULL},
    {"estimate", read_estimate, 5, 1, NULL, 0, NULL},
    {"verdict", read_verdict, 4, 1, NULL, 0, NULL},
    {"counter", read_counter, 5, 2, NULL, 0, NULL},
    {"event", read_event, 9, 2, NULL, 0, NULL},
    {"bench", read_bench, 8, 1, NULL, 2, "name, 1, family, summary, unit, estimate, state, reason"},
    {"expect", read_expect, 7, 5, NULL, 0, NULL},
    {"param", read_param, 5, 1, NULL, 2, "bench, 1, name, value, origin"},
    {"fact", read_fact, 5, 1, NULL, 2, "bench, 1, name, value, unit"},
    {"absent", read_absent, 4, 2, NULL, 0, NULL},
    {"series", read_series, 17, 1, NULL, 2,
     "bench, 1, name, unit, NULL, NULL, n, min, median, p99, p999, max, stream, nominal, crc, "
     "missing, samples"},
    {"object", read_object, 7, 3, NULL, 0, NULL},
    {"trace", read_trace, 24, 3, trace_columns, 4, older_trace_columns},
    {"crash", read_crash, 3, 1, NULL, 0, NULL},
    {"backtrace", read_backtrace, 5, 1, NULL, 0, NULL},
    {"interrupt", read_interrupt, 4, 1, NULL, 0, NULL},
    {"error", read_error, 1, 1, NULL, 0, NULL},
    {"loss", read_loss, 1, 1, NULL, 0, NULL},
};

static const char *selected_columns(size_t index, int64_t version)
{
    if (version < tables[index].changed) {
        return tables[index].older;
    }
    return tables[index].selected != NULL ? tables[index].selected : "*";
}

/* False with nothing in `error` where SQLite itself failed. */
static bool read_table(struct database *database, int64_t version, struct run *run, size_t index,
                       const char *path, char *error)
{
    struct reader reader = {.database = database, .run = run};
    char sql[384];

    if (version < tables[index].since) {
        return true;
    }
    snprintf(sql, sizeof(sql), "SELECT %s FROM %s ORDER BY rowid", selected_columns(index, version),
             tables[index].table);
    if (sqlite3_prepare_v2(database->db, sql, -1, &reader.row, NULL) != SQLITE_OK) {
        return false;
    }
    bool ok = sqlite3_column_count(reader.row) == tables[index].columns;

    while (ok && sqlite3_step(reader.row) == SQLITE_ROW) {
        ok = tables[index].read(&reader);
    }
    if (!ok) {
        snprintf(error, RUNFILE_ERROR_MAX, "%s is damaged: table %s does not hold what a run holds",
                 path, tables[index].table);
    }
    return sqlite3_finalize(reader.row) == SQLITE_OK && ok;
}

static bool pragma_integer(sqlite3 *db, const char *sql, int64_t *value)
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

/* Is the database ours, of a schema that is known, and intact? False with nothing in `error` where
 * SQLite itself failed. */
static bool check_database(sqlite3 *db, int64_t *version, const char *path, char *error)
{
    int64_t application = 0;
    sqlite3_stmt *statement;

    if (!pragma_integer(db, "PRAGMA application_id", &application) ||
        !pragma_integer(db, "PRAGMA user_version", version)) {
        return false;
    }
    if (application != RUNFILE_APPLICATION_ID) {
        snprintf(error, RUNFILE_ERROR_MAX, "%s is a database, but not a run file of tare", path);
        return false;
    }
    if (*version < 1 || *version > RUNFILE_SCHEMA_VERSION) {
        snprintf(error, RUNFILE_ERROR_MAX,
                 "%s is a run file of schema %" PRId64 ", and this tare knows schemas up to %d: "
                 "read it with a newer tare, or decode its log again",
                 path, *version, RUNFILE_SCHEMA_VERSION);
        return false;
    }
    if (sqlite3_prepare_v2(db, "PRAGMA quick_check", -1, &statement, NULL) != SQLITE_OK) {
        return false;
    }
    const bool intact = sqlite3_step(statement) == SQLITE_ROW &&
                        strcmp((const char *)sqlite3_column_text(statement, 0), "ok") == 0;

    sqlite3_finalize(statement);
    if (!intact) {
        snprintf(error, RUNFILE_ERROR_MAX, "%s is damaged: decode its log again", path);
    }
    return intact;
}

bool runfile_read(const char *path, struct run *run, char error[RUNFILE_ERROR_MAX])
{
    struct database *database;
    struct stat status;
    int64_t version = 0;

    error[0] = '\0';
    if (stat(path, &status) != 0) {
        snprintf(error, RUNFILE_ERROR_MAX, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode) || status.st_size == 0) {
        snprintf(error, RUNFILE_ERROR_MAX, "%s is %s, not a run file", path,
                 S_ISREG(status.st_mode) ? "empty" : "not a regular file");
        return false;
    }
    database = alloc_zeroed(sizeof(*database));
    database->users = 1;
    bool ok = sqlite3_open_v2(path, &database->db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
              check_database(database->db, &version, path, error);

    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && ok; i++) {
        ok = read_table(database, version, run, i, path, error);
    }
    if (!ok && error[0] == '\0') {
        snprintf(error, RUNFILE_ERROR_MAX, "%s is no run file: %s", path,
                 sqlite3_errmsg(database->db));
    }
    release(database);
    return ok;
}
