/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The theory against what does not know it: Volterra's equation of the waiting time, solved by the
 * trapezoid rule with Richardson's extrapolation, the Borel-Tanner law of delay busy periods, the
 * means by integration, and closed forms.
 */
#include <math.h>
#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/tests/sim/law_checks.h"
#include "tools/tests/sim/theory.h"
#include "tools/tests/support/unit.h"

#define NEAR(value, wanted, tolerance) CHECK(fabs((value) - (wanted)) <= (tolerance))

static struct sim_law tailed(double average, double maximum, double tail)
{
    char error[SIM_LAW_ERROR_MAX] = "";
    struct sim_law law = {0};

    CHECK(sim_law_tailed(&law, average, maximum, tail, error));
    return law;
}

static struct sim_law constant(double value)
{
    char error[SIM_LAW_ERROR_MAX] = "";
    struct sim_law law = {0};

    CHECK(sim_law_constant(&law, value, error));
    return law;
}

static struct sim_law exponential(double mean)
{
    char error[SIM_LAW_ERROR_MAX] = "";
    struct sim_law law = {0};

    CHECK(sim_law_exponential(&law, mean, error));
    return law;
}

/* A model of competing work on one processor, one load a level, the least urgent first. */
struct built {
    struct sim_model model;
    struct sim_load loads[3];
};

static void build(struct built *built, size_t levels, const double *rates,
                  const struct sim_law *services)
{
    *built = (struct built){.model = {.levels = levels, .processors = 1, .load_count = levels}};
    for (size_t i = 0; i < levels; i++) {
        built->loads[i] = (struct sim_load){
            .level = i,
            .arrivals = {.kind = SIM_RENEWAL, .interval = exponential(1 / rates[i])},
            .service = services[i],
        };
    }
    built->model.loads = built->loads;
}

/* ---- the waiting time of one class ---- */

/* P(W > j * step) for j up to `count` by Volterra's equation G(t) = load * P(R > t) + load *
 * integral of G(t - x) r(x) from 0 to t, where r = P(S > x) / E[S] is the density of R. */
static double *volterra(double rate, const struct sim_law *service, double step, size_t count)
{
    const double load = rate * sim_law_moment(service, 1);
    double *beyond = alloc_zeroed((count + 1) * sizeof(*beyond));
    double *weight = alloc_zeroed((count + 1) * sizeof(*weight));

    for (size_t j = 0; j <= count; j++) {
        weight[j] = rate * step * (1 - law_below(service, (double)j * step));
    }
    beyond[0] = load;
    for (size_t j = 1; j <= count; j++) {
        double sum = rate * sim_law_excess(service, (double)j * step) + beyond[0] * weight[j] / 2;

        for (size_t i = 1; i < j; i++) {
            sum += beyond[j - i] * weight[i];
        }
        beyond[j] = sum / (1 - weight[0] / 2);
    }
    free(weight);
    return beyond;
}

struct set {
    double rate, average, maximum, tail;
    double wait, nonzero, deviation;
    double beyond[7];
};

static const double points[7] = {0.5, 1, 2, 5, 10, 20, 40};

static const struct set sets[] = {
    {.1,
     4,
     20,
     .05,
     2.111111,
     5.277778,
     4.171479,
     {.370289476, .341245874, .285704422, .149927085, .058683030, .008620928, .000168956}},
    {.2,
     1.5,
     30,
     .03,
     1.585714,
     5.285714,
     4.844090,
     {.235006828, .181723819, .120301790, .090564133, .061819470, .020613213, .000949645}},
    {.25,
     2.2,
     13,
     .15,
     3.345370,
     6.082492,
     5.526891,
     {.495378803, .445119165, .364733494, .247440215, .113909156, .021024176, .000745230}},
};

static void test_single_class(const struct set *set)
{
    const struct sim_law service = tailed(set->average, set->maximum, set->tail);
    struct sim_class_theory theory[SIM_LEVELS_MAX];
    const char *why = "";
    struct built built;

    build(&built, 1, &set->rate, &service);
    CHECK(sim_theory(&built.model, theory, &why));
    CHECK(why == NULL);
    NEAR(theory[0].wait, set->wait, 1e-6);
    NEAR(theory[0].nonzero, set->nonzero, 1e-6);
    NEAR(theory[0].deviation, set->deviation, 1e-6);
    NEAR(theory[0].waits, set->rate * set->average, 1e-15);
    NEAR(theory[0].stay, set->wait + set->average, 1e-6);
    CHECK(isnan(theory[0].interruption));
    CHECK(theory[0].preempted == 0 && theory[0].preemptions == 0);
    for (size_t i = 0; i < 7; i++) {
        NEAR(sim_theory_wait_beyond(set->rate, &service, points[i]), set->beyond[i], 3e-9);
        NEAR(sim_theory_level_beyond(&built.model, 0, points[i]), set->beyond[i], 3e-9);
    }
}

