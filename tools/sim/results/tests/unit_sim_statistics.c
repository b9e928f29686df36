/* SPDX-License-Identifier: BSD-2-Clause */
/* The warm-up, the list of statistics and its values of a tally made by hand. */
#include <math.h>
#include <stdlib.h>

#include "tools/sim/model/model.h"
#include "tools/sim/results/sim_statistics.h"
#include "tools/tests/support/unit.h"

#define NEAR(value, wanted, tolerance) CHECK(fabs((value) - (wanted)) <= (tolerance))

/* ---- warm-up ---- */

static double noise(uint64_t *state)
{
    return (double)(unit_random(state) >> 11) * 0x1p-53 - 0.5;
}

/* `count` values a unit of time apart; the first `biased` of them start 10 too high and fall. */
static bool find(size_t series_count, size_t count, size_t biased, uint64_t seed, double *time)
{
    struct warm_up_series series[8];
    uint64_t state = seed;

    for (size_t i = 0; i < series_count; i++) {
        warm_up_init(&series[i]);
        for (size_t j = 0; j < count; j++) {
            const double bias = j < biased ? 10 * (1 - (double)j / (double)biased) : 0;

            warm_up_add(&series[i], (double)(j + 1), bias + noise(&state));
        }
    }
    const bool found = warm_up_find(series, series_count, time);

    for (size_t i = 0; i < series_count; i++) {
        warm_up_free(&series[i]);
    }
    return found;
}

static void test_warm_up(void)
{
    double time;

    CHECK(find(5, 5000, 600, 1, &time));
    CHECK(time > 500 && time < 700);
    /* Of a series that is longer than memory for it: the same, to its batches. */
    CHECK(find(3, 100000, 20000, 2, &time));
    CHECK(time > 18000 && time < 22000);
    /* Most of it is start: no end of it is found. */
    CHECK(!find(5, 1000, 900, 3, &time));
    CHECK(time > 0 && time <= 500);
    /* Too few for any answer: nothing is left out. */
    CHECK(!find(5, 40, 20, 4, &time));
    NEAR(time, 0, 0);
    /* A series that never varies has no start. */
    struct warm_up_series flat;

    warm_up_init(&flat);
    for (size_t i = 0; i < 1000; i++) {
        warm_up_add(&flat, (double)i, 7);
    }
    CHECK(warm_up_find(&flat, 1, &time));
    NEAR(time, 0, 0);
    warm_up_free(&flat);
}

/* Series of different lengths: what all have is averaged, with batches as long as the longest's. */
static void test_warm_up_lengths(void)
{
    struct warm_up_series series[2];
    uint64_t state = 5;
    double time;

    warm_up_init(&series[0]);
    warm_up_init(&series[1]);
    for (size_t j = 0; j < 50000; j++) {
        const double value = (j < 2000 ? 5 : 0) + noise(&state);

        warm_up_add(&series[0], (double)j, value);
        if (j < 15000) {
            warm_up_add(&series[1], (double)j, value);
        }
    }
    CHECK_EQUAL(series[0].length, 20);
    CHECK_EQUAL(series[1].length, 5);
    CHECK(warm_up_find(series, 2, &time));
    CHECK_EQUAL(series[1].length, 20);
    CHECK(time >= 1999 && time < 2400);
    warm_up_free(&series[0]);
    warm_up_free(&series[1]);
}

/* ---- the list ---- */

/* Two processors; "low" has a load on the first, the stimulus goes to "high" on the second. */
static void build(struct sim_model *model)
{
    static char low[] = "low";
    static char high[] = "high";
    static char one[] = "one";
    static char two[] = "two";
    static char name[] = "special";
    static struct sim_load load = {.processor = 0, .level = 0};
    static struct sim_stop stop = {.processor = 1, .level = 1, .process = SIM_NONE};
    static struct sim_stimulus stimulus = {.name = name, .stops = &stop, .stop_count = 1};

    *model = (struct sim_model){
        .levels = 2,
        .level = {low, high},
        .processors = 2,
        .processor = {one, two},
        .loads = &load,
        .load_count = 1,
        .stimuli = &stimulus,
        .stimulus_count = 1,
    };
}

