/* SPDX-License-Identifier: BSD-2-Clause */
/* Gaps of several processors, made by hand: which are of all, which of one, which unknown. */

#include "bench/noise/host/gap_join.h"
#include "bench/noise/names.h"
#include "bench/system/names.h"
#include "tools/tests/support/run_builder.h"
#include "tools/tests/support/unit.h"

#define THRESHOLD 1000
#define READING   50
#define WATCH     1000000

/* Lanes of which all gaps were kept. */
static struct gap_join lanes_of(size_t count, int64_t uncertainty)
{
    struct gap_join join = {.lanes = alloc_zeroed(count * sizeof(*join.lanes)),
                            .lane_count = count};

    for (size_t i = 0; i < count; i++) {
        join.lanes[i] = (struct gap_lane){
            .number = i,
            .end = WATCH,
            .uncertainty = uncertainty,
            .threshold = THRESHOLD,
            .reading = READING,
            .kept_until = INT64_MAX,
            .gaps = alloc_zeroed(16 * sizeof(struct gap_span)),
        };
    }
    return join;
}

static void add(struct gap_join *join, size_t lane, int64_t begin, int64_t length)
{
    struct gap_lane *to = &join->lanes[lane];

    to->gaps[to->count++] = (struct gap_span){.begin = begin, .end = begin + length};
}

static void add_to_all(struct gap_join *join, int64_t begin, int64_t length)
{
    for (size_t i = 0; i < join->lane_count; i++) {
        add(join, i, begin + (int64_t)i * 7, length + (int64_t)i * 3);
    }
}

static void test_world_and_local(void)
{
    struct gap_join join = lanes_of(4, 10);

    add_to_all(&join, 10000, 5000);
    add(&join, 2, 30000, 2000);
    add_to_all(&join, 50000, 3000);
    gap_join_classify(&join);
    CHECK_EQUAL(join.stop_count, 2);
    CHECK_EQUAL(join.stops[0].begin, 10000);
    CHECK_EQUAL(join.stops[0].end, 10000 + 3 * 7 + 5000 + 3 * 3);
    CHECK_EQUAL(join.stops[0].common, 15000 - (10000 + 3 * 7));
    CHECK_EQUAL(join.stops[0].gaps, 4);
    CHECK_EQUAL(join.lanes[2].of[GAP_LOCAL], 1);
    CHECK_EQUAL(join.lanes[2].of[GAP_WORLD], 2);
    CHECK_EQUAL(join.lanes[2].gaps[1].class, GAP_LOCAL);
    CHECK_EQUAL(join.lanes[3].gaps[1].stop, 1);
    gap_join_free(&join);
}

/* Three of four stood still: the fourth ran, so that it was no stop of the world. */
static void test_all_but_one(void)
{
    struct gap_join join = lanes_of(4, 10);

    for (size_t i = 0; i < 3; i++) {
        add(&join, i, 10000, 5000);
    }
    gap_join_classify(&join);
    CHECK_EQUAL(join.stop_count, 0);
    CHECK_EQUAL(join.lanes[0].of[GAP_LOCAL], 1);
    gap_join_free(&join);
}

/* In pieces on one processor: an NMI within, or a reading that came through. */
static void test_pieces(void)
{
    struct gap_join join = lanes_of(2, 10);

    add(&join, 0, 10000, 9000);
    add(&join, 1, 10000, 3000);
    add(&join, 1, 13100, 2800);
    add(&join, 1, 16000, 3000);
    gap_join_classify(&join);
    CHECK_EQUAL(join.stop_count, 1);
    CHECK_EQUAL(join.stops[0].gaps, 4);
    CHECK_EQUAL(join.stops[0].common, 9000);
    gap_join_free(&join);
}

/* One stop behind another: the clocks separate them. */
static void test_neighbours(void)
{
    struct gap_join join = lanes_of(2, 10);

    add_to_all(&join, 10000, 2000);
    add_to_all(&join, 12100, 2000);
    gap_join_classify(&join);
    CHECK_EQUAL(join.stop_count, 2);
    gap_join_free(&join);
}

/* Covered for less than half: two local ones that overlap. */
static void test_overlap(void)
{
    struct gap_join join = lanes_of(2, 10);

    add(&join, 0, 10000, 5000);
    add(&join, 1, 13000, 5000);
    gap_join_classify(&join);
    CHECK_EQUAL(join.stop_count, 0);
    CHECK_EQUAL(join.lanes[0].of[GAP_LOCAL], 1);
    CHECK_EQUAL(join.lanes[1].of[GAP_LOCAL], 1);
    gap_join_free(&join);
}

