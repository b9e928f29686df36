/* SPDX-License-Identifier: BSD-2-Clause */
/* The run file: the same run gives the same bytes, and comes back as it was. */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel/trace/packet.h"
#include "tools/base/alloc.h"
#include "tools/base/trace_bytes.h"
#include "tools/store/fleet.h"
#include "tools/store/runfile.h"
#include "tools/store/store.h"
#include "tools/tests/support/log_builder.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"
#include "tools/wire/decoder.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PAGE_BYTES   4096 /* of the file: the end of its last page may be unused */

static char directory[] = "/tmp/tare-unit-XXXXXX";

static const char *name_in_directory(const char *name, char path[128])
{
    snprintf(path, 128, "%s/%s", directory, name);
    return path;
}

typedef void log_maker(struct log_builder *log, size_t samples, uint64_t seed);

/* A run of a log from which every `lost`-th frame is missing (0: none), but END is there. */
static void make_run_of(log_maker *make, struct run *run, size_t samples, size_t lost)
{
    struct log_builder log;
    struct decoder *decoder = decoder_create();
    uint8_t wire[FRAME_WIRE_MAX];

    log_init(&log, FRAME_TEXT);
    make(&log, samples, 41);
    for (size_t i = 0; i < log.frame_count; i++) {
        if (lost == 0 || i % lost != lost - 1 || i + 1 == log.frame_count) {
            decoder_push(decoder, wire, frame_encode(&log.frames[i], FRAME_TEXT, wire));
        }
    }
    run_init(run);
    decoder_finish(decoder, run);
    decoder_destroy(decoder);
    log_free(&log);
}

static void make_run(struct run *run, size_t samples, size_t lost)
{
    make_run_of(log_plausible, run, samples, lost);
}

static char *slurp(const char *path, size_t *length)
{
    char *bytes = NULL;
    size_t capacity = 0;
    FILE *file = fopen(path, "rb");

    *length = 0;
    while (file != NULL && !feof(file)) {
        bytes = alloc_grow(bytes, &capacity, *length + 65536, 1);
        *length += fread(bytes + *length, 1, 65536, file);
    }
    if (file != NULL) {
        fclose(file);
    }
    return bytes;
}

static void spit(const char *path, const char *bytes, size_t length)
{
    FILE *file = fopen(path, "wb");

    CHECK(file != NULL && fwrite(bytes, 1, length, file) == length);
    if (file != NULL) {
        fclose(file);
    }
}

static bool files_equal(const char *left, const char *right)
{
    size_t left_length;
    size_t right_length;
    char *a = slurp(left, &left_length);
    char *b = slurp(right, &right_length);
    const bool equal =
        left_length > 0 && left_length == right_length && memcmp(a, b, left_length) == 0;

    free(a);
    free(b);
    return equal;
}

static bool texts_equal(const char *left, const char *right)
{
    return left == NULL || right == NULL ? left == right : strcmp(left, right) == 0;
}

static bool series_equal(const struct run_series *a, const struct run_series *b)
{
    return a->n == b->n && a->received == b->received && a->range_count == b->range_count &&
           a->stream == b->stream && a->nominal == b->nominal && a->crc == b->crc &&
           strcmp(a->name, b->name) == 0 && texts_equal(a->of, b->of) &&
           texts_equal(a->event, b->event) &&
           (a->received == 0 ||
            memcmp(a->samples, b->samples, a->received * sizeof(*a->samples)) == 0) &&
           (a->range_count == 0 ||
            memcmp(a->ranges, b->ranges, a->range_count * sizeof(*a->ranges)) == 0);
}

static bool expects_equal(const struct run_expect *a, const struct run_expect *b)
{
    return strcmp(a->series, b->series) == 0 && a->has_instructions == b->has_instructions &&
           a->has_value == b->has_value && a->instructions == b->instructions &&
           a->value == b->value && texts_equal(a->unit, b->unit) &&
           texts_equal(a->because, b->because);
}

static void check_same_expects(const struct run_bench *a, const struct run_bench *b)
{
    CHECK_EQUAL(a->expect_count, b->expect_count);
    for (size_t i = 0; i < a->expect_count && i < b->expect_count; i++) {
        CHECK(expects_equal(&a->expects[i], &b->expects[i]));
    }
}

