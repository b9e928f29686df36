/* SPDX-License-Identifier: BSD-2-Clause */
/* Levels that are not preempted, time slices and deadlines, each against a queue that has a
 * solution. */
#include <math.h>

#include "tools/sim/results/replicate.h"
#include "tools/tests/support/unit.h"

/* Runs the model, and returns a statistic within four standard errors of its mean. */
static void check(const char *text, const char *name, double truth, double most_error)
{
    const struct sim_replication_plan plan = {
        .limits = {.seed = 1, .passes = 4000, .warm_up = 500},
        .replications = 10,
        .jobs = 2,
    };
    struct sim_model_error error = {0};
    char why[SIM_LAW_ERROR_MAX] = "";
    struct sim_outcome outcome;
    struct sim_model model;

    CHECK(sim_model_read(&model, text, strlen(text), NULL, NULL, 0, &error));
    CHECK_TEXT(error.text, "");
    CHECK(sim_replicate(&model, &plan, &outcome, why));
    CHECK_TEXT(why, "");
    if (error.text[0] != '\0' || why[0] != '\0') {
        return;
    }
    const size_t at = sim_statistic_find(&outcome.statistics, name);

    CHECK(at != SIM_NONE);
    if (at != SIM_NONE) {
        const struct sim_estimate *const estimate = &outcome.estimate[at];

        if (!(fabs(estimate->mean - truth) <= 4 * estimate->error) ||
            !(4 * estimate->error <= most_error)) {
            fprintf(stderr, "%s: %g +- %g is not %g\n", name, estimate->mean, estimate->error,
                    truth);
            CHECK(0);
        }
    }
    sim_outcome_free(&outcome);
    sim_model_free(&model);
}

#define STREAMS                                                            \
    "passes 4000\nlevels low high\n"                                       \
    "stimulus urgent arrivals poisson rate 0.3 route high exponential 1\n" \
    "stimulus idle arrivals poisson rate 0.2 route low erlang 2 stages 2\n"

/* Cobham, "Priority assignment in waiting line problems", 1954: W0 = sum of rate E[S^2] / 2, and
 * the waits are W0 / (1 - r1) and W0 / ((1 - r1) (1 - r1 - r2)). */
static void test_nonpreemptive(void)
{
    const double w0 = (0.3 * 2 + 0.2 * 6) / 2;

    check(STREAMS "nonpreemptive low high\n", "urgent.wait", w0 / 0.7, 0.2);
    check(STREAMS "nonpreemptive low\n", "idle.wait", w0 / (0.7 * 0.3), 0.8);
    /* with preemption, the urgent ones do not see the others */
    check(STREAMS, "urgent.wait", 0.3 / 0.7, 0.1);
}

/* With short slices, the processor is shared: the mean time is E[S] / (1 - load), whatever the law
 * of service (Kleinrock, "Queueing Systems", volume 2, section 4.4). In turn, it is that of
 * Pollaczek and Khinchine. */
static void test_slices(void)
{
    static const char queue[] = "passes 4000\nlevels low\n"
                                "stimulus job arrivals poisson rate 0.6\n"
                                "  route low hyperexponential 0.5 share 80% rest 3\n";
    char text[400];
    const double second = 2 * (0.8 * 0.25 + 0.2 * 9);

    snprintf(text, sizeof(text), "%sslice 0.05\n", queue);
    check(text, "job.transit", 1 / (1 - 0.6), 0.5);
    snprintf(text, sizeof(text), "%sslice 1000\n", queue);
    check(text, "job.transit", 1 + 0.6 * second / 2 / 0.4, 1);
    /* Work of a process loses the processor at the end of a slice as well: a length of 1 takes
     * 1 / (1 - load of the others). */
    check("passes 4000\nlevels low\nslice 0.1\nprocess p at low\n"
          "load l at low service hyperexponential 0.5 share 80% rest 3 rate 0.6\n"
          "stimulus job cycle delay 20 route p 1\n",
          "job.transit", 1 / (1 - 0.6), 0.3);
}

/* Times of M/M/1 are exponential with mean 1 / (1 - load). */
static void test_deadline(void)
{
    check("passes 4000\nlevels low\n"
          "stimulus job arrivals poisson rate 0.5 deadline 6 route low exponential 1\n",
          "job.missed", 100 * exp(-6 * 0.5), 2);
}

int main(void)
{
    RUN(test_nonpreemptive());
    RUN(test_slices());
    RUN(test_deadline());
    return unit_finish("unit_sim_scheduling");
}