static void test_skew(void)
{
    struct gap_join join = lanes_of(2, 2000);

    add_to_all(&join, 10000, 4000);  /* as long as both bounds */
    add_to_all(&join, 50000, 12000); /* world, wherever within them */
    add(&join, 0, 100000, 12000);    /* local, likewise */
    add(&join, 0, 200000, 10000);    /* covered or not, as the clocks are */
    add(&join, 1, 205200, 8000);
    gap_join_classify(&join);
    CHECK_EQUAL(join.lanes[0].gaps[0].class, GAP_UNKNOWN);
    CHECK_EQUAL(join.lanes[0].gaps[0].why, GAP_WHY_SKEW);
    CHECK_EQUAL(join.lanes[0].gaps[1].class, GAP_WORLD);
    CHECK_EQUAL(join.lanes[0].gaps[2].class, GAP_LOCAL);
    CHECK_EQUAL(join.lanes[0].gaps[3].class, GAP_UNKNOWN);
    CHECK_EQUAL(join.lanes[0].gaps[3].why, GAP_WHY_SKEW);
    CHECK_EQUAL(join.stop_count, 1);
    gap_join_free(&join);
}

/* A bound that no gap exceeds: nothing is joined, and nothing is called local. */
static void test_refused(void)
{
    struct gap_join join = lanes_of(2, 4000000);

    add_to_all(&join, 10000, 5000);
    add(&join, 1, 30000, 9000);
    gap_join_classify(&join);
    CHECK_EQUAL(join.stop_count, 0);
    CHECK_EQUAL(join.why[GAP_WHY_SKEW], 3);
    CHECK_EQUAL(join.lanes[1].of[GAP_UNKNOWN], 2);
    gap_join_free(&join);
}

/* Half a reading more or less decides whether the other processor's gap was kept. */
static void test_threshold(void)
{
    struct gap_join join = lanes_of(2, 0);

    add(&join, 0, 10000, THRESHOLD + READING);
    add(&join, 0, 20000, THRESHOLD + READING + 1);
    gap_join_classify(&join);
    CHECK_EQUAL(join.lanes[0].gaps[0].class, GAP_UNKNOWN);
    CHECK_EQUAL(join.lanes[0].gaps[0].why, GAP_WHY_THRESHOLD);
    CHECK_EQUAL(join.lanes[0].gaps[1].class, GAP_LOCAL);
    gap_join_free(&join);
}

static void test_unkept(void)
{
    struct gap_join join = lanes_of(2, 0);

    join.lanes[1].kept_until = 50000;
    join.lanes[1].largest_unkept = 3000;
    add(&join, 0, 10000, 2000); /* all of that time were kept */
    add(&join, 0, 60000, 2000);
    add(&join, 0, 70000, 5000); /* longer than any that was not kept */
    gap_join_classify(&join);
    CHECK_EQUAL(join.lanes[0].gaps[0].class, GAP_LOCAL);
    CHECK_EQUAL(join.lanes[0].gaps[1].why, GAP_WHY_UNKEPT);
    CHECK_EQUAL(join.lanes[0].gaps[2].class, GAP_LOCAL);
    gap_join_free(&join);
}

static void test_unwatched(void)
{
    struct gap_join join = lanes_of(2, 0);

    join.lanes[1].begin = 20000;
    add(&join, 0, 10000, 5000);
    add(&join, 0, 30000, 5000);
    gap_join_classify(&join);
    CHECK_EQUAL(join.lanes[0].gaps[0].why, GAP_WHY_UNWATCHED);
    CHECK_EQUAL(join.lanes[0].gaps[1].class, GAP_LOCAL);
    gap_join_free(&join);
}

/* ---- from a run ---- */

static void build_lane(struct run_bench *bench, const char *const names[10], int64_t origin,
                       const int64_t *times, const int64_t *lengths, size_t count)
{
    build_fact(bench, names[0], origin);
    build_fact(bench, names[1], 1000000);
    build_fact(bench, names[2], 0);
    build_fact(bench, names[3], lengths[0] + lengths[1]);
    build_fact(bench, names[4], 20000);
    build_fact(bench, names[5], (int64_t)count);
    build_fact(bench, names[6], THRESHOLD);
    build_fact(bench, names[7], 0);
    build_series(bench, names[8], NULL, NULL, times, count);
    build_series(bench, names[9], NULL, NULL, lengths, count);
}