static void check_same_samples(const struct run *a, const struct run *b)
{
    CHECK_EQUAL(a->bench_count, b->bench_count);
    for (size_t i = 0; i < a->bench_count && i < b->bench_count; i++) {
        CHECK_TEXT(a->benches[i].name, b->benches[i].name);
        CHECK_EQUAL(a->benches[i].pass, b->benches[i].pass);
        check_same_expects(&a->benches[i], &b->benches[i]);
        CHECK_EQUAL(a->benches[i].absent_count, b->benches[i].absent_count);
        CHECK_EQUAL(a->benches[i].fact_count, b->benches[i].fact_count);
        CHECK_EQUAL(a->benches[i].series_count, b->benches[i].series_count);
        for (size_t k = 0; k < a->benches[i].series_count && k < b->benches[i].series_count; k++) {
            CHECK(series_equal(&a->benches[i].series[k], &b->benches[i].series[k]));
        }
    }
}

static bool packets_equal(const struct run_trace *a, const struct run_trace *b)
{
    uint8_t left[TRACE_PACKET_BYTES];
    uint8_t right[TRACE_PACKET_BYTES];
    const uint64_t length = a->packets->length;

    if (b->packets->length != length) {
        return false;
    }
    for (uint64_t at = length; at > 0; at -= sizeof(left)) { /* from the end: in any order */
        if (!a->packets->read(a->packets, at - sizeof(left), left, sizeof(left)) ||
            !b->packets->read(b->packets, at - sizeof(right), right, sizeof(right)) ||
            memcmp(left, right, sizeof(left)) != 0) {
            return false;
        }
    }
    return !b->packets->read(b->packets, length, left, 1) &&
           !b->packets->read(b->packets, UINT64_MAX, left, 2);
}

static bool traces_equal(const struct run_trace *a, const struct run_trace *b)
{
    const struct run_trace_costs *left = &a->costs;
    const struct run_trace_costs *right = &b->costs;

    return a->stream == b->stream && a->part == b->part && texts_equal(a->mode, b->mode) &&
           a->cpu == b->cpu && a->begin == b->begin && a->end == b->end &&
           a->packet_bytes == b->packet_bytes && a->kept == b->kept &&
           a->discarded == b->discarded && a->overwritten == b->overwritten &&
           a->claimed == b->claimed && left->record == right->record && left->lead == right->lead &&
           left->extended == right->extended && left->isr_lead == right->isr_lead &&
           left->isr_trail == right->isr_trail && left->dpc_trail == right->dpc_trail &&
           left->switch_trail == right->switch_trail && packets_equal(a, b);
}

static bool objects_equal(const struct run_object *a, const struct run_object *b)
{
    return strcmp(a->kind, b->kind) == 0 && a->id == b->id && strcmp(a->name, b->name) == 0 &&
           a->has_process == b->has_process && a->has_priority == b->has_priority &&
           a->process == b->process && a->priority == b->priority;
}

static void check_same_traces(const struct run *a, const struct run *b)
{
    for (size_t i = 0; i < a->bench_count && i < b->bench_count; i++) {
        const struct run_bench *left = &a->benches[i];
        const struct run_bench *right = &b->benches[i];

        CHECK_EQUAL(left->object_count, right->object_count);
        for (size_t k = 0; k < left->object_count && k < right->object_count; k++) {
            CHECK(objects_equal(&left->objects[k], &right->objects[k]));
        }
        CHECK_EQUAL(left->trace_count, right->trace_count);
        for (size_t k = 0; k < left->trace_count && k < right->trace_count; k++) {
            CHECK(traces_equal(&left->traces[k], &right->traces[k]));
        }
    }
}

static void check_same_events(const struct run *a, const struct run *b)
{
    CHECK_EQUAL(a->counter_count, b->counter_count);
    for (size_t i = 0; i < a->counter_count && i < b->counter_count; i++) {
        CHECK_TEXT(a->counters[i].name, b->counters[i].name);
        CHECK_TEXT(a->counters[i].state, b->counters[i].state);
        CHECK_EQUAL(a->counters[i].width, b->counters[i].width);
        CHECK_TEXT(a->counters[i].found, b->counters[i].found);
        CHECK_TEXT(a->counters[i].reason, b->counters[i].reason);
    }
    CHECK_EQUAL(a->event_count, b->event_count);
    for (size_t i = 0; i < a->event_count && i < b->event_count; i++) {
        const struct run_event *left = &a->events[i];
        const struct run_event *right = &b->events[i];

        CHECK_EQUAL(left->pass, right->pass);
        CHECK(texts_equal(left->name, right->name) && texts_equal(left->state, right->state) &&
              texts_equal(left->counter, right->counter) && texts_equal(left->code, right->code) &&
              texts_equal(left->source, right->source) &&
              texts_equal(left->manual, right->manual) && texts_equal(left->note, right->note) &&
              texts_equal(left->reason, right->reason));
    }
}

