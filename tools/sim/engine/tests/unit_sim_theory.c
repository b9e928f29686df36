/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The simulation against theory (the reference, sections 3.1 and 4), and what must hold of every
 * run. Seeds are fixed; a mean is within 4 of its standard errors, which are those of
 * replications or of the reference.
 */
#include "tools/sim/engine/engine.h"
#include "tools/tests/sim/sim_builder.h"
#include "tools/tests/sim/theory.h"
#include "tools/tests/support/unit.h"

#define REPLICATIONS 10

static struct sim_tally simulate(const struct sim_model *model, struct sim_limits limits,
                                 const double *points, size_t count)
{
    char error[SIM_LAW_ERROR_MAX] = "";
    struct sim_tally tally;

    sim_tally_init(&tally, model, points, count, false);
    for (size_t i = 0; i < model->processors * model->levels; i++) {
        struct sim_distribution *const wait = &tally.level[i].wait;

        for (wait->point_count = 0; wait->point_count < count; wait->point_count++) {
            wait->point[wait->point_count] = points[wait->point_count];
        }
    }
    CHECK(sim_simulate(model, &limits, NULL, &tally, error));
    CHECK_TEXT(error, "");
    return tally;
}

/* Values of replications, and whether their mean is what is expected. */
struct sample {
    double sum, squares;
};

static void add(struct sample *sample, double value)
{
    sample->sum += value;
    sample->squares += value * value;
}

#define CHECK_MEAN(sample, expected) check_mean(sample, expected, __LINE__, #sample)

static void check_mean(const struct sample *sample, double expected, int line, const char *name)
{
    const double mean = sample->sum / REPLICATIONS;
    const double variance = (sample->squares - sample->sum * mean) / (REPLICATIONS - 1);
    const double error = sqrt(fmax(variance, 0) / REPLICATIONS);
    const bool good = fabs(mean - expected) <= 4 * error && error < fabs(expected) / 4;

    if (!good) {
        fprintf(stderr, "%s: %g +- %g is not %g\n", name, mean, error, expected);
    }
    unit_check(good, __FILE__, line, name);
}