static void build_run(struct run *run, int64_t after)
{
    static const char *const own[10] = {
        FACT_ORIGIN, FACT_GAP_ELAPSED, FACT_DEAD, FACT_STOLEN,     FACT_READS,
        FACT_OVER,   FACT_THRESHOLD,   FACT_REST, SERIES_GAP_TIME, SERIES_GAP_LENGTH};
    static const char *const other[10] = {
        FACT_ORIGIN ".3",     FACT_GAP_ELAPSED ".3", FACT_DEAD ".3",      FACT_STOLEN ".3",
        FACT_READS ".3",      FACT_OVER ".3",        FACT_THRESHOLD ".3", FACT_REST ".3",
        SERIES_GAP_TIME ".3", SERIES_GAP_LENGTH ".3"};
    static const int64_t numbers[] = {0, 3};
    static const int64_t bounds[] = {0, 20};
    const int64_t skew_before[] = {0, 500};
    const int64_t skew_after[] = {0, after};
    static const int64_t times[] = {10000, 50000};
    static const int64_t lengths[] = {4000, 2000};
    static const int64_t other_times[] = {9900, 70000};
    struct run_bench *bench = build_bench(run, BENCH_GAP, 1);

    build_series(bench, SERIES_NUMBER, NULL, NULL, numbers, 2);
    build_series(bench, SERIES_TEAM_SKEW, NULL, NULL, skew_before, 2);
    build_series(bench, SERIES_TEAM_SKEW_AFTER, NULL, NULL, skew_after, 2);
    build_series(bench, SERIES_TEAM_BOUND, NULL, NULL, bounds, 2);
    build_series(bench, SERIES_TEAM_BOUND_AFTER, NULL, NULL, bounds, 2);
    build_lane(bench, own, 20, times, lengths, 2);
    build_lane(bench, other, 120, other_times, lengths, 2);
}

static void test_read(void)
{
    struct run run;
    struct gap_join join;
    const char *why = NULL;

    run_init(&run);
    build_run(&run, 510);
    CHECK(gap_join_of(&run.benches[0], &join, &why));
    CHECK_EQUAL(join.lane_count, 2);
    CHECK_EQUAL(join.lanes[1].number, 3);
    CHECK_EQUAL(join.lanes[1].uncertainty, 20);
    CHECK_EQUAL(join.lanes[1].gaps[0].begin, 10020); /* another origin, the same moment */
    CHECK_EQUAL(join.stop_count, 1);
    CHECK_EQUAL(join.lanes[0].of[GAP_LOCAL], 1);
    CHECK_EQUAL(join.lanes[1].of[GAP_LOCAL], 1);
    gap_join_free(&join);
    run_free(&run);
}

/* A clock that moved meanwhile is known no better than that. */
static void test_drift(void)
{
    struct run run;
    struct gap_join join;
    const char *why = NULL;

    run_init(&run);
    build_run(&run, 8540);
    CHECK(gap_join_of(&run.benches[0], &join, &why));
    CHECK_EQUAL(join.lanes[1].uncertainty, 20 + 8000);
    CHECK_EQUAL(join.stop_count, 0);
    CHECK_EQUAL(join.why[GAP_WHY_SKEW], 4);
    gap_join_free(&join);
    run_free(&run);
}

static void test_missing(void)
{
    struct run run;
    struct gap_join join;
    const char *why = NULL;

    run_init(&run);
    build_run(&run, 500);
    build_hole(run_find_series(&run.benches[0], SERIES_GAP_LENGTH ".3"), 1);
    CHECK(!gap_join_of(&run.benches[0], &join, &why));
    CHECK(why != NULL);
    build_bench(&run, BENCH_SELFISH, 1);
    CHECK(!gap_join_of(&run.benches[1], &join, &why));
    CHECK_TEXT(why, "only one processor took part");
    run_free(&run);
}

int main(void)
{
    RUN(test_world_and_local());
    RUN(test_all_but_one());
    RUN(test_pieces());
    RUN(test_neighbours());
    RUN(test_overlap());
    RUN(test_skew());
    RUN(test_refused());
    RUN(test_threshold());
    RUN(test_unkept());
    RUN(test_unwatched());
    RUN(test_read());
    RUN(test_drift());
    RUN(test_missing());
    return unit_finish("unit_gap_join");
}