#define STEP        0.05 /* divides the knees and the maxima of all sets */
#define STEPS       800
#define POINTS      20
#define POINT_STEPS (STEPS / POINTS)

static void test_volterra(const struct set *set)
{
    const struct sim_law service = tailed(set->average, set->maximum, set->tail);
    double *coarse = volterra(set->rate, &service, STEP, STEPS);
    double *fine = volterra(set->rate, &service, STEP / 2, 2 * (size_t)STEPS);

    for (size_t i = 1; i <= POINTS; i++) {
        const size_t j = i * POINT_STEPS;
        const double wanted = (4 * fine[2 * j] - coarse[j]) / 3;

        NEAR(sim_theory_wait_beyond(set->rate, &service, (double)j * STEP), wanted, 2e-8);
    }
    free(coarse);
    free(fine);
}

static void test_exponential(void)
{
    const struct sim_law service = exponential(1);

    for (double t = 1.0 / 1024; t < 60; t *= 2) {
        NEAR(sim_theory_wait_beyond(.5, &service, t), .5 * exp(-.5 * t), 1e-9);
    }
    NEAR(sim_theory_wait_beyond(.5, &service, 1e-6), .5 * exp(-.5e-6), 1e-9);
    CHECK(sim_theory_wait_beyond(.5, &service, 0) == .5);
    CHECK(sim_theory_wait_beyond(.5, &service, -1) == 1);
    NEAR(sim_theory_wait_beyond(.5, &service, 1e3), 0, 1e-9);
    NEAR(sim_theory_wait_beyond(.5, &service, 1e6), 0, 1e-7);
    CHECK(sim_theory_wait_beyond(.5, &service, 1e3) >= 0);
    NEAR(sim_theory_wait_beyond(.99, &service, 100), .99 * exp(-1), 1e-9);
}

/* Erlang's series: P(W <= t) = (1 - load) sum over j d <= t of (rate (j d - t))^j / j! exp(-rate (j
 * d - t)). */
static double constant_beyond(double rate, double d, double t)
{
    double below = 0;
    double factorial = 1;

    for (int j = 0; j * d <= t; j++) {
        const double x = rate * (j * d - t);

        factorial *= j > 0 ? j : 1;
        below += pow(x, j) / factorial * exp(-x);
    }
    return 1 - (1 - rate * d) * below;
}

static void test_constant_service(void)
{
    const struct sim_law service = constant(2);

    for (double t = .25; t < 16; t += .25) { /* kinks at each 2 */
        NEAR(sim_theory_wait_beyond(.3, &service, t), constant_beyond(.3, 2, t), 1e-7);
    }
}

/* ---- lower classes ---- */

struct pair {
    double rate[2];
    double law[2][3];
    /* of the more urgent class, of the other */
    double wait[2], stay, waits[2], nonzero[2], preemptions, preempted, interruption;
};

static const struct pair pairs[] = {
    {{.09, .06},
     {{2.2, 13, .15}, {1.5, 30, .03}},
     {1.350398, .365934},
     3.767981,
     {.288, .09},
     {4.688883, 4.065934},
     .198,
     .132,
     1.648352},
    {{.2, .05},
     {{2.2, 13, .15}, {4, 20, .05}},
     {6.380787, .791667},
     9.130787,
     {.64, .20},
     {9.969980, 3.958333},
     .44,
     .11,
     5},
    {{.05, .02},
     {{5, 10, 0}, {5, 10, 0}},
     {1.994302, .370370},
     7.549858,
     {.35, .10},
     {5.698006, 3.703704},
     .25,
     .10,
     5.555556},
};

static void build_pair(struct built *built, const struct pair *pair)
{
    const struct sim_law services[2] = {
        tailed(pair->law[0][0], pair->law[0][1], pair->law[0][2]),
        tailed(pair->law[1][0], pair->law[1][1], pair->law[1][2]),
    };

    build(built, 2, pair->rate, services);
}