#define CHECK_WITHIN(value, expected, error) \
    check_within(value, expected, error, __LINE__, #value " is " #expected)

static void check_within(double value, double expected, double error, int line, const char *name)
{
    if (fabs(value - expected) > error) {
        fprintf(stderr, "%g is not %g +- %g\n", value, expected, error);
    }
    unit_check(fabs(value - expected) <= error, __FILE__, line, name);
}

/* ---- the paper's model ---- */

/* Expectations of the reference, and the standard error of each in one run of 10000 passes. */
struct expectation {
    double transit, low_wait, low_waiting, medium_wait, medium_waiting;
    double low, medium;               /* quanta in 10000 passes */
    double in_service, displaced;     /* preemptions */
    double strict, wide, plain, lock; /* (a) to (d) */
    double beyond[6];                 /* of 20, 30, ..., percent */
};

static const struct expectation poisson = {.transit = 15.718,
                                           .low_wait = 1.800,
                                           .low_waiting = 30.43,
                                           .medium_wait = 0.3320,
                                           .medium_waiting = 10.20,
                                           .low = 48658,
                                           .medium = 24032,
                                           .in_service = 4867,
                                           .displaced = 3467,
                                           .strict = 8329,
                                           .wide = 9392,
                                           .plain = 3.297,
                                           .lock = 4.641,
                                           .beyond = {11.78, 2.02, 0.61, 0.128, 0.024, 0.007}};
static const struct expectation poisson_error = {.transit = 0.047,
                                                 .low_wait = 0.026,
                                                 .low_waiting = 0.22,
                                                 .medium_wait = 0.013,
                                                 .medium_waiting = 0.21,
                                                 .low = 230,
                                                 .medium = 160,
                                                 .in_service = 70,
                                                 .displaced = 50,
                                                 .strict = 91,
                                                 .wide = 93,
                                                 .plain = 0.036,
                                                 .lock = 0.053,
                                                 .beyond = {0.32, 0.15, 0.08, 0.04, 0.02, 0.009}};
static const struct expectation uniform = {.transit = 15.659,
                                           .low_wait = 1.5025,
                                           .low_waiting = 25.36,
                                           .medium_wait = 0.2577,
                                           .medium_waiting = 8.34,
                                           .low = 48625,
                                           .medium = 24016,
                                           .in_service = 4881,
                                           .displaced = 3779,
                                           .strict = 8664,
                                           .wide = 9681,
                                           .plain = 3.359,
                                           .lock = 4.841,
                                           .beyond = {11.06, 1.62, 0.49, 0.095, 0.017, 0.004}};
static const struct expectation uniform_error = {.transit = 0.043,
                                                 .low_wait = 0.019,
                                                 .low_waiting = 0.18,
                                                 .medium_wait = 0.009,
                                                 .medium_waiting = 0.17,
                                                 .low = 130,
                                                 .medium = 94,
                                                 .in_service = 70,
                                                 .displaced = 50,
                                                 .strict = 80,
                                                 .wide = 80,
                                                 .plain = 0.033,
                                                 .lock = 0.051,
                                                 .beyond = {0.32, 0.15, 0.08, 0.04, 0.02, 0.006}};

static double waiting(const struct sim_level_tally *level)
{
    return 100 * (1 - (double)level->wait.zeroes / (double)level->wait.count);
}

#define PAPER_RUNS 2 /* of 10000 passes */

static void check_paper(bool is_uniform, const struct expectation *mean,
                        const struct expectation *error)
{
    const double points[] = {20, 30, 40, 50, 60, 70};
    const double factor = 4 / sqrt(PAPER_RUNS);
    struct sim_model model = built_paper(is_uniform);
    struct sim_tally tally =
        simulate(&model, (struct sim_limits){.seed = 1, .passes = 10000 * PAPER_RUNS}, points, 6);
    const struct sim_level_tally *low = &tally.level[0];
    const struct sim_level_tally *medium = &tally.level[1];
    const struct sim_distribution *transit = &tally.stimulus[0].transit;
    const struct sim_preemption_tally *preemption = &tally.preemption;
    const double strict = (double)preemption->strict;

#define EXPECT(value, field) CHECK_WITHIN(value, mean->field, factor * error->field)
    EXPECT(sim_distribution_mean(transit), transit);
    EXPECT(sim_distribution_mean(&low->wait), low_wait);
    EXPECT(waiting(low), low_waiting);
    EXPECT(sim_distribution_mean(&medium->wait), medium_wait);
    EXPECT(waiting(medium), medium_waiting);
    EXPECT((double)low->competing / PAPER_RUNS, low);
    EXPECT((double)medium->competing / PAPER_RUNS, medium);
    EXPECT((double)low->preempted / PAPER_RUNS, in_service);
    EXPECT((double)low->displaced / PAPER_RUNS, displaced);
    EXPECT(strict / PAPER_RUNS, strict);
    EXPECT((double)preemption->wide / PAPER_RUNS, wide);
    EXPECT(preemption->length / strict, plain);
    EXPECT(preemption->lock_out / strict, lock);
    for (size_t i = 0; i < 6; i++) {
        EXPECT(100 * (double)transit->beyond[i] / (double)transit->count, beyond[i]);
    }
#undef EXPECT
    CHECK(medium->preempted == 0 && medium->displaced == 0);
    CHECK(medium->portion_wait.zeroes == medium->portion_wait.count);
    CHECK(transit->least >= 7.1 + 5.5 + 0.3);
    CHECK_WITHIN(sim_distribution_mean(&low->portion_wait), is_uniform ? 1.226 : 1.255, 0.08);
    CHECK_WITHIN((double)tally.events / (double)transit->count, 18.53, 0.15);
    /* The parts of the time add up. */
    CHECK_WITHIN(tally.level[0].work + tally.level[1].work + tally.processor[0].idle, tally.time,
                 1e-6);
    sim_tally_free(&tally);
    sim_model_free(&model);
}

/* ---- one class and two, Poisson arrivals ---- */

struct single_class {
    double rate, average, maximum, tail;
    double load, wait;
    double beyond[4]; /* of 0.5, 2, 10, 20 */
};

static const double single_points[] = {0.5, 2, 10, 20};
static const struct single_class single[] = {
    {0.1, 4, 20, 0.05, 0.40, 2.111111, {0.370289, 0.285704, 0.0586830, 0.00862093}},
    {0.2, 1.5, 30, 0.03, 0.30, 1.585714, {0.235007, 0.120302, 0.0618195, 0.0206132}},
    {0.25, 2.2, 13, 0.15, 0.55, 3.345370, {0.495379, 0.364733, 0.113909, 0.0210242}},
};

static void test_single_class(void)
{
    for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++) {
        const struct single_class *set = &single[i];
        struct sample wait = {0}, waits = {0}, idle = {0}, beyond[4] = {{0}};
        struct sim_model model = built_model(1, 1);

        built_poisson(&model, 0, 0, set->rate, built_tailed(set->average, set->maximum, set->tail));
        for (uint64_t r = 0; r < REPLICATIONS; r++) {
            const struct sim_limits limits = {
                .seed = 1, .replication = r, .quanta = 10000, .warm_up = 200};
            struct sim_tally tally = simulate(&model, limits, single_points, 4);
            const struct sim_distribution *waited = &tally.level[0].wait;

            add(&wait, sim_distribution_mean(waited));
            add(&waits, waiting(&tally.level[0]) / 100);
            add(&idle, tally.processor[0].idle / tally.time);
            for (size_t p = 0; p < 4; p++) {
                add(&beyond[p], (double)waited->beyond[p] / (double)waited->count);
            }
            sim_tally_free(&tally);
        }
        CHECK_MEAN(&wait, set->wait);
        CHECK_MEAN(&waits, set->load);
        CHECK_MEAN(&idle, 1 - set->load);
        for (size_t p = 0; p < 4; p++) {
            CHECK_MEAN(&beyond[p], set->beyond[p]);
        }
        sim_model_free(&model);
    }
}

