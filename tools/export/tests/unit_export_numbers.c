/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A run's numbers for others: CSV, JSON with samples, OpenMetrics, and the files they go to. What
 * other programs make of them is in test_export_formats.sh.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/base/output_file.h"
#include "tools/base/partial_file.h"
#include "tools/export/export_numbers.h"
#include "tools/show/run_json.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

static struct run run;

static void begin(void)
{
    run_init(&run);
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 2000000000};
}

/* ---- CSV ---- */

static char *csv(bool (*write)(FILE *, const struct run *, const char *), const char *bench)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    CHECK(write(out, &run, bench));
    fclose(out);
    return text;
}

static void test_samples(void)
{
    const int64_t samples[] = {INT64_MIN, -1, 0, 5, INT64_MAX};

    begin();
    run_add_pair(&run, &run.info, "kind", "real");
    run_add_pair(&run, &run.info, "hypervisor", "TCGTCGTCGTCG");
    struct run_bench *bench = build_bench(&run, "a,\"b\"\nc", 1);

    build_hole(build_series(bench, "plain", NULL, NULL, samples, 5), 2);
    build_series(bench, "empty", NULL, NULL, NULL, 0);
    bench = build_bench(&run, "d", 2);
    build_series(bench, "counts", "plain", "events", samples + 3, 1);
    bench->series[0].unit = NULL;
    char *text = csv(export_csv_samples, NULL);

    CHECK_TEXT(text, "bench,pass,series,unit,time,index,value\n"
                     "\"a,\"\"b\"\"\nc\",1,plain,tick,emulated,0,-9223372036854775808\n"
                     "\"a,\"\"b\"\"\nc\",1,plain,tick,emulated,1,-1\n"
                     "\"a,\"\"b\"\"\nc\",1,plain,tick,emulated,3,5\n"
                     "\"a,\"\"b\"\"\nc\",1,plain,tick,emulated,4,9223372036854775807\n"
                     "d,2,counts,,emulated,0,5\n");
    free(text);
    text = csv(export_csv_samples, "d:2");
    CHECK_TEXT(text, "bench,pass,series,unit,time,index,value\nd,2,counts,,emulated,0,5\n");
    free(text);
    text = csv(export_csv_samples, "d:1");
    CHECK_TEXT(text, "bench,pass,series,unit,time,index,value\n");
    free(text);
    run_free(&run);
}

/* More lines than a buffer holds. */
static void test_many_samples(void)
{
    int64_t *samples = alloc_zeroed(200000 * sizeof(*samples));
    size_t lines = 0;

    begin();
    for (int64_t i = 0; i < 200000; i++) {
        samples[i] = 3 * i;
    }
    build_series(build_bench(&run, "b", 1), "s", NULL, NULL, samples, 200000);
    char *text = csv(export_csv_samples, NULL);
    const char *at = text;

    for (; *at != '\0'; at++) {
        lines += *at == '\n';
    }
    CHECK_EQUAL(lines, 200001);
    CHECK(strstr(text, "\nb,1,s,tick,,123456,370368\nb,1,s,tick,,123457,370371\n") != NULL);
    CHECK_TEXT(at - strlen("b,1,s,tick,,199999,599997\n"), "b,1,s,tick,,199999,599997\n");
    free(text);
    free(samples);
    run_free(&run);
}

static void test_summaries(void)
{
    const int64_t odd[] = {30, 10, 20};

    begin();
    struct run_bench *bench = build_bench(&run, "b", 1);

    build_series(bench, "odd", NULL, NULL, odd, 3);
    build_series(bench, "empty", NULL, NULL, NULL, 0);
    char *text = csv(export_csv_summaries, NULL);

    CHECK_TEXT(text, "bench,pass,series,unit,time,n,missing,min,median,p90,p99,p999,p9999,max,"
                     "median_low,median_high,mean,deviation,mad\n"
                     "b,1,odd,tick,,3,0,10,20,,,,,30,,,20,10,10\n"
                     "b,1,empty,tick,,0,0,,,,,,,,,,,,\n");
    free(text);
    run_free(&run);
}

