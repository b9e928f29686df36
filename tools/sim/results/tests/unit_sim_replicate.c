/* SPDX-License-Identifier: BSD-2-Clause */
/* Replications: the same on any number of threads, intervals that hold what they promise, stops at
 * a precision, warm-up, failures. */
#include <math.h>
#include <stdlib.h>

#include "tools/sim/results/replicate.h"
#include "tools/tests/support/unit.h"

#define NEAR(value, wanted, tolerance) CHECK(fabs((value) - (wanted)) <= (tolerance))

/* M/M/1 at half load, service of mean 1: its mean wait is 1. */
static const char half_loaded[] = "levels low\nload low service exponential 1 rate 0.5\n";

static bool read_model(struct sim_model *model, const char *text)
{
    struct sim_model_error error = {0};
    const bool good = sim_model_read(model, text, strlen(text), ".", NULL, 0, &error);

    CHECK_TEXT(error.text, "");
    CHECK(good);
    return good;
}

static bool run_plan(const char *text, const struct sim_replication_plan *plan,
                     struct sim_outcome *outcome)
{
    struct sim_model model;
    char error[SIM_LAW_ERROR_MAX] = "";

    if (!read_model(&model, text)) {
        return false;
    }
    const bool good = sim_replicate(&model, plan, outcome, error);

    CHECK_TEXT(error, "");
    sim_model_free(&model);
    return good;
}

static const struct sim_estimate *estimate_of(const struct sim_outcome *outcome, const char *name)
{
    const size_t index = sim_statistic_find(&outcome->statistics, name);

    CHECK(index != SIM_NONE);
    return &outcome->estimate[index != SIM_NONE ? index : 0];
}

static void test_estimate(void)
{
    /* Every other one, and one that has no value: 1, 2, 6. */
    static const double values[] = {1, 99, 2, 99, NAN, 99, 6, 99};
    struct sim_estimate estimate;

    sim_estimate_of(values, 4, 2, &estimate);
    CHECK_EQUAL(estimate.count, 3);
    NEAR(estimate.mean, 3, 1e-12);
    NEAR(estimate.deviation, sqrt(7), 1e-12);
    NEAR(estimate.error, sqrt(7.0 / 3), 1e-12);
    NEAR(estimate.half, 4.302653 * sqrt(7.0 / 3), 1e-5);
    sim_estimate_of(values, 1, 1, &estimate);
    NEAR(estimate.mean, 1, 0);
    CHECK(isnan(estimate.deviation) && isnan(estimate.half));
    sim_estimate_of(values + 4, 1, 1, &estimate);
    CHECK(estimate.count == 0 && isnan(estimate.mean));
}

static void test_jobs(void)
{
    struct sim_replication_plan plan = {
        .limits = {.seed = 3, .quanta = 200, .warm_up = SIM_WARM_UP_AUTOMATIC},
        .replications = 12,
        .jobs = 1,
    };
    struct sim_outcome one;
    struct sim_outcome many;

    CHECK(run_plan(half_loaded, &plan, &one));
    plan.jobs = 5;
    CHECK(run_plan(half_loaded, &plan, &many));
    const size_t size = 12 * one.statistics.count * sizeof(double);

    CHECK(memcmp(one.values, many.values, size) == 0);
    NEAR(one.warm_up, many.warm_up, 0);
    NEAR(one.total.level[0].wait.sum, many.total.level[0].wait.sum, 0);
    CHECK_EQUAL(one.total.quanta, many.total.quanta);
    CHECK_EQUAL(one.replications, 12);
    /* The second replication alone is the second of many. */
    struct sim_outcome second;

    plan.limits.replication = 1;
    plan.limits.warm_up = one.warm_up;
    plan.replications = 1;
    CHECK(run_plan(half_loaded, &plan, &second));
    CHECK(memcmp(one.values + one.statistics.count, second.values,
                 one.statistics.count * sizeof(double)) == 0);
    sim_outcome_free(&one);
    sim_outcome_free(&many);
    sim_outcome_free(&second);
}

/* Of 200 intervals of 95 %, so many hold the true mean: 190 are expected, some less as the means of
 * short replications are skewed. */
static void test_coverage(void)
{
    struct sim_replication_plan plan = {
        .limits = {.quanta = 300, .warm_up = 100},
        .replications = 10,
        .jobs = 1,
    };
    int held = 0;

    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct sim_outcome outcome;

        plan.limits.seed = seed;
        if (run_plan(half_loaded, &plan, &outcome)) {
            const struct sim_estimate *const wait = estimate_of(&outcome, "low.wait");

            held += fabs(wait->mean - 1) <= wait->half;
            sim_outcome_free(&outcome);
        }
    }
    CHECK(held >= 180 && held <= 198);
}

static void test_precision(void)
{
    struct sim_replication_plan plan = {
        .limits = {.seed = 1, .quanta = 300, .warm_up = 50},
        .replications = 10,
        .replications_most = 1000,
        .precision = 0.05,
    };
    struct sim_outcome outcome;

    CHECK(run_plan(half_loaded, &plan, &outcome));
    const struct sim_estimate *const wait = estimate_of(&outcome, "low.wait");

    CHECK(outcome.precise);
    CHECK(wait->half <= 0.05 * wait->mean);
    CHECK(outcome.replications > 10 && outcome.replications % 10 == 0);
    CHECK_EQUAL(wait->count, outcome.replications);
    sim_outcome_free(&outcome);
    plan.replications_most = 25;
    plan.precision = 1e-6;
    CHECK(run_plan(half_loaded, &plan, &outcome));
    CHECK(!outcome.precise && outcome.reached > 0.01);
    CHECK_EQUAL(outcome.replications, 20);
    sim_outcome_free(&outcome);
}