/* M/M/1 of load 1/2: P(W > t) = exp(-t/2) / 2, mean 1. */
static void test_exponential_service(void)
{
    const double points[] = {0.5, 1, 2, 5};
    struct sample wait = {0}, beyond[4] = {{0}};
    struct sim_model model = built_model(1, 1);

    built_poisson(&model, 0, 0, 0.5, built_exponential(1));
    for (uint64_t r = 0; r < REPLICATIONS; r++) {
        const struct sim_limits limits = {.seed = 2, .replication = r, .quanta = 10000};
        struct sim_tally tally = simulate(&model, limits, points, 4);

        add(&wait, sim_distribution_mean(&tally.level[0].wait));
        for (size_t p = 0; p < 4; p++) {
            add(&beyond[p],
                (double)tally.level[0].wait.beyond[p] / (double)tally.level[0].wait.count);
        }
        sim_tally_free(&tally);
    }
    CHECK_MEAN(&wait, 1);
    for (size_t p = 0; p < 4; p++) {
        CHECK_MEAN(&beyond[p], exp(-points[p] / 2) / 2);
    }
    sim_model_free(&model);
}

struct two_classes {
    double rate[2], average[2], maximum[2], tail[2]; /* low, medium */
    double wait[2], waits[2], low_stay;
    double preemptions; /* of a medium arrival */
    double interruption;
};