static const double points[] = {2, 5};

static void add_all(struct sim_distribution *distribution, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        sim_distribution_add(distribution, values[i]);
    }
}

static double value_of(const struct sim_statistics *statistics, const double *values,
                       const char *name)
{
    const size_t index = sim_statistic_find(statistics, name);

    CHECK(index != SIM_NONE);
    return index != SIM_NONE ? values[index] : NAN;
}

static void fill(struct sim_tally *tally)
{
    static const double waits[] = {0, 0, 3, 5, 0};
    static const double stays[] = {1, 2, 3, 4, 5};
    static const double transits[] = {1, 2, 2.5, 5, 6, 9, 1, 1};

    tally->time = 200;
    add_all(&tally->level[0].wait, waits, 5);
    add_all(&tally->level[0].stay, stays, 5);
    add_all(&tally->level[0].portion_wait, waits, 5);
    tally->level[0].work = 50;
    tally->level[0].preempted = 4;
    tally->level[0].preempted_time = 10;
    tally->level[0].displaced = 3;
    add_all(&tally->stimulus[0].transit, transits, 8);
    tally->processor[1].idle = 150;
    tally->preemption.strict = 8;
    tally->preemption.wide = 9;
    tally->preemption.length = 20;
    tally->preemption.lock_out = 30;
}

static void test_values(void)
{
    static const struct {
        const char *name;
        double value;
    } known[] = {
        {"low@one.quanta", 5},      {"low@one.wait", 1.6},         {"low@one.waiting", 40},
        {"low@one.nonzero", 4},     {"low@one.stay", 3},           {"low@one.occupancy", 25},
        {"low@one.preempted", 0.4}, {"low@one.interruption", 2.5}, {"low@one.portion_wait", 1.6},
        {"high@two.quanta", 0},     {"special.passes", 8},         {"special.transit", 27.5 / 8},
        {"special.transit.max", 9}, {"preemptions.strict", 8},     {"preemptions.wide", 9},
        {"preemptions.served", 4},  {"preemptions.displaced", 3},  {"preempt.length", 2.5},
        {"preempt.lock_out", 3.75}, {"preempt.time", 2.5},         {"two.idle", 75},
        {"special.below.2", 50},    {"special.2-5", 25},           {"special.above.5", 25},
    };
    static const char *const absent[] = {"high@two.wait", "high@two.interruption",
                                         "special.transit.p50"};
    struct sim_statistics statistics;
    struct sim_model model;
    struct sim_tally tally;

    build(&model);
    sim_statistics_init(&statistics, &model, points, 2);
    sim_tally_init(&tally, &model, points, 2, true);
    fill(&tally);
    double *const values = calloc(statistics.count, sizeof(*values));

    sim_statistics_of(&statistics, &tally, values);
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        NEAR(value_of(&statistics, values, known[i].name), known[i].value, 1e-12);
    }
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
        CHECK(isnan(value_of(&statistics, values, absent[i])));
    }
    free(values);
    sim_tally_free(&tally);
    sim_statistics_free(&statistics);
}

/* Names are of their own, and found by them and by measure; levels that nothing is at are not
 * there. */
static void test_list(void)
{
    struct sim_statistics statistics;
    struct sim_model model;

    build(&model);
    sim_statistics_init(&statistics, &model, points, 2);
    for (size_t i = 0; i < statistics.count; i++) {
        const struct sim_statistic *const item = &statistics.item[i];

        CHECK_EQUAL(sim_statistic_find(&statistics, item->name), i);
        CHECK_EQUAL(sim_statistic_of(&statistics, item->measure, item->of, item->point), i);
        CHECK(item->unit != NULL && item->definition != NULL);
    }
    CHECK(sim_statistic_find(&statistics, "low@two.wait") == SIM_NONE);
    CHECK(sim_statistic_find(&statistics, "high@one.wait") == SIM_NONE);
    CHECK(sim_statistic_find(&statistics, "nothing") == SIM_NONE);
    sim_statistics_free(&statistics);
}

int main(void)
{
    RUN(test_warm_up());
    RUN(test_warm_up_lengths());
    RUN(test_values());
    RUN(test_list());
    return unit_finish("unit_sim_statistics");
}
