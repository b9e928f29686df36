/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of timerlat: quantiles of histograms, and counts that contradict themselves. */
#include "bench/latency/host/ways.h"

#include "bench/latency/names.h"
#include "bench/system/names.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define PERIODS 100000

static const int64_t bounds[] = {96, 100, 400};
static const int64_t counts[] = {99000, 950, 50};
static const int64_t first[] = {97, 97};

static void build_span(struct run_bench *bench, const char *name, const char *bound,
                       const char *count, const char *const facts[4])
{
    build_series(bench, name, NULL, NULL, first, 2);
    build_series(bench, bound, NULL, NULL, bounds, 3);
    build_series(bench, count, NULL, NULL, counts, 3);
    build_fact(bench, facts[0], 97);
    build_fact(bench, facts[1], 410);
    build_fact(bench, facts[2], 7000);
    build_fact(bench, facts[3], INT64_C(9800000));
}

#define SPAN(name)                                                               \
    build_span(bench, name ".2", name SUFFIX_BOUND ".2", name SUFFIX_COUNT ".2", \
               (const char *const[]){name SUFFIX_MIN ".2", name SUFFIX_MAX ".2", \
                                     name SUFFIX_MAX_AT ".2", name SUFFIX_SUM ".2"})

/* Processors 2, which measured, and 5, which did not. */
static struct run_bench *build(struct run *run, int64_t periods)
{
    static const int64_t numbers[] = {2, 5};

    run_init(run);
    struct run_bench *bench = build_bench(run, BENCH_TIMERLAT, 1);

    build_series(bench, SERIES_NUMBER, NULL, NULL, numbers, 2);
    build_fact(bench, FACT_PERIOD, 20000);
    build_fact(bench, FACT_PERIODS ".2", periods);
    build_fact(bench, FACT_OVERRUNS ".2", 3);
    SPAN(SPAN_HANDLER);
    SPAN(SPAN_DPC);
    SPAN(SPAN_THREAD);
    SPAN(SPAN_WHOLE);
    return bench;
}

static void test_quantiles(void)
{
    struct run run;
    struct ways ways;

    CHECK(ways_of(build(&run, PERIODS), &ways));
    CHECK_EQUAL(ways.count, 1);
    CHECK_EQUAL(ways.period, 20000);
    const struct way_lane *lane = &ways.lane[0];

    CHECK(lane->known);
    CHECK_EQUAL(lane->number, 2);
    CHECK_EQUAL(lane->overruns, 3);
    CHECK_EQUAL(way_quantile(lane, WAY_SPAN_DPC, 500000), 97); /* not below the least */
    CHECK_EQUAL(way_quantile(lane, WAY_SPAN_DPC, 990000), 97);
    CHECK_EQUAL(way_quantile(lane, WAY_SPAN_DPC, 990001), 100);
    CHECK_EQUAL(way_quantile(lane, WAY_SPAN_DPC, 999500), 100);
    CHECK_EQUAL(way_quantile(lane, WAY_SPAN_DPC, 999501), 400);
    CHECK(way_has_quantile(lane, 999900));
    CHECK(!way_has_quantile(lane, 999901));
    ways_free(&ways);
    run_free(&run);
}

/* Counts that are not all periods: nothing of it is believed. */
static void test_contradiction(void)
{
    struct run run;
    struct ways ways;

    CHECK(ways_of(build(&run, PERIODS + 1), &ways));
    CHECK(!ways.lane[0].known);
    ways_free(&ways);
    run_free(&run);
    CHECK(ways_of(build(&run, 0), &ways));
    CHECK(!ways.lane[0].known);
    ways_free(&ways);
    run_free(&run);
}

static void test_missing(void)
{
    struct run run;
    struct ways ways;
    struct run_bench *bench = build(&run, PERIODS);

    build_hole(run_find_series(bench, SPAN_THREAD SUFFIX_COUNT ".2"), 1);
    CHECK(ways_of(bench, &ways));
    CHECK(!ways.lane[0].known);
    ways_free(&ways);
    bench = build_bench(&run, BENCH_TIMERLAT, 2);
    CHECK(!ways_of(bench, &ways));
    ways_free(&ways);
    run_free(&run);
}

int main(void)
{
    RUN(test_quantiles());
    RUN(test_contradiction());
    RUN(test_missing());
    return unit_finish("unit_ways");
}
