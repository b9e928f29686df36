/* SPDX-License-Identifier: BSD-2-Clause */
/* Limits: how they are read, and whether a run keeps them. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/judge/limits.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void parse(struct limits *limits, const char *text)
{
    limits_parse(limits, text, strlen(text));
}

static void test_reading(void)
{
    static const char text[] = "# all of it\n"
                               "\n"
                               "  max noise.gap 50us   # comment\r\n"
                               "p99 echo.response.key_down <= 100 ms\n"
                               "\tmedian\tpaths.switch 110 instructions\n"
                               "min bandwidth.* 2.5e1GB/s\n"
                               "mean x <= 1 s\n"
                               "p9999 x >= -3 ticks\n"
                               "rate noise.gap 3/s\n"
                               "max clock.x 1000000000.5 hz in emulated";
    struct limits limits;
    char line[LIMITS_MESSAGE_MAX];

    parse(&limits, text);
    CHECK_EQUAL(limits.error_count, 0);
    CHECK_EQUAL(limits.count, 8);
    limit_text(&limits.item[0], line);
    CHECK_TEXT(line, "max noise.gap <= 50 us");
    CHECK_EQUAL(limits.item[0].line, 3);
    limit_text(&limits.item[1], line);
    CHECK_TEXT(line, "p99 echo.response.key_down <= 100 ms");
    limit_text(&limits.item[2], line);
    CHECK_TEXT(line, "median paths.switch <= 110 instructions");
    limit_text(&limits.item[3], line);
    CHECK_TEXT(line, "min bandwidth.* >= 25 GB/s");
    limit_text(&limits.item[7], line);
    CHECK_TEXT(line, "max clock.x <= 1000000000.5 hz in emulated");
    CHECK(limits.item[0].time == RUN_TIME_REAL && !limits.item[0].stated);
    CHECK(limits.item[2].time == RUN_TIME_EXACT && !limits.item[2].stated);
    CHECK(limits.item[7].time == RUN_TIME_EMULATED && limits.item[7].stated);
    CHECK(limits.item[5].at_least && limits.item[5].value == -3);
    char value[SHORTEST_MAX];

    CHECK_TEXT(limit_value_text(&limits.item[0], 12.3456, value), "12.35");
    CHECK_TEXT(limit_value_text(&limits.item[0], 50.0004, value), "50.0004"); /* not 50 */
    CHECK_TEXT(limit_value_text(&limits.item[0], 50, value), "50");
    CHECK_TEXT(limit_value_text(&limits.item[2], 109.9999, value), "109.9999");
    CHECK_TEXT(limits.item[6].unit, "/s");
    CHECK_EQUAL(limits.item[6].line, 9);
    limits_free(&limits);
}

static void test_malformed(void)
{
    static const char *const lines[] = {
        "maximum x 5us",
        "max",
        "max x",
        "max x us",
        "max x <= ",
        "max x 5",
        "max x 5 parsec",
        "max x 5us 6",
        "max x 0x10us",
        "max x inf us",
        "max x nan us",
        "max x 1e999s",
        "rate x 5us",
        "max x 5/s",
        "max x < 5us",
        "max x <= <= 5us",
        "max x 5 5us",
        "max x 5us in",
        "max x 5us in time",
        "max x 5us in exact 5",
        "max x 5us in exact, 5",
        "max x 5us in exact, shared 5",
        "max x 5us in exact,",
        "max x 5us on exact",
        "median x 5 instructions in real",
        "max x 5 B/instruction in emulated",
    };
    struct limits limits;
    char long_line[1024];

    for (size_t i = 0; i < COUNT(lines); i++) {
        parse(&limits, lines[i]);
        CHECK(limits.count == 0 && limits.error_count == 1);
        CHECK(limits.error_count == 1 && strncmp(limits.errors[0], "1: ", 3) == 0);
        limits_free(&limits);
    }
    parse(&limits, "max a 1us\nbad\nmax b 2us\nworse\n");
    CHECK(limits.count == 2 && limits.error_count == 2);
    CHECK(strncmp(limits.errors[0], "2: unknown statistic \"bad\"", 8) == 0);
    CHECK(strncmp(limits.errors[1], "4: ", 3) == 0);
    limits_free(&limits);
    memset(long_line, 'x', sizeof(long_line));
    limits_parse(&limits, long_line, sizeof(long_line));
    CHECK_EQUAL(limits.error_count, 1);
    limits_free(&limits);
    limits_parse(&limits, "max\0x", 5);
    CHECK_EQUAL(limits.error_count, 1);
    limits_free(&limits);
    limits_parse(&limits, NULL, 0);
    CHECK(limits.count == 0 && limits.error_count == 0);
    limits_free(&limits);
}