/* ---- samples that are left out ---- */

/* Of a series with a hole, behind the first three. */
static void test_left_out(void)
{
    const int64_t samples[] = {1, 2, 3, 4, 5};

    begin();
    struct run_bench *bench = build_bench(&run, "b", 1);

    build_hole(build_series(bench, "s", NULL, NULL, samples, 5), 1);
    build_series(bench, "s.cycles", "s", "cycles", samples, 5);
    build_series(bench, "other", NULL, NULL, samples, 5);
    build_fact(bench, "sampled_before_s", 3);
    build_fact(bench, "sampled_before_other", 5);
    run_leave_out(&run);
    const struct run_series *series = run_find_series(bench, "s");
    int64_t value;

    CHECK_EQUAL(series->n, 3);
    CHECK_EQUAL(series->received, 2);
    CHECK_EQUAL(series->left_out, 2);
    CHECK(run_series_sample(series, 2, &value) && value == 3);
    CHECK(!run_series_sample(series, 3, &value));
    CHECK_EQUAL(run_find_series(bench, "s.cycles")->n, 3);
    CHECK(run_series_whole(run_find_series(bench, "s.cycles")));
    CHECK_EQUAL(run_find_series(bench, "other")->n, 5);
    CHECK_EQUAL(run_find_series(bench, "other")->left_out, 0);
    run_leave_out(&run); /* a second time does nothing */
    CHECK_EQUAL(series->left_out, 2);
    bench->facts[0].value = 0;
    run_leave_out(&run);
    CHECK_EQUAL(series->n + series->received + series->range_count, 0);
    CHECK_EQUAL(series->left_out, 5);
    run_free(&run);
}

/* ---- JSON ---- */

static void test_json(void)
{
    const int64_t samples[] = {1, 2, 3};
    const struct run_texts none = {0};
    char *text = NULL;
    size_t length = 0;

    begin();
    build_hole(build_series(build_bench(&run, "b", 1), "s", NULL, NULL, samples, 3), 1);
    build_series(build_bench(&run, "c", 1), "empty", NULL, NULL, NULL, 0);
    FILE *out = open_memstream(&text, &length);

    run_json_samples(out, &run, &none, NULL);
    fclose(out);
    CHECK(strstr(text, "{\n  \"schema\": \"tare-run/1\",\n") == text);
    CHECK(strstr(text, "\"missing\": 1,\n          \"left_out\": 0,\n          \"samples\": [1, "
                       "null, 3]\n        }") != NULL);
    CHECK(strstr(text, "\"samples\": []\n") != NULL);
    free(text);
    out = open_memstream(&text, &length);
    run_json_samples(out, &run, &none, "c");
    fclose(out);
    CHECK(strstr(text, "[1, null, 3]") == NULL && strstr(text, "\"samples\": []") != NULL);
    free(text);
    CHECK_EQUAL(strlen(run_schema), run_schema_length);
    CHECK(strstr(run_schema, "\"const\": \"" RUN_JSON_SCHEMA "\"") != NULL);
    run_free(&run);
}

/* ---- OpenMetrics ---- */

/* Of metrics made up by hand, in time of 2 GHz or in instructions of 4 ticks. */
static char *exposed(struct metric *metrics, size_t count, bool exact)
{
    const struct metrics all = {
        .run = &run,
        .ns_per_tick = exact ? 0 : 0.5,
        .ticks_per_instruction = exact ? 4 : 0,
        .item = metrics,
        .count = count,
    };
    const struct run_texts none = {0};
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);

    openmetrics(out, &run, &all, &none, NULL);
    fclose(out);
    return text;
}

