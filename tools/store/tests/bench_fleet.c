/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_fleet: how fast runs come into a fleet, and metrics out of it.
 *
 *     bench_fleet files RUN.db COUNT DIR          run files that differ
 *     bench_fleet load FLEET flat|parts|RUNS RUN.db COUNT   as tare db add does, 1,000 a
 * transaction bench_fleet ask FLEET TIMES                 the queries of tools/store/README.md
 *
 * Every run is RUN.db, a real one, with samples that are drawn anew around those that were
 * measured, one of 100 machines, and a date; `flat` are tables without parts, RUNS is another size
 * of a part. load and ask print "what: figure" lines.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "kernel/link/names.h"
#include "tools/base/alloc.h"
#include "tools/run/series.h"
#include "tools/store/fleet.h"
#include "tools/store/runfile.h"

#define MACHINES      100
#define TRANSACTION   1000
#define METRIC        "paths.switch"
#define NEWEST        1000
#define SPREAD_SHIFT  4 /* samples vary by a 16th */
#define DAY_SECONDS   86400
#define FIRST_SECONDS 1700000000

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint64_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static double now(clockid_t clock)
{
    struct timespec time;

    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

__attribute__((noreturn)) static void die(const char *what)
{
    fprintf(stderr, "bench_fleet: %s\n", what);
    exit(1);
}

/* ---- runs that differ ---- */

static void read_run(const char *path, struct run *run)
{
    char error[RUNFILE_ERROR_MAX];

    run_init(run);
    if (!runfile_read(path, run, error)) {
        die(error);
    }
}

/* In place of what the pair had; a run keeps its texts to its end, so that the text stays. */
static void set_pair(struct run_pairs *pairs, const char *key, const char *value)
{
    for (size_t i = 0; i < pairs->count; i++) {
        if (strcmp(pairs->item[i].key, key) == 0) {
            pairs->item[i].value = value;
        }
    }
}

/* `samples` as they were measured, and now as run `number` has them. */
static void vary_series(struct run_series *series, const int64_t *samples)
{
    for (size_t i = 0; i < series->received; i++) {
        const uint64_t size = (uint64_t)llabs(samples[i]) >> SPREAD_SHIFT;

        series->samples[i] = samples[i] + (int64_t)(random_next() % (size + 1));
    }
    series->crc = run_series_crc(series);
}

struct variety {
    struct run run;
    int64_t **samples; /* of each series in turn */
    char machine[64];
    char date[64];
};

static void variety_open(struct variety *variety, const char *path)
{
    size_t count = 0;

    read_run(path, &variety->run);
    for (size_t b = 0; b < variety->run.bench_count; b++) {
        count += variety->run.benches[b].series_count;
    }
    variety->samples = alloc_zeroed(count * sizeof(*variety->samples));
    count = 0;
    for (size_t b = 0; b < variety->run.bench_count; b++) {
        for (size_t k = 0; k < variety->run.benches[b].series_count; k++, count++) {
            struct run_series *series = &variety->run.benches[b].series[k];
            const size_t size = series->received * sizeof(int64_t);

            if (series->mapped != 0) {
                die("a run with fewer samples is wanted");
            }
            variety->samples[count] = alloc_zeroed(size + 1);
            memcpy(variety->samples[count], series->samples, size);
        }
    }
}

static void vary(struct variety *variety, uint64_t number)
{
    const time_t seconds = (time_t)(FIRST_SECONDS + number * (DAY_SECONDS / MACHINES));
    struct tm date;
    size_t count = 0;

    snprintf(variety->machine, sizeof(variety->machine), "machine %u",
             (unsigned)(number % MACHINES));
    gmtime_r(&seconds, &date);
    strftime(variety->date, sizeof(variety->date), "%Y-%m-%dT%H:%M:%SZ", &date);
    set_pair(&variety->run.machine, FACT_CPU_BRAND, variety->machine);
    set_pair(&variety->run.info, INFO_DATE, variety->date);
    for (size_t b = 0; b < variety->run.bench_count; b++) {
        for (size_t k = 0; k < variety->run.benches[b].series_count; k++) {
            vary_series(&variety->run.benches[b].series[k], variety->samples[count++]);
        }
    }
}

static int make_files(const char *path, uint64_t count, const char *folder)
{
    struct variety variety;
    char error[RUNFILE_ERROR_MAX];
    char name[4096];

    variety_open(&variety, path);
    for (uint64_t i = 0; i < count; i++) {
        vary(&variety, i);
        snprintf(name, sizeof(name), "%s/%06" PRIu64 ".db", folder, i);
        if (!runfile_write(name, &variety.run, error)) {
            die(error);
        }
    }
    return 0;
}

/* ---- in ---- */

static struct store *open_store(const char *name, enum store_mode mode)
{
    char error[STORE_ERROR_MAX];
    struct store *store = store_open(name, mode, error);

    if (store == NULL) {
        die(error);
    }
    return store;
}

static void add_runs(struct store *store, struct variety *variety, uint64_t first, uint64_t count)
{
    char file[64];
    int64_t id;
    bool is_new, ok = fleet_begin(store);

    for (uint64_t i = first; i < first + count && ok; i++) {
        vary(variety, i);
        snprintf(file, sizeof(file), "%06" PRIu64 ".db", i);
        ok = fleet_add(store, &variety->run, file, &id, &is_new) && is_new;
    }
    if (!ok || !fleet_commit(store)) {
        die(store->error[0] != '\0' ? store->error : "two runs are the same");
    }
}

static int load(const char *name, const char *parts, const char *path, uint64_t count)
{
    struct store *store = open_store(name, STORE_CREATE);
    struct variety variety;
    double slowest = 0;

    if (strcmp(parts, "parts") != 0) {
        store->partition_runs = strcmp(parts, "flat") == 0 ? 0 : strtoll(parts, NULL, 10);
    }
    variety_open(&variety, path);
    const double begin = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);

    for (uint64_t first = 0, part; first < count; first += part) {
        const double at = now(CLOCK_MONOTONIC);

        part = count - first < TRANSACTION ? count - first : TRANSACTION;
        add_runs(store, &variety, first, part);
        const double took = (now(CLOCK_MONOTONIC) - at) / (double)part;

        slowest = took > slowest ? took : slowest;
    }
    printf("runs a second: %.0f\n", (double)count / (now(CLOCK_MONOTONIC) - begin));
    printf("runs a second, slowest transaction: %.0f\n", 1 / slowest);
    printf("CPU time of the client, ms a run: %.2f\n",
           1e3 * (now(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (double)count);
    store_close(store);
    return 0;
}

/* ---- out ---- */

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

static bool count_row(void *context, const struct store_row *row)
{
    (void)row;
    ++*(uint64_t *)context;
    return true;
}

enum question {
    HISTORY, /* of a metric of one machine */
    ALL,     /* of a metric, the newest runs of all machines */
    ONE,     /* all metrics of one run */
};

static void question_text(enum question question, uint64_t runs, char sql[512])
{
    const uint64_t drawn = random_next();

    if (question == HISTORY) {
        snprintf(sql, 512,
                 "SELECT run_id, date, p50 FROM metric JOIN fleet USING (run_id) "
                 "WHERE machine = 'machine %u' AND name = '" METRIC "' ORDER BY run_id",
                 (unsigned)(drawn % MACHINES));
    } else if (question == ALL) {
        snprintf(sql, 512,
                 "SELECT run_id, machine, p50 FROM metric JOIN fleet USING (run_id) WHERE name = "
                 "'" METRIC "' AND run_id > %" PRIu64 " ORDER BY run_id DESC",
                 runs > NEWEST ? runs - NEWEST : 0);
    } else {
        snprintf(sql, 512, "SELECT name, pass, p50, p99 FROM metric WHERE run_id = %" PRIu64,
                 1 + drawn % runs);
    }
}

static void ask_often(struct store *store, enum question question, uint64_t runs, size_t times)
{
    static const char *const names[] = {[HISTORY] = "history of a metric of one machine",
                                        [ALL] = "a metric of the newest 1000 runs",
                                        [ONE] = "all metrics of one run"};
    double *took = alloc_zeroed(times * sizeof(*took));
    uint64_t rows = 0;
    char sql[512];

    for (size_t i = 0; i < times; i++) {
        question_text(question, runs, sql);
        const double at = now(CLOCK_MONOTONIC);

        if (!store->backend->query(store, sql, false, count_row, &rows)) {
            die(store->error);
        }
        took[i] = 1e3 * (now(CLOCK_MONOTONIC) - at);
    }
    if (rows == 0) {
        die("a query that gives no row");
    }
    qsort(took, times, sizeof(*took), by_size);
    printf("%s, %.0f rows, ms: p50 %.2f p99 %.2f\n", names[question], (double)rows / (double)times,
           took[times / 2], took[times * 99 / 100]);
    free(took);
}

static int ask(const char *name, size_t times)
{
    struct store *store = open_store(name, STORE_READ);
    int64_t runs;

    if (!fleet_look(store) || !store_ask(store, &runs, "SELECT max(run_id) FROM fleet") ||
        runs == 0) {
        die(store->error);
    }
    for (enum question question = HISTORY; question <= ONE; question++) {
        ask_often(store, question, (uint64_t)runs, times);
    }
    store_close(store);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "files") == 0) {
        return make_files(argv[2], strtoull(argv[3], NULL, 10), argv[4]);
    }
    if (argc == 6 && strcmp(argv[1], "load") == 0) {
        return load(argv[2], argv[3], argv[4], strtoull(argv[5], NULL, 10));
    }
    if (argc == 4 && strcmp(argv[1], "ask") == 0) {
        return ask(argv[2], strtoull(argv[3], NULL, 10));
    }
    die("usage: bench_fleet files RUN.db COUNT DIR | load FLEET flat|parts|RUNS RUN.db COUNT | "
        "ask FLEET TIMES");
}
