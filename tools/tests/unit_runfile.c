/* SPDX-License-Identifier: BSD-2-Clause */
/* The run file: the same run gives the same bytes, and comes back as it was. */
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/lib/alloc.h"
#include "tools/lib/decoder.h"
#include "tools/lib/runfile.h"
#include "tools/tests/log_builder.h"
#include "tools/tests/unit.h"

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

static void check_same_samples(const struct run *a, const struct run *b)
{
    CHECK_EQUAL(a->bench_count, b->bench_count);
    for (size_t i = 0; i < a->bench_count && i < b->bench_count; i++) {
        CHECK_TEXT(a->benches[i].name, b->benches[i].name);
        CHECK_EQUAL(a->benches[i].pass, b->benches[i].pass);
        CHECK_EQUAL(a->benches[i].absent_count, b->benches[i].absent_count);
        CHECK_EQUAL(a->benches[i].fact_count, b->benches[i].fact_count);
        CHECK_EQUAL(a->benches[i].series_count, b->benches[i].series_count);
        for (size_t k = 0; k < a->benches[i].series_count && k < b->benches[i].series_count; k++) {
            CHECK(series_equal(&a->benches[i].series[k], &b->benches[i].series[k]));
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

/* Written, read, written again: the same bytes, and the same samples. */
static void check_round_trip(struct run *run)
{
    char first[128];
    char second[128];
    char error[RUNFILE_ERROR_MAX] = "";
    struct run back;

    name_in_directory("first.db", first);
    name_in_directory("second.db", second);
    CHECK(runfile_write(first, run, error));
    CHECK_TEXT(error, "");
    run_init(&back);
    CHECK(runfile_read(first, &back, error));
    CHECK_TEXT(error, "");
    check_same_samples(run, &back);
    check_same_events(run, &back);
    CHECK_EQUAL(run->ended, back.ended);
    CHECK_EQUAL(run->losses.count, back.losses.count);
    CHECK_TEXT(run->plan_text, back.plan_text);
    CHECK(runfile_write(second, &back, error));
    CHECK(files_equal(first, second));
    run_free(&back);
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
    for (size_t lost = 1; lost < 12; lost++) {
        make_run(&run, 1200, lost);
        CHECK(run.losses.count > 0);
        check_round_trip(&run);
        run_free(&run);
    }
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
    bench->pass = UINT32_MAX;
    *run_add_counter(&run) =
        (struct run_counter){.name = "c", .state = "", .width = UINT64_MAX, .found = ""};
    *run_add_event(&run) =
        (struct run_event){.name = "e", .state = "maybe", .pass = UINT32_MAX, .note = "\xff"};
    struct run_source *source = run_add_source(&run);

    source->name = "x";
    source->hz = UINT64_MAX;
    for (int i = 0; i < 2; i++) {
        struct run_crash *crash = run_add_crash(&run);

        run_add_pair(&run, &crash->fields, "bench", "b");
        run_add_pair(&run, &crash->fields, "rip", NULL);
        run_add_backtrace(crash)->symbol = "main";
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

static void alter(const char *path, const char *sql)
{
    sqlite3 *db = NULL;

    CHECK_EQUAL(sqlite3_open(path, &db), SQLITE_OK);
    CHECK_EQUAL(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* Files that are none of ours, or ours no longer. */
static void test_foreign(void)
{
    static const struct {
        const char *sql;
        const char *part;
    } alterations[] = {
        {"PRAGMA user_version = 3", "schema 3"},
        {"PRAGMA user_version = 0", "schema 0"},
        {"PRAGMA user_version = -1", "schema -1"},
        {"PRAGMA application_id = 1", "not a run file"},
        {"DROP TABLE fact", "no such table"},
        {"DROP TABLE absent", "no such table"},
        {"UPDATE bench SET pass = 0", "table bench"},
        {"UPDATE bench SET pass = 4294967296", "table bench"},
        {"UPDATE series SET pass = 2", "table series"},
        {"UPDATE series SET of = 'floor' WHERE rowid = 1", "table series"},
        {"UPDATE series SET event = 'cycles' WHERE rowid = 1", "table series"},
        {"INSERT INTO absent VALUES('none', 1, 'smi', NULL)", "table absent"},
        {"ALTER TABLE event ADD COLUMN more", "table event"},
        {"ALTER TABLE run ADD COLUMN more", "table run"},
        {"UPDATE series SET samples = x'00' WHERE rowid = 1", "table series"},
        {"UPDATE series SET missing = '5..2' WHERE rowid = 1", "table series"},
        {"UPDATE series SET n = n + 1 WHERE rowid = 1", "table series"},
        {"UPDATE series SET crc = crc + 1 WHERE rowid = 1", "table series"},
        {"UPDATE param SET bench = 'none'", "table param"},
        {"INSERT INTO bench SELECT * FROM bench", "table bench"},
    };
    char path[128];
    char error[RUNFILE_ERROR_MAX];
    struct run run;

    check_refused(name_in_directory("absent.db", path), "No such file");
    check_refused(directory, "not a regular file");
    name_in_directory("foreign.db", path);
    spit(path, "", 0);
    check_refused(path, "empty");
    spit(path, "hello, this is a text and no database at all\n", 45);
    check_refused(path, "not a database");
    make_run(&run, 100, 0);
    for (size_t i = 0; i < sizeof(alterations) / sizeof(alterations[0]); i++) {
        CHECK(runfile_write(path, &run, error));
        alter(path, alterations[i].sql);
        check_refused(path, alterations[i].part);
    }
    run_free(&run);
}

/* The schema before counting, and how its tables are filled from a file of today's. */
static const char version_1[] =
    "PRAGMA page_size = 4096; PRAGMA application_id = 1952543333; PRAGMA user_version = 1;"
    "CREATE TABLE run(key TEXT NOT NULL, value TEXT);"
    "CREATE TABLE machine(name TEXT NOT NULL, value TEXT);"
    "CREATE TABLE source(name TEXT NOT NULL, hz INTEGER, stated_by TEXT);"
    "CREATE TABLE estimate(clock TEXT NOT NULL, reference TEXT NOT NULL, hz INTEGER NOT NULL,"
    " error_ppb INTEGER, windows INTEGER NOT NULL);"
    "CREATE TABLE verdict(ok INTEGER NOT NULL, hz INTEGER, agreed_by TEXT, reason TEXT);"
    "CREATE TABLE bench(name TEXT NOT NULL, family TEXT, summary TEXT, unit TEXT, estimate TEXT,"
    " state TEXT NOT NULL, reason TEXT);"
    "CREATE TABLE param(bench TEXT NOT NULL, name TEXT NOT NULL, value TEXT, origin TEXT);"
    "CREATE TABLE fact(bench TEXT NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL,"
    " unit TEXT);"
    "CREATE TABLE series(bench TEXT NOT NULL, name TEXT NOT NULL, unit TEXT, n INTEGER NOT NULL,"
    " min INTEGER, median INTEGER, p99 INTEGER, p999 INTEGER, max INTEGER,"
    " stream INTEGER NOT NULL, nominal INTEGER NOT NULL, crc INTEGER NOT NULL, missing TEXT,"
    " samples BLOB NOT NULL);"
    "CREATE TABLE crash(crash INTEGER NOT NULL, key TEXT NOT NULL, value TEXT);"
    "CREATE TABLE backtrace(crash INTEGER NOT NULL, depth INTEGER NOT NULL, address TEXT,"
    " symbol TEXT, offset TEXT);"
    "CREATE TABLE interrupt(vector INTEGER NOT NULL, name TEXT, count INTEGER NOT NULL,"
    " expected TEXT);"
    "CREATE TABLE error(text TEXT NOT NULL);"
    "CREATE TABLE loss(text TEXT NOT NULL);"
    "INSERT INTO run SELECT * FROM today.run;"
    "INSERT INTO machine SELECT * FROM today.machine;"
    "INSERT INTO source SELECT * FROM today.source;"
    "INSERT INTO estimate SELECT * FROM today.estimate;"
    "INSERT INTO verdict SELECT * FROM today.verdict;"
    "INSERT INTO bench SELECT name, family, summary, unit, estimate, state, reason"
    " FROM today.bench;"
    "INSERT INTO param SELECT bench, name, value, origin FROM today.param;"
    "INSERT INTO fact SELECT bench, name, value, unit FROM today.fact;"
    "INSERT INTO series SELECT bench, name, unit, n, min, median, p99, p999, max, stream, nominal,"
    " crc, missing, samples FROM today.series;"
    "INSERT INTO crash SELECT * FROM today.crash;"
    "INSERT INTO backtrace SELECT * FROM today.backtrace;"
    "INSERT INTO interrupt SELECT * FROM today.interrupt;"
    "INSERT INTO error SELECT * FROM today.error;"
    "INSERT INTO loss SELECT * FROM today.loss;";

/* A file of schema 1 holds the same run: written again it is the file of today. */
static void test_version_1(void)
{
    char today[128];
    char old[128];
    char again[128];
    char sql[256];
    char error[RUNFILE_ERROR_MAX] = "";
    struct run run;
    struct run back;

    name_in_directory("first.db", today);
    name_in_directory("old.db", old);
    name_in_directory("second.db", again);
    for (size_t lost = 0; lost < 10; lost += 9) {
        make_run(&run, 700, lost);
        CHECK(runfile_write(today, &run, error));
        unlink(old);
        spit(old, "", 0);
        sqlite3 *db = NULL;

        snprintf(sql, sizeof(sql), "ATTACH '%s' AS today", today);
        CHECK_EQUAL(sqlite3_open(old, &db), SQLITE_OK);
        CHECK_EQUAL(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
        CHECK_EQUAL(sqlite3_exec(db, version_1, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(db);
        run_init(&back);
        CHECK(runfile_read(old, &back, error));
        CHECK_TEXT(error, "");
        check_same_samples(&run, &back);
        CHECK(back.counter_count == 0 && back.event_count == 0);
        CHECK(runfile_write(again, &back, error));
        CHECK(files_equal(today, again));
        run_free(&back);
        run_free(&run);
    }
    alter(old, "ALTER TABLE machine ADD COLUMN more");
    check_refused(old, "table machine");
    alter(old, "DROP TABLE machine");
    check_refused(old, "no such table");
}

/* Cut short it is refused; with bytes changed it is refused or holds true samples. */
static void test_damaged(void)
{
    char path[128];
    char error[RUNFILE_ERROR_MAX];
    struct run run;
    size_t length;
    uint64_t seed = 42;

    make_run(&run, 200, 0);
    CHECK(runfile_write(name_in_directory("damaged.db", path), &run, error));
    char *bytes = slurp(path, &length);

    for (size_t cut = 1; cut < length; cut += 1021) {
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
    static const char *const names[] = {"first.db", "second.db", "foreign.db", "damaged.db",
                                        "old.db"};
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
    RUN(test_version_1());
    RUN(test_foreign());
    RUN(test_damaged());
    RUN(test_unwritable());
    clean_up();
    return unit_finish("unit_runfile");
}