static void test_openmetrics(void)
{
    double values[] = {400, 800, 1200};
    struct metric metrics[] = {
        {.name = "b.s",
         .bench = "b",
         .series = "s",
         .pass = 1,
         .unit = "tick",
         .n = 3,
         .values = values},
        {.name = "b.rate",
         .bench = "b",
         .series = "rate",
         .pass = 1,
         .unit = "MB/s",
         .n = 1,
         .values = values},
        {.name = "b.none", .bench = "b", .series = "none", .pass = 1, .unit = "tick"},
    };

    begin();
    char *text = exposed(metrics, 3, false);

    CHECK(strstr(text, "# TYPE tare_duration_seconds summary\n"
                       "# UNIT tare_duration_seconds seconds\n# HELP ") != NULL);
    CHECK(strstr(text, "tare_duration_seconds{bench=\"b\",pass=\"1\",series=\"s\",metric=\"b.s\","
                       "quantile=\"0.5\"} 4e-07\n") != NULL);
    CHECK(strstr(text, "metric=\"b.s\",quantile=\"1\"} 6e-07\n") != NULL);
    CHECK(strstr(text, "tare_duration_seconds_sum{bench=\"b\",pass=\"1\",series=\"s\","
                       "metric=\"b.s\"} 1.2e-06\n") != NULL);
    CHECK(strstr(text, "quantile=\"0.9\"") == NULL);
    /* Nothing occurred: a count, and no value. */
    CHECK(strstr(text, "metric=\"b.none\"} 0\n# TYPE") != NULL);
    CHECK(strstr(text, "_sum{bench=\"b\",pass=\"1\",series=\"none\"") == NULL);
    CHECK(strstr(text, "tare_throughput_bytes_per_second{bench=\"b\",pass=\"1\",series=\"rate\","
                       "metric=\"b.rate\",quantile=\"0\"} 400000000\n") != NULL);
    CHECK_TEXT(text + strlen(text) - 6, "# EOF\n");
    free(text);
    values[0] = -400; /* a summary has no negative values */
    text = exposed(metrics, 2, false);
    CHECK(strstr(text, "# TYPE tare_signed_duration_seconds gauge\n") != NULL);
    CHECK(strstr(text, "tare_signed_duration_seconds{bench=\"b\",pass=\"1\",series=\"s\","
                       "metric=\"b.s\",level=\"0\"} -2e-07\n") != NULL);
    CHECK(strstr(text, "summary") == NULL && strstr(text, "quantile=") == NULL);
    values[0] = 400;
    free(text);
    text = exposed(metrics, 1, true);
    CHECK(strstr(text, "tare_duration_instructions{bench=\"b\",pass=\"1\",series=\"s\","
                       "metric=\"b.s\",quantile=\"0.5\"} 200\n") != NULL);
    CHECK(strstr(text, "seconds") == NULL);
    free(text);
    run_free(&run);
}

/* Rare events, seen and not; -ln 0.05 = 2.9957 of them a second may still be. */
static void test_rare_events(void)
{
    double values[] = {5};
    struct metric metrics[] = {
        {.name = "gap.none",
         .bench = "gap",
         .series = "none",
         .pass = 1,
         .unit = "tick",
         .observed = 2e9},
        {.name = "gap.some",
         .bench = "gap",
         .series = "some",
         .pass = 1,
         .unit = "tick",
         .n = 1,
         .values = values,
         .observed = 4e9},
    };

    begin();
    char *text = exposed(metrics, 2, false);

    CHECK(strstr(text, "tare_observed_seconds{bench=\"gap\",pass=\"1\",series=\"some\","
                       "metric=\"gap.some\"} 2\n") != NULL);
    CHECK(strstr(text, "metric=\"gap.none\",bound=\"high\"} 2.99573\n") != NULL);
    CHECK(strstr(text, "metric=\"gap.none\",bound=\"low\"") == NULL);
    CHECK(strstr(text, "metric=\"gap.some\",bound=\"none\"} 0.5\n") != NULL);
    CHECK(strstr(text, "tare_event_rate_per_second{bench=\"gap\",pass=\"1\",series=\"some\","
                       "metric=\"gap.some\",bound=\"low\"} ") != NULL);
    free(text);
    run_free(&run);
}