static const struct two_classes two[] = {
    {{0.09, 0.06},
     {2.2, 1.5},
     {13, 30},
     {0.15, 0.03},
     {1.350398, 0.365934},
     {0.288, 0.09},
     3.767981,
     0.198,
     1.648352},
    {{0.2, 0.05},
     {2.2, 4},
     {13, 20},
     {0.15, 0.05},
     {6.380787, 0.791667},
     {0.64, 0.20},
     9.130787,
     0.44,
     5},
    {{0.05, 0.02},
     {5, 5},
     {10, 10},
     {0, 0},
     {1.994302, 0.370370},
     {0.35, 0.10},
     7.549858,
     0.25,
     5.555556},
};

static struct sim_model two_class_model(const struct two_classes *set)
{
    struct sim_model model = built_model(1, 2);

    for (size_t level = 2; level-- > 0;) {
        built_poisson(&model, 0, level, set->rate[level],
                      built_tailed(set->average[level], set->maximum[level], set->tail[level]));
    }
    return model;
}

static void test_two_classes(void)
{
    for (size_t i = 0; i < sizeof(two) / sizeof(two[0]); i++) {
        const struct two_classes *set = &two[i];
        struct sample wait[2] = {{0}}, waits[2] = {{0}}, stay = {0}, preempted = {0}, lost = {0};
        struct sim_model model = two_class_model(set);

        for (uint64_t r = 0; r < REPLICATIONS; r++) {
            const struct sim_limits limits = {
                .seed = 3, .replication = r, .quanta = 15000, .warm_up = 500};
            struct sim_tally tally = simulate(&model, limits, NULL, 0);
            const struct sim_level_tally *low = &tally.level[0];

            for (size_t level = 0; level < 2; level++) {
                add(&wait[level], sim_distribution_mean(&tally.level[level].wait));
                add(&waits[level], waiting(&tally.level[level]) / 100);
            }
            add(&stay, sim_distribution_mean(&low->stay));
            add(&preempted, (double)low->preempted / (double)tally.level[1].competing);
            add(&lost, low->preempted_time / (double)low->preempted);
            sim_tally_free(&tally);
        }
        for (size_t level = 0; level < 2; level++) {
            CHECK_MEAN(&wait[level], set->wait[level]);
            CHECK_MEAN(&waits[level], set->waits[level]);
        }
        CHECK_MEAN(&stay, set->low_stay);
        CHECK_MEAN(&preempted, set->preemptions);
        CHECK_MEAN(&lost, set->interruption);
        sim_model_free(&model);
    }
}

/* ---- distributions, by inversion of their transforms ---- */

#define WAIT_POINTS 20
#define AGREES      7 /* standard errors of 10 replications, of 120 points at once */

/* The part of a level's quanta that wait longer, at times from a thirtieth of the mean of those
 * that wait on. */
static void check_level(const struct sim_model *model, size_t level,
                        const struct sim_class_theory *theory)
{
    struct sample beyond[WAIT_POINTS] = {{0}};
    double points[WAIT_POINTS];

    for (size_t p = 0; p < WAIT_POINTS; p++) {
        points[p] = theory->nonzero / 30 * pow(1.25, (double)p);
    }
    for (uint64_t r = 0; r < REPLICATIONS; r++) {
        const struct sim_limits limits = {
            .seed = 9, .replication = r, .quanta = 20000, .warm_up = 500};
        struct sim_tally tally = simulate(model, limits, points, WAIT_POINTS);
        const struct sim_distribution *wait = &tally.level[level].wait;

        for (size_t p = 0; p < WAIT_POINTS; p++) {
            add(&beyond[p], (double)wait->beyond[p] / (double)wait->count);
        }
        sim_tally_free(&tally);
    }
    for (size_t p = 0; p < WAIT_POINTS; p++) {
        const double mean = beyond[p].sum / REPLICATIONS;
        const double variance =
            (beyond[p].squares - beyond[p].sum * mean) / (REPLICATIONS - 1) / REPLICATIONS;

        CHECK_WITHIN(mean, sim_theory_level_beyond(model, level, points[p]),
                     AGREES * sqrt(variance));
    }
}

