/* SPDX-License-Identifier: BSD-2-Clause */
/* What a bench published, held against what it stated. */
#include "kernel/run/expectation.h"

#include "kernel/run/names.h"
#include "tools/tests/support/unit.h"

#define TICKS 8 /* of an instruction */

static char reason[160];

/* One estimate, of 40 instructions. */
static bool met(const char *series, uint32_t ticks)
{
    const struct bench_estimate estimates[] = {{series, 40, ESTIMATE_NONE, UNIT_CYCLE, ""}, {0}};
    const struct bench bench = {.name = "test", .estimates = estimates};

    return expectation_met(&bench, ticks, reason, sizeof(reason));
}

static void publish(const char *name, int64_t a, int64_t b, int64_t c)
{
    static int64_t samples[64][3];
    static size_t used;
    int64_t *row = samples[used++ % 64];

    row[0] = a;
    row[1] = b;
    row[2] = c;
    expectation_series(name, UNIT_TICK, row, 3);
}

/* Around 40 instructions and an empty stretch of 5. */
static bool plain(int64_t instructions)
{
    expectation_begin();
    publish(SERIES_EMPTY, 5 * TICKS, 5 * TICKS, 5 * TICKS);
    publish("plain", 0, (instructions + 5) * TICKS, 1000000);
    return met("plain", TICKS);
}

static void test_tolerance(void)
{
    CHECK(plain(40));
    CHECK(plain(30));
    CHECK(plain(50));
    CHECK(!plain(29));
    CHECK_TEXT(reason, "plain: expected 40 instructions (tolerance 10), got 29");
    CHECK(!plain(51));
    CHECK(!plain(0));
    CHECK(met("plain", 0)); /* time is not judged */
}

/* Counted instructions leave no room. */
static void test_counted(void)
{
    const struct bench_estimate estimates[] = {{"plain", 6, ESTIMATE_NONE, UNIT_CYCLE, ""}, {0}};
    const struct bench bench = {.name = "test", .estimates = estimates, .counted = true};

    for (int64_t instructions = 5; instructions <= 7; instructions++) {
        expectation_begin();
        publish("plain", instructions * TICKS, instructions * TICKS, instructions * TICKS);
        CHECK_EQUAL(expectation_met(&bench, TICKS, reason, sizeof(reason)), instructions == 6);
    }
}

/* A name that is on the stack of its publisher may change afterwards. */
static void test_copied_name(void)
{
    char name[] = "plain";

    expectation_begin();
    publish(name, 20 * TICKS, 20 * TICKS, 20 * TICKS);
    name[0] = 'x';
    CHECK(!met("plain", TICKS));
}

/* A series with an estimate is published, or absent with a reason, or the plan left it out. */
static void test_missing(void)
{
    expectation_begin();
    CHECK(!met("plain", TICKS));
    CHECK_TEXT(reason, "plain: expected to be published, or absent with a reason");
    CHECK(met("plain", 0));
    expectation_absent("plain");
    CHECK(met("plain", TICKS));
    CHECK_TEXT(reason, "");
    expectation_begin();
    expectation_absent(NULL);
    CHECK(met("plain", TICKS));
}

/* What a bench with these declarations published. */
static bool declared(const char *relations, bool steady)
{
    const struct bench bench = {.name = "test", .relations = relations, .steady = steady};

    return expectation_met(&bench, TICKS, reason, sizeof(reason));
}

static void test_names_and_numbers(void)
{
    expectation_begin();
    publish("cost", 100, 100, 100);
    publish("cost", 100, 100, 100);
    CHECK(!declared(NULL, false));
    CHECK_TEXT(reason, "cost is published twice");
    expectation_begin();
    expectation_multiple(2);
    publish("cost", 100, 100, 100);
    CHECK(!declared(NULL, false));
    CHECK_TEXT(reason, "cost: 3 samples: expected a multiple of 2, as the plan says");
    expectation_multiple(3);
    CHECK(declared(NULL, false));
    expectation_begin();
    publish(SERIES_EMPTY, 5, 0, 5);
    CHECK(!declared(NULL, false));
    CHECK_TEXT(reason, "empty: expected equal samples above 0, got 0 to 5 ticks");
}

static void test_steady(void)
{
    expectation_begin();
    publish("cost", 400, 400 + 3 * TICKS, 400);
    CHECK(declared(NULL, true));
    publish("other", 400, 525, 400);
    CHECK(declared(NULL, false));
    CHECK(!declared(NULL, true));
    CHECK_TEXT(reason, "other: expected equal samples above 0, got 400 to 525 ticks");
    expectation_begin();
    publish("curve" SUFFIX_X, 1, 2, 3);
    publish("curve", 100, 200, 300);
    CHECK(declared(NULL, true));
}