typedef bool file_writer(const char *path, struct run *run, char error[RUNFILE_ERROR_MAX]);

/* Written in either form, read, written again: the same bytes, and the same samples. */
static void check_round_trip_of(struct run *run, file_writer *write)
{
    char plain[128];
    char first[128];
    char second[128];
    char error[RUNFILE_ERROR_MAX] = "";
    struct run back;

    name_in_directory("first.db", first);
    name_in_directory("second.db", second);
    CHECK(runfile_write(first, run, error));
    CHECK(write(name_in_directory("plain.db", plain), run, error));
    CHECK_TEXT(error, "");
    run_init(&back);
    CHECK(runfile_read(plain, &back, error));
    CHECK_TEXT(error, "");
    check_same_samples(run, &back);
    check_same_events(run, &back);
    check_same_traces(run, &back);
    CHECK_EQUAL(run->ended, back.ended);
    CHECK_EQUAL(run->losses.count, back.losses.count);
    CHECK_TEXT(run->plan_text, back.plan_text);
    CHECK(runfile_write(second, &back, error));
    CHECK(files_equal(first, second));
    run_free(&back);
}

static void check_round_trip(struct run *run)
{
    check_round_trip_of(run, runfile_write);
    check_round_trip_of(run, runfile_write_plain);
}

static void test_round_trips(void)
{
    struct run run;

    make_run(&run, 1200, 0);
    check_round_trip(&run);
    run_free(&run);
    make_run_of(log_counted, &run, 1200, 0);
    check_round_trip(&run);
    run_free(&run);
    make_run_of(log_counted, &run, 1200, 5);
    check_round_trip(&run);
    run_free(&run);
    make_run_of(log_traced, &run, 1200, 0);
    check_round_trip(&run);
    run_free(&run);
    make_run_of(log_traced, &run, 1200, 6);
    CHECK(run.benches[0].traces[0].packets->length < run.benches[0].traces[0].claimed);
    CHECK(run.benches[0].traces[0].packets->length > 0);
    check_round_trip(&run);
    run_free(&run);
    for (size_t lost = 1; lost < 12; lost++) {
        make_run(&run, 1200, lost);
        CHECK(run.losses.count > 0);
        check_round_trip(&run);
        run_free(&run);
    }
}

static void add_extreme_trace(struct run_bench *bench)
{
    *run_add_object(bench) = (struct run_object){
        .kind = "",
        .id = UINT32_MAX,
        .name = "\xc3\xbf",
        .has_process = true,
        .process = UINT32_MAX,
    };
    *run_add_trace(bench) = (struct run_trace){
        .stream = UINT16_MAX,
        .part = UINT32_MAX,
        .mode = "",
        .cpu = UINT32_MAX,
        .begin = 1,
        .end = UINT64_MAX,
        .packet_bytes = TRACE_PACKET_BYTES,
        .kept = (UINT64_MAX - TRACE_PACKET_BYTES + 1) / TRACE_HEADER_COMPACT,
        .discarded = UINT64_MAX - 1,
        .overwritten = UINT64_MAX - 2,
        .costs = {UINT32_MAX, 1, 2, 3, 4, UINT32_MAX - 1},
        .claimed = UINT64_MAX - TRACE_PACKET_BYTES + 1,
        .packets = trace_bytes_memory(NULL, 0),
    };
}

