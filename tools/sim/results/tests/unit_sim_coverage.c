/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How often the 95 % intervals of M/M/1 hold the truth: its times from arrival to departure are
 * exponential with mean 1 / (1 - load). With TARE_COVERAGE=N in the environment, N experiments of
 * each cell of the full table are made and printed; otherwise a few of two cells.
 */
#include <math.h>
#include <stdlib.h>

#include "tools/sim/results/replicate.h"
#include "tools/stats/distributions.h"
#include "tools/tests/support/unit.h"

enum { WATCHED = 5 };

static const struct {
    const char *name;
    double p; /* 0: the mean */
} watched[WATCHED] = {{"request.transit", 0},
                      {"request.transit.p50", 0.5},
                      {"request.transit.p90", 0.9},
                      {"request.transit.p99", 0.99},
                      {"request.transit.p99.9", 0.999}};

struct cell {
    double load;
    uint64_t passes;
    int replications;
};

/* Experiments without an interval because they are too short, and those whose interval holds the
 * truth. */
struct count {
    int too_short, held;
};

static void experiment(const struct sim_model *model, const struct cell *cell, uint64_t seed,
                       struct count counts[WATCHED])
{
    const struct sim_replication_plan plan = {
        .limits = {.seed = seed, .passes = cell->passes, .warm_up = SIM_WARM_UP_AUTOMATIC},
        .replications = (size_t)cell->replications,
        .jobs = 1,
    };
    char error[SIM_LAW_ERROR_MAX] = "";
    struct sim_outcome outcome;

    CHECK(sim_replicate(model, &plan, &outcome, error));
    CHECK_TEXT(error, "");
    for (int i = 0; i < WATCHED && error[0] == '\0'; i++) {
        const size_t at = sim_statistic_find(&outcome.statistics, watched[i].name);
        const struct sim_estimate *const estimate = &outcome.estimate[at];
        const double truth = (watched[i].p > 0 ? -log(1 - watched[i].p) : 1) / (1 - cell->load);
        /* A value is known to the resolution of its class. */
        const double off = watched[i].p > 0 ? truth / (2 * SIM_HISTOGRAM_PARTS) : 0;

        if (estimate->too_short || outcome.warm_up_doubtful) {
            counts[i].too_short++;
            CHECK(!estimate->too_short || (isnan(estimate->low) && isnan(estimate->high)));
        } else {
            counts[i].held += estimate->low - off <= truth && truth <= estimate->high + off;
        }
    }
    sim_outcome_free(&outcome);
}

static void run_cell(const struct cell *cell, int experiments, struct count counts[WATCHED])
{
    char text[200];
    struct sim_model_error error = {0};
    struct sim_model model;

    snprintf(text, sizeof(text),
             "levels low\nstimulus request arrivals poisson rate %g route low exponential 1\n"
             "passes %d\n",
             cell->load, (int)cell->passes);
    CHECK(sim_model_read(&model, text, strlen(text), NULL, NULL, 0, &error));
    CHECK_TEXT(error.text, "");
    memset(counts, 0, WATCHED * sizeof(*counts));
    for (int i = 0; i < experiments; i++) {
        experiment(&model, cell, (uint64_t)i + 1, counts);
    }
    sim_model_free(&model);
}

static void print_cell(const struct cell *cell, int experiments, const struct count counts[WATCHED])
{
    printf("load %g, %d x %d:", cell->load, cell->replications, (int)cell->passes);
    for (int i = 0; i < WATCHED; i++) {
        const int given = experiments - counts[i].too_short;

        printf("  %s %.1f %% of %d", watched[i].name + strlen("request."),
               100.0 * counts[i].held / given, given);
    }
    printf("\n");
    fflush(stdout);
}

static void test_full(int experiments)
{
    static const double loads[] = {0.95, 0.9, 0.8, 0.5};

    for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++) {
        const struct cell cell = {loads[i], 20000, 30};
        struct count counts[WATCHED];

        run_cell(&cell, experiments, counts);
        print_cell(&cell, experiments, counts);
        for (int k = 0; k + 1 < WATCHED; k++) {
            const int given = experiments - counts[k].too_short;

            CHECK(given < 20 || counts[k].held >= 0.93 * given);
        }
    }
}

/* At least as many intervals hold as a coverage of 93 % gives in 999 of 1000 cases. */
static void check_small(const struct cell *cell, int experiments, int most_short)
{
    struct count counts[WATCHED];

    run_cell(cell, experiments, counts);
    for (int i = 0; i < WATCHED; i++) {
        const int given = experiments - counts[i].too_short;

        CHECK(given == 0 ||
              counts[i].held >= (int)distribution_binomial_low((size_t)given, 0.93, 0.001));
        CHECK(i + 1 == WATCHED || counts[i].too_short <= most_short);
    }
    /* 99.9 % of 30 x 5000 values at this load cannot be known. */
    CHECK(counts[WATCHED - 1].too_short > experiments / 2);
}

static void test_small(void)
{
    const struct cell moderate = {0.8, 2000, 30};
    const struct cell heavy = {0.9, 10000, 30};

    check_small(&moderate, 30, 30);
    check_small(&heavy, 12, 6);
}

int main(void)
{
    const char *const experiments = getenv("TARE_COVERAGE");

    if (experiments != NULL) {
        RUN(test_full(atoi(experiments)));
    } else {
        RUN(test_small());
    }
    return unit_finish("unit_sim_coverage");
}