static void check_distributions(struct sim_model model)
{
    struct sim_class_theory theory[SIM_LEVELS_MAX];
    const char *why;

    CHECK(sim_theory(&model, theory, &why));
    for (size_t level = 0; level < model.levels; level++) {
        check_level(&model, level, &theory[level]);
    }
    sim_model_free(&model);
}

static void test_distributions(void)
{
    for (size_t i = 0; i < sizeof(single) / sizeof(single[0]); i++) {
        struct sim_model model = built_model(1, 1);

        built_poisson(&model, 0, 0, single[i].rate,
                      built_tailed(single[i].average, single[i].maximum, single[i].tail));
        check_distributions(model);
    }
    for (size_t i = 0; i < sizeof(two) / sizeof(two[0]); i++) {
        check_distributions(two_class_model(&two[i]));
    }
}

/* ---- what holds of every run ---- */

static bool same_distribution(const struct sim_distribution *a, const struct sim_distribution *b)
{
    return a->count == b->count && a->zeroes == b->zeroes && a->sum == b->sum &&
           a->squares == b->squares && a->least == b->least && a->greatest == b->greatest;
}

/* Medium work does not feel the low: the same to the bit as without it. */
static void test_low_is_not_felt(void)
{
    const struct sim_limits limits = {.seed = 4, .time = 20000};
    struct sim_model both = two_class_model(&two[1]);
    struct sim_model alone = two_class_model(&two[1]);

    sim_law_free(&alone.loads[1].service);
    alone.load_count = 1;

    struct sim_tally with = simulate(&both, limits, NULL, 0);
    struct sim_tally without = simulate(&alone, limits, NULL, 0);

    CHECK(with.level[0].competing > 1000 && without.level[0].competing == 0);
    CHECK(same_distribution(&with.level[1].wait, &without.level[1].wait));
    CHECK(same_distribution(&with.level[1].stay, &without.level[1].stay));
    /* Whatever the priorities, the time that is not idle is that of the work. */
    for (size_t level = 0; level < 2; level++) {
        both.loads[level].level = 0;
    }
    struct sim_tally flat = simulate(&both, limits, NULL, 0);

    CHECK_WITHIN(flat.processor[0].idle, with.processor[0].idle, 1e-6);
    CHECK(flat.level[0].preempted == 0 && with.level[0].preempted > 100);
    sim_tally_free(&with);
    sim_tally_free(&without);
    sim_tally_free(&flat);
    sim_model_free(&both);
    sim_model_free(&alone);
}

/* The area under the number of quanta in the system. */
struct area {
    double time, sum;
    size_t there;
};

static void count_there(void *context, const struct sim_event *event)
{
    struct area *area = &((struct area *)context)[event->level == 1];

    if (event->kind != SIM_ARRIVAL && event->kind != SIM_END) {
        return;
    }
    area->sum += (double)area->there * (event->time - area->time);
    area->time = event->time;
    area->there += event->kind == SIM_ARRIVAL ? 1 : (size_t)-1;
}

/* Little's law, exactly, of a run that ends empty: the area is the sum of the stays. */
static void test_little(void)
{
    double times[2][500];
    uint64_t state = 5;
    struct area area[2] = {{0}};
    const struct sim_observer observer = {.event = count_there, .context = area};
    const struct sim_limits limits = {.seed = 5, .time = 100000};
    char error[SIM_LAW_ERROR_MAX];
    struct sim_model model = built_model(1, 2);
    struct sim_tally tally;

    for (size_t level = 0; level < 2; level++) {
        double time = 0;

        for (size_t i = 0; i < 500; i++) {
            time += (double)(unit_random(&state) % 1000) / 100;
            times[level][i] = time;
        }
        built_load(&model, 0, level, built_trace(times[level], 500), built_tailed(2.2, 13, 0.15));
    }
    sim_tally_init(&tally, &model, NULL, 0, false);
    CHECK(sim_simulate(&model, &limits, &observer, &tally, error));
    for (size_t level = 0; level < 2; level++) {
        CHECK_EQUAL(tally.level[level].stay.count, 500);
        CHECK_WITHIN(area[level].sum, tally.level[level].stay.sum, 1e-7);
    }
    CHECK(tally.level[0].preempted > 50);
    sim_tally_free(&tally);
    sim_model_free(&model);
}