/* What no plausible log has: extremes, texts of any bytes, crashes, nothing at all. */
static void test_extremes(void)
{
    static const int64_t extremes[] = {INT64_MIN, INT64_MAX, 0, -1, 1};
    struct run run;

    run_init(&run);
    check_round_trip(&run);
    struct run_bench *bench = run_add_bench(&run, "b'\"\xff\n");

    bench->state = "CRASH";
    run_add_fact(bench)->name = "f";
    bench->facts[0].value = INT64_MIN;
    run_add_param(bench)->name = "";
    struct run_series *series = run_add_series(bench);

    series->name = "s";
    series->n = UINT32_MAX;
    series->received = 5;
    series->stream = UINT16_MAX;
    series->nominal = INT64_MIN;
    series->crc = UINT32_MAX;
    series->samples = alloc_zeroed(sizeof(extremes));
    memcpy(series->samples, extremes, sizeof(extremes));
    series->ranges = alloc_zeroed(2 * sizeof(*series->ranges));
    series->ranges[0] = (struct run_range){0, 1};
    series->ranges[1] = (struct run_range){UINT32_MAX - 4, 4};
    series->range_count = 2;
    series->of = "";
    series->event = "e";
    *run_add_absent(bench) = (struct run_absent){"", NULL};
    *run_add_expect(bench) = (struct run_expect){.series = ""};
    *run_add_expect(bench) =
        (struct run_expect){"s", true, true, INT64_MIN, INT64_MAX, "", "\xc3\xbf"};
    add_extreme_trace(bench);
    bench->pass = UINT32_MAX;
    *run_add_counter(&run) =
        (struct run_counter){.name = "c", .state = "", .width = UINT64_MAX, .found = ""};
    *run_add_event(&run) =
        (struct run_event){.name = "e", .state = "maybe", .pass = UINT32_MAX, .note = "\xc3\xbf"};
    struct run_source *source = run_add_source(&run);

    source->name = "x";
    source->hz = UINT64_MAX;
    for (int i = 0; i < 2; i++) {
        struct run_crash *crash = run_add_crash(&run);

        run_add_pair(&run, &crash->fields, "bench", "b");
        run_add_pair(&run, &crash->fields, "rip", NULL);
        run_add_frame(crash)->symbol = "main";
    }
    run_add_text(&run, &run.errors, "it broke");
    check_round_trip(&run);
    run_free(&run);
}

static void check_refused(const char *path, const char *part)
{
    char error[RUNFILE_ERROR_MAX] = "";
    struct run run;

    run_init(&run);
    CHECK(!runfile_read(path, &run, error));
    if (strstr(error, part) == NULL || strstr(error, path) == NULL || strchr(error, '\n') != NULL) {
        fprintf(stderr, "refused with: %s\n", error);
    }
    CHECK(strstr(error, part) != NULL && strstr(error, path) != NULL);
    CHECK(strchr(error, '\n') == NULL);
    run_free(&run);
}

static int schema_of(const char *path)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *row = NULL;

    CHECK_EQUAL(sqlite3_open(path, &db), SQLITE_OK);
    CHECK_EQUAL(sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &row, NULL), SQLITE_OK);
    CHECK_EQUAL(sqlite3_step(row), SQLITE_ROW);
    const int schema = sqlite3_column_int(row, 0);

    sqlite3_finalize(row);
    sqlite3_close(db);
    return schema;
}