static void test_labels(void)
{
    struct metric metric = {.name = "x",
                            .bench = "a\"\\\nb",
                            .series = "\xff\xc3\xa9",
                            .pass = 1,
                            .unit = "Some/thing"};

    begin();
    run_add_pair(&run, &run.machine, "cpu_brand", "Quote \" CPU");
    run_add_pair(&run, &run.info, "kind", "real");
    run_add_pair(&run, &run.info, "date", "2024-01-01T00:00:06Z");
    char *text = exposed(&metric, 1, false);

    CHECK(strstr(text, "tare_value_some_thing_count{bench=\"a\\\"\\\\\\nb\",pass=\"1\","
                       "series=\"\xef\xbf\xbd\xc3\xa9\",metric=\"x\",kind=\"real\"} 0\n") != NULL);
    CHECK(strstr(text, "tare_run_info{verdict=\"VALID\",machine=\"Quote \\\" CPU\",kind=\"real\","
                       "date=\"2024-01-01T00:00:06Z\"} 1\n") != NULL);
    CHECK(strstr(text, "tare_run_date_seconds 1704067206\n") != NULL);
    free(text);
    run_free(&run);

    begin();
    run_add_pair(&run, &run.info, "date", "2024-01-01T00:00:06");
    text = exposed(&metric, 1, false);
    CHECK(strstr(text, ",date=\"2024-01-01T00:00:06\"} 1\n") != NULL);
    CHECK(strstr(text, "tare_run_date_seconds") == NULL);
    free(text);
    run_free(&run);
}

/* ---- files ---- */

static void check_content(const char *path, const char *expected)
{
    char content[100] = "";
    FILE *file = fopen(path, "rb");

    CHECK(file != NULL);
    if (file != NULL) {
        content[fread(content, 1, sizeof(content) - 1, file)] = '\0';
        fclose(file);
    }
    CHECK_TEXT(content, expected);
}

static void test_files(void)
{
    struct temporary temporary = {.path = ""};
    struct output_file file;
    char error[OUTPUT_FILE_ERROR_MAX] = "";
    char path[TEMPORARY_PATH_MAX];
    char half[TEMPORARY_PATH_MAX];
    struct stat status;

    CHECK(temporary_create(&temporary));
    temporary_name(&temporary, "out", path);
    temporary_name(&temporary, "out.tmp", half);
    CHECK(output_file_open(&file, path, error));
    fputs("first", file.stream);
    CHECK(access(path, F_OK) != 0);
    CHECK(output_file_commit(&file, error));
    check_content(path, "first");
    CHECK(stat(path, &status) == 0 && (status.st_mode & 0444) == 0444);
    CHECK(output_file_open(&file, path, error));
    fputs("second", file.stream);
    output_file_discard(&file);
    check_content(path, "first");
    CHECK(access(half, F_OK) != 0);
    CHECK(!output_file_open(&file, "/nonexistent/x", error));
    CHECK_TEXT(error, "cannot write /nonexistent/x: No such file or directory");
    CHECK(output_file_open(&file, "/dev/full", error));
    fputs("lost", file.stream);
    CHECK(!output_file_commit(&file, error));
    CHECK_TEXT(error, "cannot write /dev/full: No space left on device");
    CHECK(access("/dev/full.tmp", F_OK) != 0);
    temporary_remove(&temporary);
}

int main(void)
{
    RUN(test_samples());
    RUN(test_many_samples());
    RUN(test_summaries());
    RUN(test_left_out());
    RUN(test_json());
    RUN(test_openmetrics());
    RUN(test_rare_events());
    RUN(test_labels());
    RUN(test_files());
    return unit_finish("unit_export_numbers");
}