/* In exact time of 8 ticks an instruction, 1 GHz: paths.switch 800 (100 instructions), 20 values;
 * gaps as given; and some bandwidth. */
static void make_run(struct run *run, const char *kind, size_t gaps, int64_t unkept)
{
    int64_t switches[20];
    int64_t lengths[4] = {7000, 90000, 5000, 6000};
    const int64_t bound[] = {272, gaps > 0 ? 86016 : 896};
    const int64_t x[] = {4096};
    const int64_t repetitions[] = {2};
    const int64_t ticks[] = {1024, 1024, 2048};

    run_init(run);
    run_add_pair(run, &run->info, "kind", kind);
    run_add_pair(run, &run->info, "ticks_per_instruction", "8");
    run->verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    for (size_t i = 0; i < COUNT(switches); i++) {
        switches[i] = 800 + (int64_t)i;
    }
    struct run_bench *bench = build_bench(run, "paths", 1);

    build_series(bench, "switch", NULL, NULL, switches, COUNT(switches));
    bench = build_bench(run, "gap", 1);
    bench->group = "noise";
    build_fact(bench, "elapsed", 2000000000);
    build_fact(bench, "dead", 0);
    build_fact(bench, "threshold", 999);
    build_fact(bench, "unkept", unkept);
    build_series(bench, "gap_time", NULL, NULL, lengths, gaps);
    build_series(bench, "gap_length", NULL, NULL, lengths, gaps);
    build_series(bench, "histogram_bound", NULL, NULL, bound, COUNT(bound));
    bench = build_bench(run, "bandwidth", 1);
    bench->group = "memory";
    build_series(bench, "read.x", NULL, NULL, x, 1)->unit = "byte";
    build_series(bench, "read.n", NULL, NULL, repetitions, 1)->unit = "count";
    build_series(bench, "read", NULL, NULL, ticks, 3);
}

/* Is the one limit kept? -1: not one result. `message`: a part of its message; NULL: none. */
static int kept(const struct run *run, const char *limit, const char *message)
{
    struct limits limits;
    struct limit_results results;
    struct metrics metrics;

    metrics_of(run, &metrics);
    parse(&limits, limit);
    limits_check(&limits, &metrics, &results);
    const int result = results.count == 1 ? results.item[0].kept : -1;

    if (results.count == 1) {
        CHECK(message == NULL ? results.item[0].message[0] == '\0'
                              : strstr(results.item[0].message, message) != NULL);
        CHECK_EQUAL(results.broken, !results.item[0].kept);
    }
    limit_results_free(&results);
    limits_free(&limits);
    metrics_free(&metrics);
    return result;
}

static void test_values(void)
{
    struct run run;

    make_run(&run, "exact", 0, 0);
    CHECK_EQUAL(kept(&run, "max paths.switch 819 ticks in exact", NULL), 1);
    CHECK_EQUAL(kept(&run, "max paths.switch 818 ticks in exact", NULL), 0);
    CHECK_EQUAL(kept(&run, "min paths.switch 800ns in exact", NULL), 1);
    CHECK_EQUAL(kept(&run, "min paths.switch 801ns in exact", NULL), 0);
    CHECK_EQUAL(kept(&run, "min paths.switch <= 800ns in exact", NULL), 1);
    CHECK_EQUAL(kept(&run, "median paths.switch 101.125 instructions in exact", NULL), 1);
    CHECK_EQUAL(kept(&run, "median paths.switch 101.1 instructions in exact", NULL), 0);
    CHECK_EQUAL(kept(&run, "mean paths.switch 0.8095us in exact", NULL), 1);
    CHECK_EQUAL(kept(&run, "mean paths.switch >= 0.81us in exact", NULL), 0);
    CHECK_EQUAL(kept(&run, "p99 paths.switch 1us in exact", "too few values"), 1);
    CHECK_EQUAL(kept(&run, "p99 paths.switch 818ns in exact", "too few values"), 0);
    CHECK_EQUAL(kept(&run, "p99 paths.switch >= 1ns in exact", "too few values"), 0);
    CHECK_EQUAL(kept(&run, "max paths.swatch 1s in exact", "no such metric"), 0);
    CHECK_EQUAL(kept(&run, "max paths.* 1us in exact", NULL), 1);
    CHECK_EQUAL(kept(&run, "max paths.switch 1GB/s in exact", "the metric has another unit"), 0);
    CHECK_EQUAL(kept(&run, "rate paths.switch 1/s in exact", "no events with a rate"), 0);
    /* 4096 bytes in 512 ticks: 64 bytes an instruction. */
    CHECK_EQUAL(kept(&run, "median bandwidth.read[4KiB] >= 64 B/instruction", NULL), 1);
    CHECK_EQUAL(kept(&run, "median bandwidth.read* >= 64.1 B/instruction", NULL), 0);
    run_free(&run);

    /* Instructions of others included: a limit must be of that time base. */
    make_run(&run, "exact, shared", 0, 0);
    CHECK_EQUAL(kept(&run, "median paths.switch 101.125 instructions in exact, shared", NULL), 1);
    CHECK_EQUAL(kept(&run, "median paths.switch 101.1 instructions in exact, shared", NULL), 0);
    CHECK_EQUAL(kept(&run, "median paths.switch 110 instructions", "has exact, shared time"), 0);
    CHECK_EQUAL(kept(&run, "max paths.switch 1us in exact", "has exact, shared time"), 0);
    run_free(&run);
    make_run(&run, "exact", 0, 0);
    CHECK_EQUAL(kept(&run, "max paths.switch 1us in exact, shared", "run has exact time"), 0);
    run_free(&run);

    make_run(&run, "real", 0, 0);
    CHECK_EQUAL(kept(&run, "median paths.switch 110 instructions", "the run has real time"), 0);
    CHECK_EQUAL(kept(&run, "median bandwidth.read[4KiB] >= 8GB/s", NULL), 1); /* 8 bytes a ns */
    CHECK_EQUAL(kept(&run, "median bandwidth.read[4KiB] >= 8001MB/s", NULL), 0);
    run.verdict.ok = false;
    CHECK_EQUAL(kept(&run, "max paths.switch 1s", "TSC"), 0);
    CHECK_EQUAL(kept(&run, "max paths.switch 900 ticks", NULL), 1);
    run_free(&run);
}

