/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/ci/kcidb.h"

#include <inttypes.h>
#include <string.h>

#include "kernel/base/version.h"
#include "kernel/names.h"
#include "kernel/run/names.h"
#include "tools/base/json.h"
#include "tools/run/run_kind.h"
#include "tools/run/series.h"

#define ORIGIN       "tare"
#define MAJOR        5
#define MINOR        3
#define ID_MAX       512
#define NS_SECONDS   1e9
#define ARCHITECTURE "x86_64"

struct kcidb {
    struct json json;
    const struct run *run;
    char build[ID_MAX];
    char prefix[ID_MAX]; /* of the tests' numbers */
};

static const char *known(const char *text)
{
    return text != NULL && text[0] != '\0' ? text : "unknown";
}

/* Equal boots have equal numbers: what is sent twice is one result. */
static void name_run(struct kcidb *kcidb)
{
    const struct run_pairs *info = &kcidb->run->info;

    snprintf(kcidb->build, sizeof(kcidb->build), ORIGIN ":%.64s:%.64s", TARE_VERSION,
             known(run_pair_value(info, "image.sha256")));
    snprintf(kcidb->prefix, sizeof(kcidb->prefix), "%.200s:%.64s:%.64s", kcidb->build,
             known(run_pair_value(info, INFO_RUN)), known(run_pair_value(info, INFO_DATE)));
}

static void put_identity(struct json *json, const char *id)
{
    json_text(json, "id", id);
    json_text(json, "origin", ORIGIN);
}

static void put_checkout_and_build(struct kcidb *kcidb)
{
    struct json *json = &kcidb->json;

    json_array(json, "checkouts");
    json_object(json, NULL);
    put_identity(json, ORIGIN ":" TARE_VERSION);
    json_text(json, "tree_name", ORIGIN);
    json_bool(json, "valid", true);
    json_close(json);
    json_close(json);
    json_array(json, "builds");
    json_object(json, NULL);
    put_identity(json, kcidb->build);
    json_text(json, "checkout_id", ORIGIN ":" TARE_VERSION);
    json_text(json, "architecture", ARCHITECTURE);
    json_text(json, "status", "PASS");
    json_close(json);
    json_close(json);
}

/* A path's parts are letters, digits, _ and -, between single dots. */
static void make_path(const char *bench, uint32_t pass, const char *series, char path[ID_MAX])
{
    size_t kept = 0;

    snprintf(path, ID_MAX, pass > 1 ? ORIGIN ".%.100s.%" PRIu32 : ORIGIN ".%.100s", bench, pass);
    if (series != NULL) {
        snprintf(path + strlen(path), ID_MAX - strlen(path), ".%.200s", series);
    }
    for (const char *at = path; *at != '\0'; at++) {
        const bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                           (*at >= '0' && *at <= '9') || *at == '_' || *at == '-';
        const bool parts = *at == '.' && kept > 0 && path[kept - 1] != '.' && at[1] != '\0';

        path[kept++] = plain || parts ? *at : '_';
    }
    path[kept] = '\0';
}

static const char *status_of(const struct run_bench *bench)
{
    static const char *const states[][2] = {
        {STATE_OK, "PASS"}, {STATE_SKIP, "SKIP"}, {STATE_FAIL, "FAIL"}};

    for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
        if (strcmp(bench->state, states[i][0]) == 0) {
            return states[i][1];
        }
    }
    return "ERROR";
}

/* What every test has; open at the end. */
static void begin_test(struct kcidb *kcidb, const struct run_bench *bench, const char *series)
{
    struct json *json = &kcidb->json;
    char path[ID_MAX];
    char id[2 * ID_MAX + 2];

    make_path(bench->name, bench->pass, series, path);
    snprintf(id, sizeof(id), "%s:%s", kcidb->prefix, path);
    json_object(json, NULL);
    put_identity(json, id);
    json_text(json, "build_id", kcidb->build);
    json_text(json, "path", path);
    json_text(json, "status", status_of(bench));
    json_object(json, "environment");
    json_text(json, "comment", known(run_pair_value(&kcidb->run->machine, FACT_CPU_BRAND)));
    json_close(json);
}

/* The kind of time goes with each value: ticks of exact time are none of a machine. */
static void end_test(struct kcidb *kcidb)
{
    struct json *json = &kcidb->json;

    json_object(json, "misc");
    json_text(json, "time", run_time_name(kcidb->run));
    json_close(json);
    json_close(json);
}

static void put_series(struct kcidb *kcidb, const struct run_bench *bench,
                       const struct run_series *series)
{
    struct json *json = &kcidb->json;
    int64_t greatest = INT64_MIN;

    for (size_t i = 0; i < series->received; i++) {
        greatest = series->samples[i] > greatest ? series->samples[i] : greatest;
    }
    begin_test(kcidb, bench, series->name);
    json_object(json, "number");
    json_signed(json, "value", greatest);
    if (series->unit != NULL) {
        json_text(json, "unit", series->unit);
    }
    json_close(json);
    end_test(kcidb);
}

static void put_bench(struct kcidb *kcidb, const struct run_bench *bench)
{
    const int64_t began = run_fact_or(bench, FACT_BEGAN, 0);
    const int64_t ended = run_fact_or(bench, FACT_ENDED, 0);
    const double seconds =
        ((double)ended - (double)began) * run_ns_per_tick(kcidb->run) / NS_SECONDS;

    begin_test(kcidb, bench, NULL);
    if (began > 0 && ended > began && seconds > 0) {
        json_real(&kcidb->json, "duration", seconds);
    }
    if (bench->reason != NULL) {
        json_text(&kcidb->json, "comment", bench->reason);
    }
    end_test(kcidb);
    for (size_t i = 0; i < bench->series_count && strcmp(bench->state, STATE_OK) == 0; i++) {
        if (bench->series[i].of == NULL && bench->series[i].received > 0) {
            put_series(kcidb, bench, &bench->series[i]);
        }
    }
}

void kcidb_write(FILE *out, const struct run *run)
{
    struct kcidb kcidb = {.run = run};

    name_run(&kcidb);
    json_start(&kcidb.json, out);
    json_object(&kcidb.json, NULL);
    json_object(&kcidb.json, "version");
    json_signed(&kcidb.json, "major", MAJOR);
    json_signed(&kcidb.json, "minor", MINOR);
    json_close(&kcidb.json);
    put_checkout_and_build(&kcidb);
    json_array(&kcidb.json, "tests");
    for (size_t i = 0; i < run->bench_count; i++) {
        put_bench(&kcidb, &run->benches[i]);
    }
    json_close(&kcidb.json);
    json_close(&kcidb.json);
}