static void test_pair(const struct pair *pair)
{
    struct sim_class_theory theory[SIM_LEVELS_MAX];
    const char *why = NULL;
    struct built built;

    build_pair(&built, pair);
    CHECK(sim_theory(&built.model, theory, &why));
    for (size_t i = 0; i < 2; i++) {
        NEAR(theory[i].wait, pair->wait[i], 1e-6);
        NEAR(theory[i].waits, pair->waits[i], 1e-12);
        NEAR(theory[i].nonzero, pair->nonzero[i], 1e-6);
    }
    NEAR(theory[0].stay, pair->stay, 1e-6);
    NEAR(theory[1].preemptions, pair->preemptions, 1e-12);
    NEAR(theory[0].preempted, pair->preempted, 1e-12);
    NEAR(theory[0].interruption, pair->interruption, 1e-6);
}

/* Gauss and Legendre's rule of 8 points. */
static const double nodes[4] = {0.1834346424956498, 0.5255324099163290, 0.7966664774136267,
                                0.9602898564975363};
static const double weights[4] = {0.3626837833783620, 0.3137066458778873, 0.2223810344533745,
                                  0.1012285362903763};
/* Panels that end at the kinks, knees and maxima of the services, of the lower class's wait. */
static const double panels[] = {0,  1,  2.1, 2.45, 4.55, 7,  10, 13,  15.5, 17,
                                20, 23, 26,  30,   40,   50, 65, 100, 180,  500};

/* Mean and deviation of the lower class's wait, integrals of what inversion gives. */
static void test_pair_moments(const struct pair *pair)
{
    struct sim_class_theory theory[SIM_LEVELS_MAX];
    const char *why = NULL;
    struct built built;
    double mean = 0;
    double second = 0;

    build_pair(&built, pair);
    CHECK(sim_theory(&built.model, theory, &why));
    for (size_t panel = 0; panel + 1 < sizeof(panels) / sizeof(panels[0]); panel++) {
        const double middle = (panels[panel] + panels[panel + 1]) / 2;
        const double half = (panels[panel + 1] - panels[panel]) / 2;

        for (size_t i = 0; i < 8; i++) {
            const double t = middle + (i < 4 ? half : -half) * nodes[i % 4];
            const double part = weights[i % 4] * half * sim_theory_level_beyond(&built.model, 0, t);

            mean += part;
            second += 2 * t * part;
        }
    }
    NEAR(mean, theory[0].wait, 1e-6);
    NEAR(sqrt(second - mean * mean), theory[0].deviation, 2e-5);
}

#define DELAY_STEPS 50 /* in the length of the urgent quanta */

/* Density of the work found, V, at j * step: f = (1 - load) w + integral of f(t - x) w(x), where w
 * = rate * P(S > x) of both classes. Where the constant service ends its jump counts half. */
static double *work_density(const double rate[2], double length, double mean, double step,
                            double end)
{
    const size_t count = (size_t)lround(end / step);
    const size_t constant_end = (size_t)lround(length / step);
    const double load = rate[1] * length + rate[0] * mean;
    double *density = alloc_zeroed((count + 1) * sizeof(*density));
    double *weight = alloc_zeroed((count + 1) * sizeof(*weight));

    for (size_t j = 0; j <= count; j++) {
        const double urgent = j < constant_end ? 1 : j == constant_end ? .5 : 0;

        weight[j] = rate[1] * urgent + rate[0] * exp(-(double)j * step / mean);
    }
    for (size_t j = 0; j <= count; j++) {
        double sum = (1 - load) * weight[j] + (j > 0 ? density[0] * weight[j] * step / 2 : 0);

        for (size_t i = 1; i < j; i++) {
            sum += density[j - i] * weight[i] * step;
        }
        density[j] = j > 0 ? sum / (1 - weight[0] * step / 2) : sum;
    }
    free(weight);
    return density;
}

/* Of work v, n urgent quanta of length d come before its delay cycle ends (Borel and Tanner). */
static double urgent_arrivals(double rate, double d, double v, int n)
{
    const double x = rate * (v + n * d);

    return n == 0 ? exp(-x) : rate * v * exp((n - 1) * log(x) - x - lgamma(n + 1));
}

static double delay_beyond(const double rate[2], double length, double mean, double t,
                           const double *density, double step)
{
    double below = 1 - rate[1] * length - rate[0] * mean;

    for (int n = 0; n * length < t; n++) {
        const size_t last = (size_t)lround((t - n * length) / step);

        for (size_t j = 0; j <= last; j++) {
            const double part = urgent_arrivals(rate[1], length, (double)j * step, n) * density[j];

            below += part * step * (j == 0 || j == last ? .5 : 1);
        }
    }
    return 1 - below;
}