static bool same(const struct sim_tally *a, const struct sim_tally *b)
{
    bool good = a->time == b->time && a->events == b->events &&
                a->preemption.lock_out == b->preemption.lock_out &&
                memcmp(a->stimulus[0].transit.classes, b->stimulus[0].transit.classes,
                       SIM_CLASSES * sizeof(uint64_t)) == 0;

    for (size_t i = 0; i < a->levels; i++) {
        good = good && same_distribution(&a->level[i].wait, &b->level[i].wait) &&
               same_distribution(&a->level[i].stay, &b->level[i].stay) &&
               a->level[i].work == b->level[i].work &&
               a->level[i].preempted == b->level[i].preempted;
    }
    return good && same_distribution(&a->stimulus[0].transit, &b->stimulus[0].transit);
}

/* The same numbers from the same seed, observed or not; others from another. */
static void test_determinism(void)
{
    struct sim_limits limits = {.seed = 6, .passes = 500};
    struct area area[2] = {{0}};
    const struct sim_observer observer = {.event = count_there, .context = area};
    struct sim_model model = built_paper(false);
    char error[SIM_LAW_ERROR_MAX];
    struct sim_tally first = simulate(&model, limits, NULL, 0);
    struct sim_tally again = simulate(&model, limits, NULL, 0);
    struct sim_tally observed;

    sim_tally_init(&observed, &model, NULL, 0, false);
    CHECK(sim_simulate(&model, &limits, &observer, &observed, error));
    CHECK(same(&first, &again) && same(&first, &observed));
    limits.replication = 1;

    struct sim_tally other = simulate(&model, limits, NULL, 0);

    CHECK(!same(&first, &other));
    /* The sum of two is what one tally makes of both. */
    sim_tally_merge(&first, &other);
    CHECK(sim_simulate(&model, &limits, NULL, &again, error));
    CHECK(same(&first, &again));
    CHECK_EQUAL(again.stimulus[0].transit.count, 1000);
    sim_tally_free(&first);
    sim_tally_free(&again);
    sim_tally_free(&observed);
    sim_tally_free(&other);
    sim_model_free(&model);
}

/* What comes before the end of the warm-up is not counted, and passes are counted from there. */
static void test_warm_up(void)
{
    struct sim_model model = built_paper(false);
    struct sim_tally tally =
        simulate(&model, (struct sim_limits){.seed = 7, .passes = 100, .warm_up = 5000}, NULL, 0);

    CHECK_EQUAL(tally.stimulus[0].transit.count, 100);
    CHECK(tally.time > 7000 && tally.time < 12000);
    CHECK_WITHIN(tally.level[0].work + tally.level[1].work + tally.processor[0].idle, tally.time,
                 1e-6);
    sim_tally_free(&tally);
    sim_model_free(&model);
}

/* Two processors with the same load, and a stimulus between them: both are idle for what remains.
 */
static void test_two_processors(void)
{
    struct sample idle[2] = {{0}};
    struct sim_model model = built_model(2, 2);

    for (size_t processor = 0; processor < 2; processor++) {
        built_poisson(&model, processor, 0, 0.1, built_exponential(2));
        built_process(&model, processor, 1);
    }
    built_stimulus(&model,
                   (struct sim_arrivals){.kind = SIM_RENEWAL, .interval = built_exponential(10)});
    built_visit(&model, 0, 1);
    built_visit(&model, 1, 3);
    built_visit(&model, 0, 1);
    model.transmission = built_exponential(2);
    for (uint64_t r = 0; r < REPLICATIONS; r++) {
        struct sim_tally tally = simulate(
            &model, (struct sim_limits){.seed = 8, .replication = r, .passes = 1000}, NULL, 0);

        for (size_t processor = 0; processor < 2; processor++) {
            add(&idle[processor], tally.processor[processor].idle / tally.time);
        }
        CHECK(tally.stimulus[0].transit.least > 5);
        sim_tally_free(&tally);
    }
    CHECK_MEAN(&idle[0], 1 - 0.2 - 0.2);
    CHECK_MEAN(&idle[1], 1 - 0.2 - 0.3);
    sim_model_free(&model);
}

