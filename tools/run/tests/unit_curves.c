/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/run/curves.h"

#include "tools/stats/summary.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

static const int64_t at[] = {1024, 4096};
static const int64_t repetitions[] = {10, 20};
/* Overhead 7; costs 3, 4, 5 and 6, 6, 8 ticks a repetition. */
static const int64_t once[] = {37, 47, 57, 127, 127, 167};
static const int64_t twice[] = {67, 87, 107, 247, 247, 327};

static struct run_bench *curve_bench(struct run *run, bool with_twice)
{
    run_init(run);
    struct run_bench *bench = build_bench(run, "chase", 1);

    build_series(bench, "c.x", NULL, NULL, at, COUNT_OF(at));
    build_series(bench, "c.n", NULL, NULL, repetitions, COUNT_OF(repetitions));
    build_series(bench, "c", NULL, NULL, once, COUNT_OF(once));
    if (with_twice) {
        build_series(bench, "c.twice", NULL, NULL, twice, COUNT_OF(twice));
    }
    return bench;
}

static void test_differences_cancel_overhead(void)
{
    struct run run;
    struct curve curve;

    CHECK(curve_read(curve_bench(&run, true), "c", &curve));
    CHECK_EQUAL(curve.points, 2);
    CHECK_EQUAL(curve.trials, 3);
    CHECK_EQUAL(curve.x[1], 4096);
    CHECK(curve_median(&curve, 0) == 4 && curve_min(&curve, 0) == 3 && curve_max(&curve, 0) == 5);
    CHECK(curve_median(&curve, 1) == 6 && curve_min(&curve, 1) == 6 && curve_max(&curve, 1) == 8);
    curve_free(&curve);
    run_free(&run);
}

static void test_without_twice_overhead_stays(void)
{
    struct run run;
    struct curve curve;

    CHECK(curve_read(curve_bench(&run, false), "c", &curve));
    CHECK(curve_median(&curve, 0) == 4.7);
    curve_free(&curve);
    run_free(&run);
}

static void test_shapes_that_are_none(void)
{
    struct run run;
    struct curve curve;
    struct run_bench *bench = curve_bench(&run, true);

    CHECK(!curve_read(bench, "other", &curve));
    run_find_series(bench, "c.n")->samples[1] = 0;
    CHECK(!curve_read(bench, "c", &curve));
    run_find_series(bench, "c.n")->samples[1] = 20;
    CHECK(curve_read(bench, "c", &curve));
    curve_free(&curve);
    build_hole(run_find_series(bench, "c.twice"), 2);
    CHECK(!curve_read(bench, "c", &curve)); /* a pair is missing: neither once alone */
    build_series(bench, "d", NULL, NULL, once, 5);
    build_series(bench, "d.x", NULL, NULL, at, 2);
    build_series(bench, "d.n", NULL, NULL, repetitions, 2);
    CHECK(!curve_read(bench, "d", &curve)); /* 5 trials of 2 points */
    run_free(&run);
}

static void test_costs(void)
{
    struct run run;
    size_t count = 0;

    run_init(&run);
    struct run_bench *bench = build_bench(&run, "loop", 1);

    build_series(bench, "register", NULL, NULL, once, 3);
    double *costs = costs_read(bench, "register", &count);

    CHECK(costs != NULL && count == 3 && costs[0] == 37); /* no fact: a sample is one */
    free(costs);
    build_fact(bench, "repetitions", 10);
    build_series(bench, "register.twice", NULL, NULL, twice, 3);
    costs = costs_read(bench, "register", &count);
    CHECK(costs != NULL && count == 3 && costs[0] == 3 && costs[2] == 5);
    CHECK(costs != NULL && summary_quantile(costs, count, 0.5) == 4);
    free(costs);
    CHECK(costs_read(bench, "memory", &count) == NULL);
    run_free(&run);
}

int main(void)
{
    RUN(test_differences_cancel_overhead());
    RUN(test_without_twice_overhead_stays());
    RUN(test_shapes_that_are_none());
    RUN(test_costs());
    return unit_finish("unit_curves");
}