/* Urgent quanta of constant length, others exponential: a law of waits without transforms. */
static void test_delay_cycle(void)
{
    const double rate[2] = {.2, .15};
    const double length = 2;
    const struct sim_law services[2] = {exponential(1.5), constant(length)};
    const double step = length / DELAY_STEPS;
    const double end = 20;
    double *coarse = work_density(rate, length, 1.5, step, end);
    double *fine = work_density(rate, length, 1.5, step / 2, end);
    struct built built;

    build(&built, 2, rate, services);
    for (double t = 1; t < end; t += 1) {
        if (fmod(t, length) == 0) { /* a kink, where the sums lose an order */
            continue;
        }
        const double wanted = (4 * delay_beyond(rate, length, 1.5, t, fine, step / 2) -
                               delay_beyond(rate, length, 1.5, t, coarse, step)) /
                              3;

        NEAR(sim_theory_level_beyond(&built.model, 0, t), wanted, 1e-6);
    }
    free(coarse);
    free(fine);
}

/* Two urgent classes together are one with the mixture of their laws: order among them is nothing
 * to the third. */
static void test_three_classes(void)
{
    const struct sim_law laws[3] = {exponential(2), exponential(1), exponential(1)};
    const struct sim_law merged[2] = {exponential(2), exponential(1)};
    const double rates[3] = {.1, .15, .25};
    const double merged_rates[2] = {.1, .4};
    struct sim_class_theory three[SIM_LEVELS_MAX];
    struct sim_class_theory two[SIM_LEVELS_MAX];
    const char *why = NULL;
    struct built built;
    struct built pair;

    build(&built, 3, rates, laws);
    build(&pair, 2, merged_rates, merged);
    CHECK(sim_theory(&built.model, three, &why) && sim_theory(&pair.model, two, &why));
    NEAR(three[0].wait, two[0].wait, 1e-12);
    NEAR(three[0].deviation, two[0].deviation, 1e-12);
    NEAR(three[2].preemptions, .1 * 2 + .15, 1e-12);
    NEAR(three[1].preempted, .25, 1e-12);
    for (double t = 1; t < 30; t *= 2) {
        NEAR(sim_theory_level_beyond(&built.model, 0, t),
             sim_theory_level_beyond(&pair.model, 0, t), 1e-11);
        NEAR(sim_theory_level_beyond(&built.model, 2, t), sim_theory_wait_beyond(.25, &laws[2], t),
             1e-9);
    }
    CHECK(sim_theory_level_beyond(&built.model, 0, 0) == .1 * 2 + .15 + .25);
    CHECK(isnan(sim_theory_level_beyond(&built.model, 3, 1)));
}

static void test_out_of_reach(void)
{
    const double rate = .1;
    const struct sim_law service = exponential(1);
    struct sim_class_theory theory[SIM_LEVELS_MAX];
    const char *why = NULL;
    struct built built;

    build(&built, 1, &rate, &service);
    built.model.overhead.switching = .1;
    CHECK(!sim_theory(&built.model, theory, &why));
    CHECK_TEXT(why, "theory is of work without overheads, and the model has some");
    CHECK(isnan(sim_theory_level_beyond(&built.model, 0, 1)));
    build(&built, 1, &rate, &service);
    built.loads[0].arrivals.interval = constant(10);
    CHECK(!sim_theory(&built.model, theory, &why));
    CHECK_TEXT(why, "theory is of Poisson arrivals, and not all of the model's are");
    build(&built, 1, &rate, &service);
    built.loads[0].service = exponential(10);
    CHECK(!sim_theory(&built.model, theory, &why));
    CHECK_TEXT(why, "theory is of a processor that is not overloaded");
    CHECK(sim_theory_wait_beyond(rate, &built.loads[0].service, 1e9) == 1);
    built.model.processors = 2;
    CHECK(!sim_theory(&built.model, theory, &why));
    CHECK_TEXT(why, "theory is of one processor, and the model has several");
}

int main(void)
{
    for (size_t i = 0; i < 3; i++) {
        RUN(test_single_class(&sets[i]));
        RUN(test_volterra(&sets[i]));
        RUN(test_pair(&pairs[i]));
        RUN(test_pair_moments(&pairs[i]));
    }
    RUN(test_exponential());
    RUN(test_constant_service());
    RUN(test_delay_cycle());
    RUN(test_three_classes());
    RUN(test_out_of_reach());
    return unit_finish("unit_theory");
}
