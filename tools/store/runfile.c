/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/store/runfile.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/link/names.h"
#include "kernel/trace/packet.h"
#include "tools/base/alloc.h"
#include "tools/base/clean_text.h"
#include "tools/base/partial_file.h"
#include "tools/base/spool.h"
#include "tools/base/trace_bytes.h"
#include "tools/run/records.h"
#include "tools/stats/statistics.h"
#include "tools/store/file_kind.h"
#include "tools/store/folded.h"
#include "tools/store/row_hash.h"
#include "tools/store/run_tables.h"
#include "tools/store/sqlite_rows.h"

#define MOST_BYTES        (UINT64_C(1) << 44) /* largest BLOB: as large as a database can be */
#define SAMPLE_BYTES      sizeof(int64_t)
#define SAMPLES_AT_ONCE   4096
#define SAMPLES_IN_MEMORY (8 << 20) /* bytes of samples in memory; further ones go to a file */
#define SAMPLES_SMALL     65536     /* series with at most this many bytes always stay in memory */

/* ---- writing ---- */

static bool execute(sqlite3 *db, const char *sql)
{
    return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static bool set_version(sqlite3 *db, int version)
{
    char sql[SQL_TABLE_MAX];

    snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", version);
    return execute(db, sql);
}

static bool create_tables(sqlite3 *db, bool folds)
{
    char sql[SQL_TABLE_MAX];
    bool ok = true;

    snprintf(sql, sizeof(sql),
             "PRAGMA page_size = 4096; PRAGMA encoding = 'UTF-8'; PRAGMA auto_vacuum = NONE;"
             "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;"
             "PRAGMA application_id = %d",
             RUNFILE_APPLICATION_ID);
    ok = execute(db, sql) && set_version(db, folds ? RUNFILE_SCHEMA_VERSION : RUNFILE_SCHEMA_PLAIN);
    for (size_t i = 0; i < RUN_TABLE_COUNT && ok; i++) {
        sql_table_text(&run_tables[i], sqlite_types, "", sql);
        ok = execute(db, sql);
    }
    return ok;
}

struct file_sink {
    struct row_sink sink;
    struct sqlite_rows rows;
    struct content_hash hash;
    struct spool *spool; /* holds folded bytes; NULL: bytes are not folded */
};

/* Adds a row with its bytes, which are in the last column, folded. */
static bool add_folded(struct file_sink *file, const struct run_table *table,
                       const struct cell *cells)
{
    const bool is_trace = strcmp(table->name, RECORD_TRACE) == 0;
    const size_t last = table->count - 1;
    struct cell folded[RUN_TABLE_COLUMNS_MAX];

    memcpy(folded, cells, table->count * sizeof(*cells));
    folded[last].bytes =
        folded_make(cells[last].bytes, is_trace ? FOLDED_PACKETS : FOLDED_SAMPLES, file->spool);
    if (folded[last].bytes == NULL) {
        const char *reason = spool_error(file->spool);

        snprintf(file->sink.error, ROW_ERROR_MAX, "table %s: %.200s", table->name,
                 reason != NULL ? reason : "bytes cannot be read back");
        return false;
    }
    const bool ok = sqlite_add_row(&file->rows, table, NULL, 0, folded, file->sink.error);

    trace_bytes_close(folded[last].bytes);
    return ok;
}

static bool add_row(struct row_sink *sink, const struct run_table *table, const struct cell *cells)
{
    struct file_sink *file = (struct file_sink *)sink;

    content_hash_row(&file->hash, table, cells);
    if (file->spool != NULL && table->columns[table->count - 1].type == COLUMN_BYTES) {
        return add_folded(file, table, cells);
    }
    return sqlite_add_row(&file->rows, table, NULL, 0, cells, sink->error);
}

/* Adds the hash of all rows if they were `produced`. */
static bool add_content(struct file_sink *file, bool produced)
{
    char content[SHA256_TEXT];
    const struct cell cells[] = {{.present = true, .text = CONTENT_KEY},
                                 {.present = true, .text = content}};

    content_hash_end(&file->hash, content);
    return produced &&
           sqlite_add_row(&file->rows, &run_tables[0], NULL, 0, cells, file->sink.error);
}

/* Writes the rows. Returns false with an empty `error` if SQLite failed. */
static bool write_rows(sqlite3 *db, bool folds, runfile_producer *produce, void *context,
                       char error[ROW_ERROR_MAX])
{
    struct file_sink file = {.sink = {.add = add_row, .most_bytes = MOST_BYTES},
                             .rows = {.db = db, .splits = true},
                             .spool = folds ? spool_create() : NULL};

    content_hash_begin(&file.hash);
    const bool ok = add_content(&file, produce(context, &file.sink)) &&
                    (folds || !file.rows.has_pieces || set_version(db, RUNFILE_SCHEMA_PIECES));

    sqlite_rows_end(&file.rows);
    spool_release(file.spool);
    memcpy(error, file.sink.error, ROW_ERROR_MAX);
    return ok;
}

/* SQLite's message for an error of the file system does not name the cause, so errno's text is
 * used. */
static const char *sqlite_reason(sqlite3 *db)
{
    const int reason = sqlite3_errcode(db) == SQLITE_IOERR ? sqlite3_system_errno(db) : 0;

    return reason != 0 ? strerror(reason) : sqlite3_errmsg(db);
}

static bool write_database(const char *path, bool folds, runfile_producer *produce, void *context,
                           char *error)
{
    sqlite3 *db = NULL;
    char reason[ROW_ERROR_MAX] = "";
    bool ok = sqlite_open_file(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &db) &&
              create_tables(db, folds) && write_rows(db, folds, produce, context, reason) &&
              execute(db, "COMMIT");

    if (!ok) {
        snprintf(error, RUNFILE_ERROR_MAX, "cannot write %s: %s", path,
                 reason[0] != '\0' ? reason : sqlite_reason(db));
    }
    return sqlite3_close(db) == SQLITE_OK && ok;
}

static bool write_file(const char *path, bool folds, runfile_producer *produce, void *context,
                       char error[RUNFILE_ERROR_MAX])
{
    struct partial_file file;

    if (!partial_file_begin(&file, path, error)) {
        return false;
    }
    if (!write_database(file.name, folds, produce, context, error)) {
        partial_file_discard(&file);
        return false;
    }
    return partial_file_commit(&file, error);
}

bool runfile_write_rows(const char *path, runfile_producer *produce, void *context,
                        char error[RUNFILE_ERROR_MAX])
{
    return write_file(path, false, produce, context, error);
}

static bool create_derived(sqlite3 *db, const struct run_derived *derived)
{
    char sql[SQL_VIEW_MAX];
    bool ok = true;

    for (size_t i = 0; i < derived->table_count && ok; i++) {
        sql_table_text(&derived->tables[i], sqlite_types, "", sql);
        ok = execute(db, sql);
    }
    for (size_t i = 0; ok && derived->view(i, "", sql); i++) {
        ok = execute(db, sql);
    }
    return ok;
}

static bool produce_run(void *run, struct row_sink *sink)
{
    const struct run_derived *derived = run_derived();
    struct file_sink *file = (struct file_sink *)sink;

    return run_tables_write(run, sink) &&
           (derived == NULL ||
            (create_derived(file->rows.db, derived) && derived->write(run, sink)));
}

bool runfile_write(const char *path, struct run *run, char error[RUNFILE_ERROR_MAX])
{
    return write_file(path, true, produce_run, run, error);
}

bool runfile_write_plain(const char *path, struct run *run, char error[RUNFILE_ERROR_MAX])
{
    return write_file(path, false, produce_run, run, error);
}

/* ---- reading ---- */

/* The open file, as long as the run or one of its BLOBs refers to it. */
struct database {
    sqlite3 *db;
    int64_t version; /* schema version */
    struct blob_index pieces;
    uint64_t in_memory;        /* bytes of samples that are in memory */
    struct content_hash hash;  /* of the rows so far */
    char content[SHA256_TEXT]; /* hash that the file has; "": none */
    uint32_t as_written;       /* bits of the tables whose SQL is exactly that of this tare */
    unsigned users;
};
_Static_assert(RUN_TABLE_COUNT <= 32, "a bit each");

static void release(struct database *database)
{
    if (--database->users == 0) {
        blob_index_free(&database->pieces);
        sqlite3_close(database->db);
        free(database);
    }
}

/* Packets or samples in a BLOB, which is opened at the first read. */
struct stored_bytes {
    struct trace_bytes bytes;
    struct database *database;
    struct blob_reader reader;
};

static bool stored_read(struct trace_bytes *bytes, uint64_t offset, void *to, size_t size)
{
    struct stored_bytes *stored = (struct stored_bytes *)bytes;

    return offset <= bytes->length && size <= bytes->length - offset &&
           blob_reader_read(&stored->reader, offset, to, size);
}

static void stored_close(struct trace_bytes *bytes)
{
    struct stored_bytes *stored = (struct stored_bytes *)bytes;

    blob_reader_close(&stored->reader);
    release(stored->database);
    free(stored);
}

/* Makes the byte source of a BLOB. `first` is the number of bytes in the row's own BLOB. Returns
 * NULL if folded bytes are damaged, or the raw bytes do not have this CRC (NULL: any). */
static struct trace_bytes *stored_bytes(struct database *database, bool is_trace, int64_t row,
                                        uint64_t first, const uint32_t *crc)
{
    struct stored_bytes *stored = alloc_zeroed(sizeof(*stored));
    const struct blob_rest *rest = blob_index_find(&database->pieces, is_trace, row);
    uint32_t found;

    stored->bytes = (struct trace_bytes){.length = first + (rest != NULL ? rest->bytes : 0),
                                         .read = stored_read,
                                         .close = stored_close};
    stored->database = database;
    stored->reader = (struct blob_reader){database->db, is_trace, row, rest, NULL, NULL, 0};
    database->users++;
    if (database->version == RUNFILE_SCHEMA_VERSION) {
        return folded_open(&stored->bytes, is_trace ? FOLDED_PACKETS : FOLDED_SAMPLES, crc);
    }
    if (crc == NULL || (trace_bytes_crc(&stored->bytes, &found) && found == *crc)) {
        return &stored->bytes;
    }
    stored_close(&stored->bytes);
    return NULL;
}

struct reader {
    struct database *database;
    struct run *run;
    const struct run_record *form; /* record whose fields are the table's columns; NULL: none */
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

/* Returns a pass, or 0 if the value is not valid. */
static uint32_t pass_at(struct reader *reader, int column)
{
    const int64_t pass = integer_at(reader, column);

    return pass > 0 && pass <= UINT32_MAX ? (uint32_t)pass : 0;
}

/* Returns the bench that the first two columns name. */
static struct run_bench *bench_at(struct reader *reader)
{
    const char *name = (const char *)sqlite3_column_text(reader->row, 0);

    return name != NULL ? run_find_pass(reader->run, name, pass_at(reader, 1)) : NULL;
}

/* Readers, one for each table, called for each row in the order of writing. They return false if
 * the row cannot have been written by tare. */

static bool read_run(struct reader *reader)
{
    struct run *run = reader->run;
    const char *key = text_at(reader, 0);
    const char *value = text_at(reader, 1);

    if (key == NULL || run->info.count == RUN_PAIRS_MAX) {
        return false;
    }
    if (strcmp(key, CONTENT_KEY) == 0) {
        snprintf(reader->database->content, SHA256_TEXT, "%s", value != NULL ? value : "");
    } else if (strcmp(key, "plan.source") == 0) {
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

    if (name == NULL || reader->run->machine.count == RUN_PAIRS_MAX) {
        return false;
    }
    run_add_pair(reader->run, &reader->run->machine, name, text_at(reader, 1));
    return true;
}

/* Fills in an item or a bench from the columns starting at `column`. */
static bool read_fields(struct reader *reader, const struct run_record *form, int column,
                        void *item)
{
    bool ok = true;

    for (size_t i = 0; i < form->count && ok; i++, column++) {
        struct run_value value = {.present =
                                      sqlite3_column_type(reader->row, column) != SQLITE_NULL};

        if (run_field_is_text(&form->field[i])) {
            value.text = text_at(reader, column);
        } else {
            value.number = integer_at(reader, column);
        }
        ok = run_field_set(&form->field[i], item, &value);
    }
    return ok;
}

/* Reads an item of the owner from the columns starting at `column`. */
static bool read_item(struct reader *reader, int column, void *owner)
{
    const struct run_record *form = reader->form;
    union run_item item = {0};

    return owner != NULL && read_fields(reader, form, column, &item) &&
           run_item_take(form, owner, &item) != RUN_REFUSED;
}

static bool read_of_run(struct reader *reader)
{
    return read_item(reader, 0, reader->run);
}

static bool read_of_bench(struct reader *reader)
{
    return read_item(reader, 2, bench_at(reader));
}

static bool read_bench(struct reader *reader)
{
    const char *name = text_at(reader, 0);
    const uint32_t pass = pass_at(reader, 1);

    if (name == NULL || pass == 0 || reader->run->bench_count == RUN_BENCHES_MAX ||
        run_find_pass(reader->run, name, pass) != NULL) {
        return false;
    }
    struct run_bench *bench = run_add_bench(reader->run, name);

    bench->pass = pass;
    return read_fields(reader, &run_bench_record, 2, bench) &&
           read_fields(reader, &run_status_record, 2 + (int)run_bench_record.count, bench);
}

/* Parses a number. Does not use sscanf(), which looks for the end of the whole text each time. A
 * number that is too large becomes the limit of the type. */
static bool take_number(const char **text, uint64_t *number)
{
    char *end;

    if (**text < '0' || **text > '9') {
        return false;
    }
    *number = strtoull(*text, &end, 10);
    *text = end;
    return true;
}

static bool take_range(const char **text, uint64_t *first, uint64_t *last)
{
    if (!take_number(text, first) || strncmp(*text, "..", 2) != 0) {
        return false;
    }
    *text += 2;
    if (!take_number(text, last)) {
        return false;
    }
    *text += **text == ',' ? 1 : 0;
    return true;
}

/* Computes the ranges of samples that are present from those that are missing. Returns false if
 * `text` is malformed. */
static bool read_ranges(struct run_series *series, const char *text)
{
    size_t capacity = 0;
    uint64_t next = 0;

    while (next < series->n) {
        uint64_t first = series->n;
        uint64_t last = series->n;

        if (text != NULL && *text != '\0' &&
            (!take_range(&text, &first, &last) || first < next || last < first ||
             last >= series->n)) {
            return false;
        }
        if (first > next) {
            *ALLOC_NEXT(series->ranges, series->range_count, capacity) =
                (struct run_range){(uint32_t)next, (uint32_t)(first - next)};
            series->received += first - next;
        }
        next = last + 1;
    }
    return text == NULL || *text == '\0';
}

/* Reads a number of 32 bits. Returns false if the value is none. */
static bool number_at(struct reader *reader, int column, uint32_t *value)
{
    const int64_t number = integer_at(reader, column);

    *value = (uint32_t)number;
    return sqlite3_column_type(reader->row, column) == SQLITE_INTEGER && number >= 0 &&
           number <= UINT32_MAX;
}

/* Loads samples. If there are many in all series together, most go to a file. */
static bool load_samples(struct database *database, struct trace_bytes *bytes,
                         struct run_series *series)
{
    const bool in_file =
        bytes->length > SAMPLES_SMALL && database->in_memory + bytes->length > SAMPLES_IN_MEMORY;

    struct samples_writer writer;
    int64_t samples[SAMPLES_AT_ONCE];
    bool ok = true;

    database->in_memory += in_file ? 0 : bytes->length;
    samples_open(&writer, in_file);
    for (uint64_t at = 0, part; at < bytes->length && ok; at += part) {
        part = bytes->length - at < sizeof(samples) ? bytes->length - at : sizeof(samples);
        ok = bytes->read(bytes, at, samples, part) &&
             samples_add(&writer, samples, part / SAMPLE_BYTES);
    }
    return samples_close(&writer, series) && ok;
}

/* Reads the samples, given the columns `missing` and the type of the BLOB. */
static bool read_stored(struct reader *reader, struct run_series *series, int column,
                        struct trace_bytes *bytes)
{
    const uint64_t size = bytes->length;
    const char *type = (const char *)sqlite3_column_text(reader->row, column + 2);

    if (type == NULL || strcmp(type, "blob") != 0 || size % SAMPLE_BYTES != 0 ||
        !read_ranges(series, (const char *)sqlite3_column_text(reader->row, column)) ||
        series->received != size / SAMPLE_BYTES) {
        series->received = 0;
        return false;
    }
    return load_samples(reader->database, bytes, series) &&
           (!run_series_whole(series) || run_series_crc(series) == series->crc);
}

static bool holds(struct reader *reader, int column, bool present, int64_t value)
{
    return (sqlite3_column_type(reader->row, column) != SQLITE_NULL) == present &&
           (!present || integer_at(reader, column) == value);
}

static void forget(void *series, size_t first, size_t count)
{
    samples_forget(series, first, count);
}

/* Are the statistics, from `column` on, those of the samples? Queries by other programs read them.
 */
static bool check_statistics(struct reader *reader, struct run_series *series, int column)
{
    struct statistics s;

    statistics_of_stretches(series->samples, series->received, forget, series, &s);
    const bool any = s.n > 0;

    return holds(reader, column, any, s.min) && holds(reader, column + 1, any, s.median) &&
           holds(reader, column + 2, any && s.has_p99, s.p99) &&
           holds(reader, column + 3, any && s.has_p999, s.p999) &&
           holds(reader, column + 4, any, s.max);
}

/* Reads the samples, given the columns `missing`, length and type of the BLOB, and its row. */
static bool read_samples(struct reader *reader, struct run_series *series, int column)
{
    struct trace_bytes *bytes =
        stored_bytes(reader->database, false, integer_at(reader, column + 3),
                     unsigned_at(reader, column + 1), NULL);
    const bool read = bytes != NULL && read_stored(reader, series, column, bytes);

    trace_bytes_close(bytes);
    return read;
}

static bool read_series(struct reader *reader)
{
    struct run_bench *bench = bench_at(reader);
    const char *name = text_at(reader, 2);
    const uint64_t n = unsigned_at(reader, 6);

    uint32_t stream;
    uint32_t crc;

    if (bench == NULL || name == NULL || n > UINT32_MAX || bench->series_count == RUN_SERIES_MAX ||
        run_find_series(bench, name) != NULL || !number_at(reader, 12, &stream) ||
        stream > UINT16_MAX || !number_at(reader, 14, &crc)) {
        return false;
    }
    struct run_series *series = run_add_series(bench);

    series->name = name;
    series->unit = text_at(reader, 3);
    series->of = text_at(reader, 4);
    series->event = text_at(reader, 5);
    series->n = (uint32_t)n;
    series->stream = (uint16_t)stream;
    series->nominal = integer_at(reader, 13);
    series->crc = crc;
    return (series->of == NULL) == (series->event == NULL) && read_samples(reader, series, 15) &&
           check_statistics(reader, series, 7);
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

/* Reads the packets: they must be whole, not more than there should be, and match their CRC. The
 * last columns are the CRC, length and type of the BLOB, and its row. */
static bool read_packets(struct reader *reader, int column, struct run_trace *trace)
{
    const char *type = (const char *)sqlite3_column_text(reader->row, column + 2);
    uint32_t crc;

    if (!number_at(reader, column, &crc) || type == NULL || strcmp(type, "blob") != 0) {
        return false;
    }
    trace->packets = stored_bytes(reader->database, true, integer_at(reader, column + 3),
                                  unsigned_at(reader, column + 1), &crc);
    return trace->packets != NULL && trace->packet_bytes == TRACE_PACKET_BYTES &&
           trace->packets->length % TRACE_PACKET_BYTES == 0 &&
           trace->packets->length <= trace->claimed;
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
        !number_at(reader, 5, &trace->cpu) ||
        !run_trace_follows(bench, bench->trace_count - 1, trace) ||
        trace->kept > trace->claimed / TRACE_HEADER_COMPACT || !number_at(reader, 3, &stream) ||
        stream > UINT16_MAX || !number_at(reader, 8, &trace->packet_bytes) ||
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
    struct run *run = reader->run;

    return read_item(reader, 1, number < run->crash_count ? &run->crashes[number] : NULL);
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

/* Columns are named, so that SQLite does not load the BLOBs. */
static const char series_columns[] =
    "bench, pass, name, unit, of, event, n, min, median, p99, p999, max, stream, nominal, crc, "
    "missing, length(samples), typeof(samples), rowid";
static const char trace_columns[] =
    "bench, pass, part, stream, mode, cpu, begin_tsc, end_tsc, packet_bytes, kept, discarded, "
    "overwritten, record, lead, extended, isr_lead, isr_trail, dpc_trail, switch_trail, claimed, "
    "crc, length(packets), typeof(packets), rowid";

/* In the order of run_tables. */
static const struct {
    bool (*read)(struct reader *reader);
    const char *selected; /* columns that are read; NULL: all */
} tables[RUN_TABLE_COUNT] = {
    {read_run, NULL},
    {read_machine, NULL},
    {read_of_run, NULL}, /* source, estimate, verdict, counter, counter_event */
    {read_of_run, NULL},
    {read_of_run, NULL},
    {read_of_run, NULL},
    {read_of_run, NULL},
    {read_bench, NULL},
    {read_of_bench, NULL}, /* expect, param, fact, absent */
    {read_of_bench, NULL},
    {read_of_bench, NULL},
    {read_of_bench, NULL},
    {read_series, series_columns},
    {read_of_bench, NULL}, /* object */
    {read_trace, trace_columns},
    {read_crash, NULL},
    {read_backtrace, NULL},
    {read_of_run, NULL}, /* interrupt */
    {read_error, NULL},
    {read_loss, NULL},
};

/* Has each column of the row its type? SQLite keeps any value in any column, and converts a text or
 * NULL to 0 if a number is requested. Columns with BLOBs are checked elsewhere. */
static bool has_types(sqlite3_stmt *row, const struct run_table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct column *column = &table->columns[i];
        const int type = sqlite3_column_type(row, (int)i);
        const int wanted = column->type == COLUMN_INTEGER ? SQLITE_INTEGER : SQLITE_TEXT;

        if (column->type != COLUMN_BYTES && type != wanted &&
            (type != SQLITE_NULL || column->required)) {
            return false;
        }
    }
    return true;
}

/* Notes which tables the schema creates with exactly the SQL of this tare. A table created
 * otherwise must be examined separately, which takes as long as reading it. */
static bool note_tables(struct database *database)
{
    char known[SQL_TABLE_MAX];
    sqlite3_stmt *row;

    if (sqlite3_prepare_v2(database->db, "SELECT name, sql FROM sqlite_schema WHERE type = 'table'",
                           -1, &row, NULL) != SQLITE_OK) {
        return false;
    }
    while (sqlite3_step(row) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(row, 0);
        const char *sql = (const char *)sqlite3_column_text(row, 1);

        for (size_t i = 0; i < RUN_TABLE_COUNT && name != NULL && sql != NULL; i++) {
            if (strcmp(name, run_tables[i].name) == 0) {
                sql_table_text(&run_tables[i], sqlite_types, "", known);
                database->as_written |= strcmp(sql, known) == 0 ? UINT32_C(1) << i : 0;
            }
        }
    }
    return sqlite3_finalize(row) == SQLITE_OK;
}

/* Hashes a row, except the one with the hash. */
static void hash_row(struct reader *reader, const struct run_table *table)
{
    struct cell cells[RUN_TABLE_COLUMNS_MAX] = {0};

    for (size_t i = 0; i < table->count; i++) {
        const int column = (int)i;

        cells[i].present = sqlite3_column_type(reader->row, column) != SQLITE_NULL;
        if (table->columns[i].type == COLUMN_TEXT) {
            cells[i].text = (const char *)sqlite3_column_text(reader->row, column);
        } else {
            cells[i].integer = integer_at(reader, column);
        }
    }
    if (table != &run_tables[0] || cells[0].text == NULL ||
        strcmp(cells[0].text, CONTENT_KEY) != 0) {
        content_hash_row(&reader->database->hash, table, cells);
    }
}

/* Does the file have the rows that tare wrote? One with a sealed run and without a hash of its rows
 * was changed too. */
static bool check_content(const struct database *database, const struct run *run,
                          const char content[SHA256_TEXT], const char *path, char *error)
{
    const bool sealed = run_pair_value(&run->info, INFO_SEAL) != NULL;

    if (strcmp(database->content, content) == 0 || (database->content[0] == '\0' && !sealed)) {
        return true;
    }
    snprintf(
        error, RUNFILE_ERROR_MAX,
        "%s was changed after tare wrote it: expected content %.64s, got %.64s: decode its log "
        "again",
        path, database->content[0] != '\0' ? database->content : "of a sealed run", content);
    return false;
}

/* Reads a table. Returns false with an empty `error` if SQLite itself failed. */
static bool read_table(struct database *database, struct run *run, size_t index, const char *path,
                       char *error)
{
    const char *name = run_tables[index].name;
    struct reader reader = {.database = database, .run = run, .form = run_tables[index].record};
    char sql[384];

    snprintf(sql, sizeof(sql), "SELECT %s FROM %s ORDER BY rowid",
             tables[index].selected != NULL ? tables[index].selected : "*", name);
    if ((database->as_written >> index & 1) == 0 && !sqlite_is_plain_table(database->db, name)) {
        snprintf(error, RUNFILE_ERROR_MAX, "%s is damaged: it has no table %s", path, name);
        return false;
    }
    if (sqlite3_prepare_v2(database->db, sql, -1, &reader.row, NULL) != SQLITE_OK) {
        return false;
    }
    bool ok = tables[index].selected != NULL ||
              sqlite3_column_count(reader.row) == (int)run_tables[index].count;

    while (ok && sqlite3_step(reader.row) == SQLITE_ROW) {
        ok = has_types(reader.row, &run_tables[index]);
        if (ok) {
            hash_row(&reader, &run_tables[index]);
            ok = tables[index].read(&reader);
        }
    }
    if (!ok) {
        snprintf(error, RUNFILE_ERROR_MAX,
                 "%s is damaged: table %s contains values that no run has", path, name);
    }
    return sqlite3_finalize(reader.row) == SQLITE_OK && ok;
}

/* Is the database one of tare's, of a known schema, and intact? Returns false with an empty `error`
 * if SQLite itself failed. */
static bool check_database(struct database *database, const char *path, char *error)
{
    sqlite3 *db = database->db;
    int64_t application = 0;
    sqlite3_stmt *statement;

    if (!sqlite_query_integer(db, "PRAGMA application_id", &application) ||
        !sqlite_query_integer(db, "PRAGMA user_version", &database->version)) {
        return false;
    }
    if (application != RUNFILE_APPLICATION_ID) {
        file_kind_no_run(path, error);
        return false;
    }
    if (database->version < RUNFILE_SCHEMA_PLAIN || database->version > RUNFILE_SCHEMA_VERSION) {
        snprintf(error, RUNFILE_ERROR_MAX,
                 "%s is a run file of schema %" PRId64
                 ", but this tare reads schemas %d to %d: use %s",
                 path, database->version, RUNFILE_SCHEMA_PLAIN, RUNFILE_SCHEMA_VERSION,
                 database->version > RUNFILE_SCHEMA_VERSION ? "a newer tare"
                                                            : "an older tare, or decode its log "
                                                              "again");
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

static bool read_index(struct database *database, const char *path, char *error)
{
    if (!blob_index_read(&database->pieces, database->db)) {
        snprintf(error, RUNFILE_ERROR_MAX,
                 "%s is damaged: table piece contains values that no run has", path);
    }
    return error[0] == '\0';
}

/* Reads in one transaction, because locking for every statement takes as long as reading. */
static bool read_database(struct database *database, struct run *run, const char *path, char *error)
{
    char content[SHA256_TEXT];
    bool ok = sqlite_distrust(database->db, false) && execute(database->db, "BEGIN") &&
              check_database(database, path, error) && read_index(database, path, error) &&
              note_tables(database);

    content_hash_begin(&database->hash);
    for (size_t i = 0; i < RUN_TABLE_COUNT && ok; i++) {
        ok = read_table(database, run, i, path, error);
    }
    content_hash_end(&database->hash, content);
    return ok && execute(database->db, "COMMIT") &&
           check_content(database, run, content, path, error);
}

bool runfile_read(const char *path, struct run *run, char error[RUNFILE_ERROR_MAX])
{
    struct database *database;
    struct stat status;

    error[0] = '\0';
    if (stat(path, &status) != 0) {
        snprintf(error, RUNFILE_ERROR_MAX, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    const enum file_kind kind = file_kind_of(path);

    if (kind != FILE_RUN) {
        file_kind_no_run(path, error);
        return false;
    }
    database = alloc_zeroed(sizeof(*database));
    database->users = 1;
    const bool ok = sqlite_open_file(path, SQLITE_OPEN_READONLY, &database->db) &&
                    read_database(database, run, path, error);

    if (!ok && error[0] == '\0') {
        snprintf(error, RUNFILE_ERROR_MAX, "%s is damaged (%s): decode its log again", path,
                 sqlite3_errmsg(database->db));
        clean_text(error, false); /* the message may contain names of tables with any characters */
    }
    release(database);
    return ok;
}