/* A limit is of one kind of time, and a run of another breaks it, whatever its value. */
static void test_kinds(void)
{
    struct run run;

    make_run(&run, "exact", 0, 0);
    CHECK_EQUAL(kept(&run, "max paths.switch 1s", "write \"in exact\" after the unit"), 0);
    CHECK_EQUAL(kept(&run, "max paths.switch 1s in real", "check a run in that time base"), 0);
    CHECK_EQUAL(kept(&run, "max paths.switch 900 ticks", "\"in exact\""), 0);
    CHECK_EQUAL(kept(&run, "rate noise.gap 9/s", "\"in exact\""), 0);
    CHECK_EQUAL(kept(&run, "max paths.switch 1s in exact", NULL), 1);
    CHECK_EQUAL(kept(&run, "median paths.switch 110 instructions in exact", NULL), 1);
    run_free(&run);

    /* What TCG calls real is emulated. */
    make_run(&run, "real", 0, 0);
    run_add_pair(&run, &run.info, "hypervisor", "TCGTCGTCGTCG");
    CHECK_EQUAL(kept(&run, "max paths.switch 1s", "the run has emulated time"), 0);
    CHECK_EQUAL(kept(&run, "max paths.switch 1s in emulated", NULL), 1);
    CHECK_EQUAL(kept(&run, "max paths.switch 1s in real", "emulated"), 0);
    CHECK_EQUAL(kept(&run, "median paths.switch 110 instructions", "emulated"), 0);
    run_free(&run);

    make_run(&run, "real", 0, 0);
    CHECK_EQUAL(kept(&run, "max paths.switch 1s", NULL), 1);
    CHECK_EQUAL(kept(&run, "max paths.switch 1s in real", NULL), 1);
    run_free(&run);

    make_run(&run, "new", 0, 0);
    CHECK_EQUAL(kept(&run, "max paths.switch 1s", "new"), 0);
    run_free(&run);
}

