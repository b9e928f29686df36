/* SPDX-License-Identifier: BSD-2-Clause */
/* Trials that Linux disturbed: which medians are trusted, and what a bench keeps. */
#include "tools/linux/host_trials.h"

#include <math.h>
#include <string.h>

#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

static void test_judgement(void)
{
    static const int64_t once[] = {1010, 1000, 1003, 90000, 1002};
    static const int64_t twice[] = {2010, 2000, 2003, 2001, 2002};
    static const int64_t negative[] = {9000, 8000, 1003, 90000, 1002};
    static const int64_t slow[] = {9010, 9000, 9003, 9001, 2002};
    struct host_cost cost;

    /* One of five trials was disturbed: neither value shows it. */
    CHECK(host_cost_judge(once, twice, 5, 100, &cost));
    CHECK(fabs(cost.median - 10) < 1e-9 && fabs(cost.least - 10) < 1e-9);
    CHECK(!host_cost_judge(negative, twice, 5, 100, &cost));
    CHECK(cost.median < 0 && fabs(cost.least - 9.98) < 1e-9);
    CHECK(!host_cost_judge(once, slow, 5, 100, &cost));
    CHECK(cost.median > 79 && fabs(cost.least - 10.02) < 1e-9);
    CHECK(host_cost_judge(once, NULL, 5, 1, &cost) && cost.median == 1003 && cost.least == 1000);
    CHECK(!host_cost_judge(negative, NULL, 5, 1, &cost) && cost.median == 8000);
    CHECK(!host_cost_judge(twice, once, 1, 1, &cost)); /* no value of it can be trusted */
}

/* Of the three points of a curve the second is removed, and of two costs the second. */
static void test_bench(void)
{
    static const int64_t x[] = {1024, 2048, 4096};
    static const int64_t n[] = {10, 10, 10};
    static const int64_t once[] = {100, 100, 100, 900, 900, 100, 300, 300, 300};
    static const int64_t twice[] = {200, 200, 200, 200, 200, 200, 600, 600, 600};
    static const int64_t other[] = {5, 5};
    struct run run;

    run_init(&run);
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    struct run_bench *bench = build_bench(&run, "bench", 1);

    build_series(bench, "curve.x", NULL, NULL, x, 3);
    build_series(bench, "curve.n", NULL, NULL, n, 3);
    build_series(bench, "curve", NULL, NULL, once, 9);
    build_series(bench, "curve.twice", NULL, NULL, twice, 9);
    build_series(bench, "loop", NULL, NULL, once, 3);
    build_series(bench, "loop.twice", NULL, NULL, twice, 3);
    build_series(bench, "call", NULL, NULL, once + 3, 3);
    build_series(bench, "call.twice", NULL, NULL, twice + 3, 3);
    build_series(bench, "pair", NULL, NULL, other, 2);
    host_trials_judge(&run, bench);
    CHECK_EQUAL(bench->series[0].n, 2);
    CHECK_EQUAL(bench->series[0].samples[1], 4096);
    CHECK_EQUAL(bench->series[2].n, 6);
    CHECK_EQUAL(bench->series[2].samples[3], 300);
    CHECK_EQUAL(bench->series[4].n, 3);
    CHECK_EQUAL(bench->series[6].n, 0);
    CHECK_EQUAL(bench->series[8].n, 2);
    CHECK_EQUAL(bench->absent_count, 2);
    CHECK_TEXT(bench->absents[0].name, "curve[2048]");
    CHECK(strstr(bench->absents[0].reason, "median -70 ns, but 10 ns by the shortest") != NULL);
    CHECK_TEXT(bench->absents[1].name, "call");
    CHECK_EQUAL(run_fact_or(bench, "least.curve", 0), 30000);
    CHECK_EQUAL(run_fact_or(bench, "least.loop", 0), 100000);
    run_free(&run);
}

/* Without its loop, which is subtracted, a cost would be too large. */
static void test_loop(void)
{
    static const int64_t good[] = {100, 100, 100};
    static const int64_t good_twice[] = {200, 200, 200};
    static const int64_t bad[] = {900, 900, 100};
    struct run run;

    run_init(&run);
    run.verdict = (struct run_verdict){.present = true, .ok = true, .hz = 1000000000};
    struct run_bench *bench = build_bench(&run, "bench", 1);

    build_series(bench, "loop", NULL, NULL, bad, 3);
    build_series(bench, "loop.twice", NULL, NULL, good_twice, 3);
    build_series(bench, "call", NULL, NULL, good, 3);
    build_series(bench, "call.twice", NULL, NULL, good_twice, 3);
    host_trials_judge(&run, bench);
    CHECK_EQUAL(bench->series[2].n, 0);
    CHECK_EQUAL(bench->absent_count, 2);
    CHECK(strstr(bench->absents[1].reason, "the loop, which is subtracted, is absent") != NULL);
    run_free(&run);
}

int main(void)
{
    RUN(test_judgement());
    RUN(test_bench());
    RUN(test_loop());
    return unit_finish("unit_host_trials");
}