static void alter(const char *path, const char *sql)
{
    sqlite3 *db = NULL;

    CHECK_EQUAL(sqlite3_open(path, &db), SQLITE_OK);
    CHECK_EQUAL(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* What makes a file no longer ours. */
static const struct {
    const char *sql;
    const char *part;
} alterations[] = {
    {"PRAGMA user_version = 10", "a newer tare"},
    {"PRAGMA user_version = 8", "table series"},
    {"PRAGMA user_version = 7", "table series"},
    {"PRAGMA user_version = 5", "an older tare"},
    {"PRAGMA user_version = 0", "schema 0"},
    {"PRAGMA user_version = -1", "schema -1"},
    {"PRAGMA application_id = 1", "not a run file"},
    {"DROP TABLE fact", "no table"},
    {"DROP TABLE absent", "no table"},
    {"DROP TABLE expect", "no table"},
    {"DROP TABLE object", "no table"},
    {"DROP TABLE trace", "no table"},
    {"ALTER TABLE trace DROP COLUMN crc", "no such column"},
    {"ALTER TABLE object ADD COLUMN more", "table object"},
    {"UPDATE bench SET pass = 0", "table bench"},
    {"UPDATE bench SET pass = 4294967296", "table bench"},
    {"UPDATE series SET pass = 2", "table series"},
    {"UPDATE series SET of = 'floor' WHERE rowid = 1", "table series"},
    {"UPDATE series SET event = 'cycles' WHERE rowid = 1", "table series"},
    {"INSERT INTO absent VALUES('none', 1, 'smi', NULL)", "table absent"},
    {"ALTER TABLE counter_event ADD COLUMN more", "table counter_event"},
    {"ALTER TABLE run ADD COLUMN more", "table run"},
    {"UPDATE series SET samples = x'00' WHERE rowid = 1", "table series"},
    {"UPDATE series SET missing = '5..2' WHERE rowid = 1", "table series"},
    {"UPDATE series SET missing = '5..' WHERE rowid = 1", "table series"},
    {"UPDATE series SET missing = '5,6' WHERE rowid = 1", "table series"},
    {"UPDATE series SET missing = '-1..-1' WHERE rowid = 1", "table series"},
    {"UPDATE series SET missing = '18446744073709551617..18446744073709551617' WHERE rowid = 1",
     "table series"},
    {"UPDATE series SET n = n + 1 WHERE rowid = 1", "table series"},
    {"UPDATE series SET crc = crc + 1 WHERE rowid = 1", "table series"},
    {"UPDATE param SET bench = 'none'", "table param"},
    {"INSERT INTO bench SELECT * FROM bench", "table bench"},
    {"PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE', "
     "name = 'ma' || char(10, 27) || 'hine' WHERE name = 'machine'",
     "malformed database schema (ma??hine)"},
};
static const char *const trace_changes[] = {
    "bench = 'none'",   "pass = 2",
    "part = -1",        "stream = 65536",
    "cpu = 'x'",        "packet_bytes = 4096",
    "packet_bytes = 0", "claimed = 16384",
    "crc = crc + 1",    "switch_trail = 4294967296",
    "lead = -1",        "packets = x'00'",
    "packets = ''",     "packets = substr(packets, 8193)",
    "packets = 'text'", "packets = zeroblob(length(packets))",
};
static const char *const expect_changes[] = {"bench = 'none'", "pass = 2",    "instructions = 'x'",
                                             "value = 1.5",    "unit = NULL", "value = NULL"};
static const char *const object_changes[] = {"bench = 'none'", "id = -1", "id = 4294967296",
                                             "process = 'x'", "priority = -1"};

/* Files that are none of ours, or ours no longer. */
static void test_foreign(void)
{
    char path[128];
    char error[RUNFILE_ERROR_MAX];
    struct run run;

    check_refused(name_in_directory("absent.db", path), "No such file");
    check_refused(directory, "is a directory, not a run file");
    name_in_directory("foreign.db", path);
    spit(path, "", 0);
    check_refused(path, "empty");
    spit(path, "hello, this is a text and no database at all\n", 45);
    check_refused(path, "is not a run file");
    make_run(&run, 100, 0);
    for (size_t i = 0; i < sizeof(alterations) / sizeof(alterations[0]); i++) {
        CHECK(runfile_write(path, &run, error));
        alter(path, alterations[i].sql);
        check_refused(path, alterations[i].part);
    }
    run_free(&run);
}

static void test_foreign_traces(void)
{
    char path[128];
    char sql[128];
    char error[RUNFILE_ERROR_MAX];
    struct run run;

    name_in_directory("foreign.db", path);
    make_run_of(log_traced, &run, 100, 0);
    for (size_t i = 0; i < sizeof(trace_changes) / sizeof(trace_changes[0]); i++) {
        CHECK(runfile_write(path, &run, error));
        snprintf(sql, sizeof(sql), "UPDATE trace SET %s WHERE rowid = 1", trace_changes[i]);
        alter(path, sql);
        check_refused(path, "table trace");
    }
    for (size_t i = 0; i < sizeof(object_changes) / sizeof(object_changes[0]); i++) {
        CHECK(runfile_write(path, &run, error));
        snprintf(sql, sizeof(sql), "UPDATE object SET %s WHERE rowid = 3", object_changes[i]);
        alter(path, sql);
        check_refused(path, "table object");
    }
    for (size_t i = 0; i < sizeof(expect_changes) / sizeof(expect_changes[0]); i++) {
        CHECK(runfile_write(path, &run, error));
        snprintf(sql, sizeof(sql), "UPDATE expect SET %s WHERE rowid = 1", expect_changes[i]);
        alter(path, sql);
        check_refused(path, "table expect");
    }
    run_free(&run);
}

static const int64_t extremes[] = {INT64_MIN, INT64_MAX, 0, -1, 1, 0x0123456789abcdef, -256};

static bool take_sample(void *context, const struct store_row *row)
{
    int *rows = context;

    CHECK(*rows < (int)COUNT(extremes));
    CHECK_TEXT(row->texts[0], "b");
    CHECK_TEXT(row->texts[1], "3");
    CHECK_TEXT(row->texts[2], "s");
    CHECK_EQUAL(strtoll(row->texts[3], NULL, 10), *rows);
    CHECK(strtoll(row->texts[4], NULL, 10) == extremes[*rows]);
    return ++*rows <= (int)COUNT(extremes);
}

/* The view of samples holds exactly the samples. */
static void test_view(void)
{
    char path[128];
    char error[STORE_ERROR_MAX] = "";
    struct run run;
    int rows = 0;

    run_init(&run);
    struct run_bench *bench = build_bench(&run, "b", 3);

    build_series(bench, "none", NULL, NULL, extremes, 0);
    struct run_series *series = build_series(bench, "s", NULL, NULL, extremes, COUNT(extremes));

    series->crc = run_series_crc(series);
    CHECK(runfile_write(name_in_directory("first.db", path), &run, error));
    run_free(&run);
    struct store *store = store_open(path, STORE_READ, error);

    CHECK(store != NULL &&
          fleet_query(store, "SELECT bench, pass, series, number, value FROM sample", take_sample,
                      &rows));
    CHECK_TEXT(store != NULL ? store->error : error, "");
    store_close(store);
    CHECK_EQUAL(rows, COUNT(extremes));
}

/* A run that was read has its packets for as long as it lives, whatever becomes of the file. */
static void test_lazy(void)
{
    char path[128];
    char error[RUNFILE_ERROR_MAX] = "";
    struct run run;
    struct run back;

    name_in_directory("lazy.db", path);
    make_run_of(log_traced, &run, 300, 0);
    CHECK(runfile_write(path, &run, error));
    run_init(&back);
    CHECK(runfile_read(path, &back, error));
    CHECK(runfile_write(path, &back, error));
    unlink(path);
    check_same_traces(&run, &back);
    run_free(&back);
    run_free(&run);
}

#define LONG_SAMPLES 400000 /* BLOBs of three pieces and a part */
#define LONG_PACKETS 300

/* A series and a trace that need several BLOBs, each packet another. */
static void make_long_run(struct run *run)
{
    const size_t size = (size_t)LONG_PACKETS * TRACE_PACKET_BYTES;
    int64_t *samples = alloc_zeroed(LONG_SAMPLES * sizeof(*samples));
    uint8_t *packets = alloc_zeroed(size);

    make_run_of(log_traced, run, 300, 0);
    struct run_bench *bench = &run->benches[0];

    for (size_t i = 0; i < LONG_SAMPLES; i++) {
        samples[i] = (int64_t)(i * i * i * UINT64_C(0x9e3779b97f4a7c15)); /* do not fold */
    }
    for (size_t i = 0; i < size; i += sizeof(i)) {
        memcpy(packets + i, &i, sizeof(i));
    }
    struct run_series *series = build_series(bench, "long", NULL, NULL, samples, LONG_SAMPLES);

    series->crc = run_series_crc(series);
    trace_bytes_close(bench->traces[1].packets);
    bench->traces[1].packets = trace_bytes_memory(packets, size);
    bench->traces[1].claimed = size;
    free(samples);
    free(packets);
}

/* BLOBs in pieces come back the same; of a file whose pieces are not as they were nothing does. */
static void test_pieces(void)
{
    static const char *const damages[] = {
        "DELETE FROM piece WHERE owner = 'series' AND number = 2",
        "DELETE FROM piece WHERE owner = 'trace' AND number = 1",
        "UPDATE piece SET bytes = zeroblob(1048575) WHERE number = 1",
        "UPDATE piece SET bytes = zeroblob(1048576) WHERE number = 1",
        "UPDATE piece SET bytes = zeroblob(8) WHERE number = 2 AND owner = 'trace'",
        "UPDATE piece SET bytes = 'text' WHERE number = 2",
        "UPDATE piece SET \"row\" = 7 WHERE owner = 'trace'",
        "UPDATE piece SET owner = 'other' WHERE owner = 'series'",
        "DROP TABLE piece; CREATE VIEW piece AS SELECT 1 AS owner",
        "DROP TABLE piece"};
    char path[128];
    char error[RUNFILE_ERROR_MAX];
    struct run run;

    make_long_run(&run);
    check_round_trip(&run);
    name_in_directory("pieces.db", path);
    for (size_t i = 0; i < 2 * COUNT(damages); i++) {
        const bool folds = i % 2 == 0;

        CHECK((folds ? runfile_write : runfile_write_plain)(path, &run, error));
        CHECK_EQUAL(schema_of(path), folds ? RUNFILE_SCHEMA_VERSION : RUNFILE_SCHEMA_PIECES);
        alter(path, damages[i / 2]);
        check_refused(path, "damaged");
    }
    unlink(path);
    run_free(&run);
}

/* Ten kinds of edit of folded bytes: nothing comes back of any. */
static void test_folded(void)
{
    static const char *const edits[] = {
        "UPDATE series SET samples = substr(samples, 1, length(samples) - 1) WHERE rowid = 1",
        "UPDATE trace SET packets = substr(packets, 2) WHERE rowid = 1",
        "UPDATE series SET samples = CAST(samples || x'00' AS BLOB) WHERE rowid = 1",
        "UPDATE trace SET packets = CAST(packets || packets AS BLOB) WHERE rowid = 1",
        "UPDATE series SET samples = (SELECT samples FROM series WHERE rowid = 2) WHERE rowid = 1",
        "UPDATE trace SET packets = (SELECT packets FROM trace WHERE rowid = 2) WHERE rowid = 1",
        "PRAGMA user_version = 8",
        ("UPDATE piece SET bytes = (SELECT p.bytes FROM piece AS p WHERE p.owner = piece.owner AND "
         "p.number = 3 - piece.number) WHERE number < 3"),
        "UPDATE series SET samples = (SELECT packets FROM trace WHERE rowid = 1) WHERE rowid = 1",
        "UPDATE trace SET packets = CAST(packets AS TEXT) WHERE rowid = 1",
    };
    char path[128];
    char error[RUNFILE_ERROR_MAX];
    struct run run;

    make_long_run(&run);
    name_in_directory("pieces.db", path);
    for (size_t i = 0; i < COUNT(edits); i++) {
        CHECK(runfile_write(path, &run, error));
        alter(path, edits[i]);
        check_refused(path, "damaged");
    }
    CHECK(runfile_write_plain(path, &run, error));
    alter(path, "PRAGMA user_version = 9");
    check_refused(path, "damaged");
    unlink(path);
    run_free(&run);
}

/* Each 97th byte of folded samples and packets, changed in turn. */
static void change_bytes(const char *table, const char *column)
{
    char path[128];
    char sql[256];
    char error[RUNFILE_ERROR_MAX];
    struct run run;

    make_run_of(log_traced, &run, 300, 0);
    name_in_directory("changed.db", path);
    for (unsigned at = 0; at < 1500; at += 97) {
        CHECK(runfile_write(path, &run, error));
        snprintf(sql, sizeof(sql),
                 "UPDATE %s SET %s = CAST(substr(%s, 1, %u %% length(%s)) || x'5a' || "
                 "substr(%s, 2 + %u %% length(%s)) AS BLOB)",
                 table, column, column, at, column, column, at, column);
        alter(path, sql);
        check_refused(path, table);
    }
    unlink(path);
    run_free(&run);
}

/* Unreadable bytes, and more than a file holds: an error that names the cause, and no file. */
static bool unreadable(struct trace_bytes *bytes, uint64_t offset, void *to, size_t size)
{
    memset(to, 0, size);
    return offset + size <= bytes->length / 2;
}

static void no_close(struct trace_bytes *bytes)
{
    bytes->length = 0;
}

static void check_unkept(uint64_t length, const char *part)
{
    struct trace_bytes bytes = {.length = length, .read = unreadable, .close = no_close};
    char path[128];
    char temporary[160];
    char error[RUNFILE_ERROR_MAX] = "";
    struct run run;

    name_in_directory("unkept.db", path);
    snprintf(temporary, sizeof(temporary), "%s.tmp", path);
    make_run_of(log_traced, &run, 300, 0);
    trace_bytes_close(run.benches[0].traces[1].packets);
    run.benches[0].traces[1].packets = &bytes;
    CHECK(!runfile_write(path, &run, error));
    CHECK(strstr(error, path) != NULL && strstr(error, part) != NULL);
    CHECK(access(path, F_OK) != 0 && access(temporary, F_OK) != 0);
    run_free(&run);
    CHECK_EQUAL(bytes.length, 0); /* closed */
}

static void test_unkept(void)
{
    check_unkept(4 * TRACE_PACKET_BYTES, "cannot read back the packets of stream 4");
    check_unkept((UINT64_C(1) << 44) + TRACE_PACKET_BYTES,
                 "the trace of switches, part 2, has 17592186052608 bytes, but at most");
    check_unkept(UINT64_MAX - TRACE_PACKET_BYTES + 1, "trace for a shorter time");
}

/* Cut short it is refused; with bytes changed it is refused or holds true samples. */
static void test_damaged(log_maker *make)
{
    char path[128];
    char error[RUNFILE_ERROR_MAX];
    struct run run;
    size_t length;
    uint64_t seed = 42;

    make_run_of(make, &run, 200, 0);
    CHECK(runfile_write(name_in_directory("damaged.db", path), &run, error));
    char *bytes = slurp(path, &length);

    for (size_t cut = 1; cut + PAGE_BYTES <= length; cut += length / 50) {
        spit(path, bytes, cut);
        check_refused(path, path);
    }
    for (unsigned round = 0; round < 300; round++) {
        const size_t at = unit_random(&seed) % length;
        struct run back;

        bytes[at] = (char)(bytes[at] ^ (1 << unit_random(&seed) % 8));
        spit(path, bytes, length);
        run_init(&back);
        if (runfile_read(path, &back, error)) {
            for (size_t i = 0; i < back.bench_count; i++) {
                for (size_t k = 0; k < back.benches[i].series_count; k++) {
                    const struct run_series *series = &back.benches[i].series[k];

                    CHECK(!run_series_whole(series) || run_series_crc(series) == series->crc);
                }
                for (size_t k = 0; k < back.benches[i].trace_count; k++) {
                    CHECK(packets_equal(&run.benches[0].traces[k], &back.benches[i].traces[k]));
                }
            }
        }
        run_free(&back);
        if (round % 4 == 3) {
            free(bytes);
            CHECK(runfile_write(path, &run, error));
            bytes = slurp(path, &length);
        }
    }
    free(bytes);
    run_free(&run);
}

/* A file that cannot be written leaves nothing behind, and what was there as it was. */
static void test_unwritable(void)
{
    char path[128];
    char temporary[160];
    char error[RUNFILE_ERROR_MAX] = "";
    struct run run;

    make_run(&run, 50, 0);
    CHECK(!runfile_write(name_in_directory("no/such/run.db", path), &run, error));
    CHECK(strstr(error, path) != NULL);
    CHECK(!runfile_write(directory, &run, error));
    snprintf(temporary, sizeof(temporary), "%s.tmp", directory);
    CHECK(access(temporary, F_OK) != 0);
    run_free(&run);
}

static void clean_up(void)
{
    static const char *const names[] = {"plain.db",   "first.db", "second.db", "foreign.db",
                                        "damaged.db", "lazy.db",  "unkept.db"};
    char path[128];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        unlink(name_in_directory(names[i], path));
    }
    CHECK_EQUAL(rmdir(directory), 0);
}

int main(void)
{
    if (mkdtemp(directory) == NULL) {
        perror(directory);
        return 1;
    }
    RUN(test_round_trips());
    RUN(test_extremes());
    RUN(test_foreign());
    RUN(test_foreign_traces());
    RUN(test_view());
    RUN(test_lazy());
    RUN(test_pieces());
    RUN(test_folded());
    RUN(change_bytes("series", "samples"));
    RUN(change_bytes("trace", "packets"));
    RUN(test_unkept());
    RUN(test_damaged(log_plausible));
    RUN(test_damaged(log_traced));
    RUN(test_unwritable());
    clean_up();
    return unit_finish("unit_runfile");
}