/* 300 quanta of 1 that stand there at the begin are gone behind some 600 units. */
static void test_start(void)
{
    char text[4096] = "levels low\nload low service exponential 1 rate 0.5\n"
                      "load burst at low service 1 arrivals trace";
    struct sim_replication_plan plan = {
        .limits = {.seed = 1, .quanta = 3000, .warm_up = SIM_WARM_UP_AUTOMATIC},
        .replications = 10,
    };
    struct sim_outcome outcome;

    for (int i = 0; i < 300; i++) {
        strcat(text, " 0");
    }
    strcat(text, "\n");
    CHECK(run_plan(text, &plan, &outcome));
    CHECK(outcome.warm_up_found && !outcome.warm_up_doubtful);
    CHECK(outcome.warm_up > 500 && outcome.warm_up < 1000);
    NEAR(estimate_of(&outcome, "low.wait")->mean, 1, 0.1);
    sim_outcome_free(&outcome);
    plan.limits.warm_up = 0;
    CHECK(run_plan(text, &plan, &outcome));
    CHECK(estimate_of(&outcome, "low.wait")->mean > 20);
    sim_outcome_free(&outcome);
}

static double warm_up_of(const char *text, uint64_t quanta)
{
    const struct sim_replication_plan plan = {
        .limits = {.seed = 2, .quanta = quanta, .warm_up = SIM_WARM_UP_AUTOMATIC},
        .replications = 1,
    };
    struct sim_outcome outcome;

    CHECK(run_plan(text, &plan, &outcome));
    const double warm_up = outcome.warm_up;

    sim_outcome_free(&outcome);
    return warm_up;
}

/* Pilots are no longer than they must be: replications of four times their length have the same
 * warm-up, unless the transient takes a large part of it. */
static void test_pilots(void)
{
    static const char busy[] = "levels low\nload low service exponential 1 occupancy 90%\n";
    static const char heavy[] = "levels low\nload low service exponential 1 occupancy 99.9%\n";

    CHECK(warm_up_of(busy, 100000) > 0);
    NEAR(warm_up_of(busy, 400000), warm_up_of(busy, 100000), 0);
    CHECK(warm_up_of(heavy, 400000) > 5 * warm_up_of(heavy, 100000));
}

/* M/M/1 at load 0.95: its mean wait is 19, and it takes some 1500 units to forget its start. Of
 * such runs each interval holds the mean, or the start is doubtful, in 93 % or more; short ones are
 * always doubtful, long ones never. */
static void check_doubt(uint64_t quanta, uint64_t runs, int least, int most)
{
    static const char heavy[] = "levels low\nload low service exponential 1 occupancy 95%\n";
    struct sim_replication_plan plan = {
        .limits = {.quanta = quanta, .warm_up = SIM_WARM_UP_AUTOMATIC},
        .replications = 30,
    };
    int held = 0;
    int doubtful = 0;

    for (uint64_t seed = 1; seed <= runs; seed++) {
        struct sim_outcome outcome;

        plan.limits.seed = seed;
        if (run_plan(heavy, &plan, &outcome)) {
            const struct sim_estimate *const wait = estimate_of(&outcome, "low.wait");

            doubtful += outcome.warm_up_doubtful;
            held += outcome.warm_up_doubtful || fabs(wait->mean - 19) <= wait->half;
            sim_outcome_free(&outcome);
        }
    }
    CHECK(held >= 0.93 * (double)runs);
    CHECK(doubtful >= least && doubtful <= most);
}

static void test_doubt(void)
{
    check_doubt(500, 60, 60, 60);
    check_doubt(2000, 60, 60, 60);
    check_doubt(10000, 30, 0, 30);
    check_doubt(100000, 2, 0, 1);
}

static void test_failures(void)
{
    struct sim_replication_plan plan = {.limits = {.seed = 1}, .replications = 6, .jobs = 3};
    char error[SIM_LAW_ERROR_MAX] = "";
    struct sim_outcome outcome;
    struct sim_model model;

    if (!read_model(&model, half_loaded)) {
        return;
    }
    CHECK(!sim_replicate(&model, &plan, &outcome, error));
    CHECK(error[0] != '\0');
    CHECK(outcome.values == NULL && outcome.statistics.count == 0);
    plan.limits.quanta = 100;
    plan.precision_of = "high.wait";
    CHECK(!sim_replicate(&model, &plan, &outcome, error));
    CHECK_TEXT(error, "unknown statistic \"high.wait\"");
    sim_model_free(&model);
}

int main(void)
{
    RUN(test_estimate());
    RUN(test_jobs());
    RUN(test_coverage());
    RUN(test_precision());
    RUN(test_start());
    RUN(test_pilots());
    RUN(test_doubt());
    RUN(test_failures());
    return unit_finish("unit_sim_replicate");
}