static void test_gaps(void)
{
    struct run run;

    make_run(&run, "real", 0, 0); /* none: the greatest is of 896 to 927 ticks */
    CHECK_EQUAL(kept(&run, "max noise.gap 1us", "none is longer"), 1);
    CHECK_EQUAL(kept(&run, "max noise.gap 927ns", "none is longer"), 1);
    CHECK_EQUAL(kept(&run, "max noise.gap 900ns", "none is longer"), 0);
    CHECK_EQUAL(kept(&run, "max gap.gap_length >= 896ns", "none is longer"), 1);
    CHECK_EQUAL(kept(&run, "median noise.gap 1s", "no values"), 0);
    CHECK_EQUAL(kept(&run, "rate noise.gap 1.5/s", "none in 2 s"), 1); /* -ln 0.05 / 2 = 1.498 */
    CHECK_EQUAL(kept(&run, "rate noise.gap 1.4/s", "none in 2 s"), 0);
    run_free(&run);
    make_run(&run, "real", 4, 0);
    CHECK_EQUAL(kept(&run, "max noise.gap 90us", NULL), 1);
    CHECK_EQUAL(kept(&run, "max noise.gap 89.9us", NULL), 0);
    CHECK_EQUAL(kept(&run, "rate noise.gap 2/s", NULL), 1);
    CHECK_EQUAL(kept(&run, "rate noise.gap 1.9/s", NULL), 0);
    run_free(&run);
    make_run(&run, "real", 4, 3); /* some were not kept: by the histogram, up to 90111 */
    CHECK_EQUAL(kept(&run, "max noise.gap 90us", "between"), 0);
    CHECK_EQUAL(kept(&run, "max noise.gap 91us", "between"), 1);
    CHECK_EQUAL(kept(&run, "median noise.gap 1s", "not all values were kept"), 0);
    CHECK_EQUAL(kept(&run, "rate noise.gap 3.5/s", NULL), 1);
    run_free(&run);
}

/* 100 and 101 ticks, the floor 100; 2 of 100 samples took 200: 200 of 10200 ticks. 1500 gaps behind
 * the 4 that were kept, of which the largest is not among these; 3 SMIs in 2 s. */
static void make_noise(struct run *run)
{
    int64_t floor[100];
    int64_t stolen[50] = {[49] = 40000};

    make_run(run, "real", 4, 1500);
    struct run_bench *bench = run_find_bench(run, "gap");

    build_fact(bench, "over", 1504);
    build_fact(bench, "stolen", 40000);
    build_fact(bench, "largest", 8500);
    build_fact(bench, "largest_at", 1900000000);
    build_fact(bench, "dead_largest", 900);
    build_fact(bench, "dead_smallest", 800);
    build_fact(bench, "rest", 1499);
    build_fact(bench, "rest_sum", 31000);
    build_fact(bench, "smi", 3);
    build_series(bench, "gap_stolen", NULL, NULL, stolen, COUNT(stolen));
    bench = build_bench(run, "idle", 1);
    for (size_t i = 0; i < COUNT(floor); i++) {
        floor[i] = i % 50 == 7 ? 200 : 100;
    }
    build_series(bench, "floor", NULL, NULL, floor, COUNT(floor));
}

static void test_noise(void)
{
    struct run run;

    make_noise(&run);
    CHECK_EQUAL(kept(&run, "max noise.gap 8.5us", NULL), 1); /* of all, not of those kept */
    CHECK_EQUAL(kept(&run, "max noise.gap 8.4us", NULL), 0);
    CHECK_EQUAL(kept(&run, "max gap.longest 8.5us", NULL), 1);
    CHECK_EQUAL(kept(&run, "max gap.longest 8.4us", NULL), 0);
    CHECK_EQUAL(kept(&run, "rate noise.gap 752/s", NULL), 1);
    CHECK_EQUAL(kept(&run, "rate noise.gap 751/s", NULL), 0);
    CHECK_EQUAL(kept(&run, "rate gap.smi 1.5/s", NULL), 1);
    CHECK_EQUAL(kept(&run, "rate gap.smi 1.4/s", NULL), 0);
    CHECK_EQUAL(kept(&run, "max gap.smi 1 /s", NULL), -1);      /* malformed: no limit */
    CHECK_EQUAL(kept(&run, "mean gap.stolen 20 ppm", NULL), 1); /* 40000 of 2e9 ticks */
    CHECK_EQUAL(kept(&run, "mean gap.stolen 19.9 ppm", NULL), 0);
    CHECK_EQUAL(kept(&run, "max gap.stolen 1000 ppm", NULL), 1); /* in the last of 50 parts */
    CHECK_EQUAL(kept(&run, "max gap.stolen 999 ppm", NULL), 0);
    CHECK_EQUAL(kept(&run, "mean idle.stolen[floor] 1.961 %", NULL), 1);
    CHECK_EQUAL(kept(&run, "mean idle.stolen[floor] 19607 ppm", NULL), 0);
    CHECK_EQUAL(kept(&run, "mean idle.stolen[floor] 1 us", "the metric has another unit"), 0);
    CHECK_EQUAL(kept(&run, "mean idle.stolen[floor] 1 count", "the metric has another unit"), 0);
    CHECK_EQUAL(kept(&run, "mean paths.switch 1 ppm", "the metric has another unit"), 0);
    run_free(&run);
}

int main(void)
{
    RUN(test_reading());
    RUN(test_malformed());
    RUN(test_values());
    RUN(test_kinds());
    RUN(test_gaps());
    RUN(test_noise());
    return unit_finish("unit_limits");
}