/* ---- section 3.6: several processors ---- */

static struct sim_model poisson_stimulus(size_t processors, double interval)
{
    struct sim_model model = built_model(processors, 1);

    built_stimulus(&model, (struct sim_arrivals){.kind = SIM_RENEWAL,
                                                 .interval = built_exponential(interval)});
    return model;
}

/* Each visit with a separate service. */
static void add_visit(struct sim_model *model, size_t processor, size_t among)
{
    struct sim_stop *stop = built_stop(model, 1);

    stop->service = built_exponential(1);
    stop->processor = processor;
    stop->among = among;
}

/* Transit and the part of passes that take longer than `beyond`, over replications. */
static void check_transit(const struct sim_model *model, double mean, double beyond, double part)
{
    struct sample transit = {0};
    struct sample longer = {0};

    for (uint64_t i = 0; i < REPLICATIONS; i++) {
        const struct sim_limits limits = {
            .seed = 11, .replication = i, .passes = 40000, .warm_up = 2000};
        struct sim_tally tally = simulate(model, limits, &beyond, 1);
        const struct sim_distribution *found = &tally.stimulus[0].transit;

        add(&transit, found->sum / (double)found->count);
        add(&longer, (double)found->beyond[0] / (double)found->count);
        sim_tally_free(&tally);
    }
    CHECK_MEAN(&transit, mean);
    if (part > 0) {
        CHECK_MEAN(&longer, part);
    }
}

/* Any of four processors serves each of three portions: a network of Jackson's, whose processors
 * are as if each were M/M/1, at load 0.6: 3 / (1 - 0.6). */
static void test_random_routing(void)
{
    struct sim_model model = poisson_stimulus(4, 3 / (4 * 0.6));

    for (size_t i = 0; i < 3; i++) {
        add_visit(&model, 0, 4);
    }
    check_transit(&model, 7.5, 1, 0);
    /* All of them at random visits, and none elsewhere. */
    struct sim_tally tally =
        simulate(&model, (struct sim_limits){.seed = 4, .passes = 40000}, NULL, 0);

    for (size_t i = 0; i < 4; i++) {
        CHECK_WITHIN(1 - tally.processor[i].idle / tally.time, 0.6, 0.03);
    }
    sim_tally_free(&tally);
    sim_model_free(&model);
}

/* A chain of three at load 0.6: stays at M/M/1 one behind the other are independent (Reich), so
 * that the transit is Erlang's: mean 3 / 0.4, and beyond 10 with exp(-4) (1 + 4 + 8). */
static void test_chain(void)
{
    struct sim_model model = poisson_stimulus(3, 1 / 0.6);

    for (size_t i = 0; i < 3; i++) {
        add_visit(&model, i, 0);
    }
    check_transit(&model, 7.5, 10, 13 * exp(-4));
    sim_model_free(&model);
}

int main(void)
{
    RUN(check_paper(false, &poisson, &poisson_error));
    RUN(check_paper(true, &uniform, &uniform_error));
    RUN(test_single_class());
    RUN(test_exponential_service());
    RUN(test_two_classes());
    RUN(test_distributions());
    RUN(test_random_routing());
    RUN(test_chain());
    RUN(test_low_is_not_felt());
    RUN(test_little());
    RUN(test_determinism());
    RUN(test_warm_up());
    RUN(test_two_processors());
    return unit_finish("unit_sim_theory");
}