static void test_relations(void)
{
    expectation_begin();
    publish("a.1", 1, 2, 3);
    publish("b.1", 2, 3, 4);
    publish("c.1", 3, 5, 7);
    CHECK(declared("c=a+b a<b<c ^a", false));
    CHECK(declared("c=d+e a<d<b", false)); /* what is not published is not judged */
    CHECK(!declared("b<a", false));
    CHECK_TEXT(reason, "its series break b<a (^ rises, < medians rise, = sum)");
    CHECK(!declared("a<b c=a+a", false));
    CHECK(!declared("c=a", false));
    publish("d.1", 3, 3, 7);
    CHECK(!declared("^d", false));
}

/* The third trial is of a host that took the processor away. */
static bool pair(int64_t once, int64_t twice)
{
    expectation_begin();
    expectation_fact(FACT_REPETITIONS, 10);
    publish("cost", once, once, 1000000);
    publish("cost" SUFFIX_TWICE, twice, twice, twice);
    return met("cost", 0);
}

static bool exact_pair(int64_t once, int64_t twice)
{
    const struct bench bench = {.name = "test"};

    expectation_begin();
    publish("cost", 100, 100, once);
    publish("cost" SUFFIX_TWICE, 200, 200, twice);
    return expectation_met(&bench, TICKS, reason, sizeof(reason));
}

static void test_pairs(void)
{
    CHECK(pair(100, 200));
    CHECK(pair(100, 101));
    CHECK(!pair(100, 100));
    CHECK_TEXT(reason,
               "cost: with twice 10 repetitions a trial must take longer, at most 4 times as long; "
               "true in 0 of 3 trials, expected at least 1");
    CHECK(!pair(100, 90));
    CHECK(pair(100, 400));
    CHECK(!pair(100, 401));
    CHECK(exact_pair(100, 200));
    CHECK(!exact_pair(100, 100));
}

/* 10 repetitions of 40 instructions, in a loop of 2. */
static void test_loop_around(void)
{
    expectation_begin();
    expectation_fact(FACT_REPETITIONS, 10);
    publish(SERIES_LOOP, 20 * TICKS, 20 * TICKS, 20 * TICKS);
    publish(SERIES_LOOP SUFFIX_TWICE, 40 * TICKS, 40 * TICKS, 40 * TICKS);
    publish("cost", 427 * TICKS, 427 * TICKS, 427 * TICKS);
    publish("cost" SUFFIX_TWICE, 847 * TICKS, 847 * TICKS, 847 * TICKS);
    CHECK(met("cost", TICKS));
    CHECK(!met(SERIES_LOOP, TICKS));
}

/* Three points of one trial each. */
static void test_curve(void)
{
    expectation_begin();
    publish("curve" SUFFIX_X, 1, 3, 2);
    publish("curve" SUFFIX_N, 1, 10, 2);
    publish("curve", 40 * TICKS, 400 * TICKS, 20 * TICKS);
    CHECK(met("curve", TICKS)); /* the maximum x: 400 for 10 */
    CHECK(met("curve@1", TICKS));
    CHECK(!met("curve@2", TICKS));
    CHECK(!met("curve@4", TICKS)); /* no such point */
}

/* Two processors: nothing is measured of one with itself. */
static void test_matrix(void)
{
    static const int64_t good[] = {0, 400 * TICKS, 410 * TICKS, 0};
    static const int64_t bad[] = {0, 200 * TICKS, 210 * TICKS, 0};

    expectation_begin();
    expectation_fact(FACT_TRIALS, 1);
    expectation_fact(FACT_REPETITIONS, 10);
    expectation_series("pairs", UNIT_TICK, good, 4);
    CHECK(met("pairs", TICKS));
    expectation_begin();
    expectation_fact(FACT_TRIALS, 1);
    expectation_fact(FACT_REPETITIONS, 10);
    expectation_series("pairs", UNIT_TICK, bad, 4);
    CHECK(!met("pairs", TICKS));
}

/* Series that do not belong together. */
static void test_misfit(void)
{
    static const int64_t one[] = {5};

    expectation_begin();
    publish("cost", 1, 2, 3);
    expectation_series("cost" SUFFIX_TWICE, UNIT_TICK, one, 1);
    CHECK(!met("other", 0));
}

int main(void)
{
    RUN(test_tolerance());
    RUN(test_counted());
    RUN(test_copied_name());
    RUN(test_missing());
    RUN(test_names_and_numbers());
    RUN(test_steady());
    RUN(test_relations());
    RUN(test_pairs());
    RUN(test_loop_around());
    RUN(test_curve());
    RUN(test_matrix());
    RUN(test_misfit());
    return unit_finish("unit_expectation");
}
