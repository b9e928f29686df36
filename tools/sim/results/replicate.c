/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/results/replicate.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tools/base/alloc.h"
#include "tools/stats/distributions.h"

#define PARALLEL_JOBS_MAX 1024

struct work {
    atomic_size_t next;
    size_t count;
    void (*job)(void *context, size_t index);
    void *context;
};

static void *take_jobs(void *context)
{
    struct work *const work = context;

    for (;;) {
        const size_t index = atomic_fetch_add(&work->next, 1);

        if (index >= work->count) {
            return NULL;
        }
        work->job(work->context, index);
    }
}

static size_t threads_for(size_t jobs, size_t count)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);

    if (jobs == 0) {
        jobs = processors > 0 ? (size_t)processors : 1;
    }
    jobs = jobs < PARALLEL_JOBS_MAX ? jobs : PARALLEL_JOBS_MAX;
    return jobs < count ? jobs : count;
}

/* Calls `job` for each index below `count`, beginning in order, on up to `jobs` threads including
 * the calling one; 0: as many as there are processors. Uses fewer if the system does not provide
 * more. */
static void parallel_for(size_t jobs, size_t count, void (*job)(void *context, size_t index),
                         void *context)
{
    struct work work = {.count = count, .job = job, .context = context};
    const size_t threads = threads_for(jobs, count);
    pthread_t others[PARALLEL_JOBS_MAX];
    size_t started = 0;

    while (started + 1 < threads && pthread_create(&others[started], NULL, take_jobs, &work) == 0) {
        started++;
    }
    take_jobs(&work);
    for (size_t i = 0; i < started; i++) {
        pthread_join(others[i], NULL);
    }
}

#define PILOTS 5
/* Number of passes or quanta of a pilot run, unless the plan ends it earlier: the default length of
 * a replication. The transient at the start does not depend on how long replications are. If it
 * takes more than 1 / PILOT_PARTS of a pilot, or its end is not found, longer pilots follow. */
#define PILOT_FIRST  100000
#define PILOT_GROWTH 4
#define PILOT_PARTS  20
/* largest bias, as a fraction of an interval's half width */
#define BIAS_MOST 0.25
/* number of the first pilot replication, so that pilots have separate random numbers */
#define PILOTS_FROM (UINT64_C(1) << 62)

/* ---- a round of replications ---- */

/* A round of replications. The counts of each are added up in order, so that sums do not depend on
 * which replication finishes first. */
struct round {
    const struct sim_model *model;
    const struct sim_replication_plan *plan;
    struct sim_outcome *outcome;
    size_t capacity; /* capacity of the outcome's values, in replications */
    size_t start;    /* number of replications in earlier rounds */
    size_t end;      /* number of replications including this round */
    size_t added;    /* the replication whose turn it is */
    bool failed;     /* an earlier replication failed */
    char *error;     /* error of the first failure */
    pthread_mutex_t lock;
    pthread_cond_t turn;
};

static bool has_failed(struct round *round)
{
    pthread_mutex_lock(&round->lock);
    const bool failed = round->failed;

    pthread_mutex_unlock(&round->lock);
    return failed;
}

static void wait_for_turn(struct round *round, size_t replication)
{
    pthread_mutex_lock(&round->lock);
    while (round->added != replication) {
        pthread_cond_wait(&round->turn, &round->lock);
    }
}

static void end_turn(struct round *round)
{
    round->added++;
    if (round->plan->progress != NULL) {
        round->plan->progress(round->plan->context, round->added, round->end);
    }
    pthread_cond_broadcast(&round->turn);
    pthread_mutex_unlock(&round->lock);
}

static void start_tally(struct sim_tally *tally, const struct sim_model *model,
                        const struct sim_replication_plan *plan)
{
    sim_tally_init(tally, model, plan->transit_points, plan->transit_count, plan->waits);
}

/* Returns the values of which statistic i is a quantile; NULL: it is none. */
static const struct sim_distribution *values_of(const struct sim_outcome *outcome,
                                                const struct sim_tally *tally, size_t i)
{
    return sim_statistic_quantile(&outcome->statistics.item[i], tally, &(double){0});
}

/* Runs one replication. After a failed one, nothing more is added. */
static void replicate_one(void *context, size_t index)
{
    struct round *const round = context;
    struct sim_outcome *const outcome = round->outcome;
    const size_t replication = round->start + index;
    struct sim_limits limits = round->plan->limits;
    char error[SIM_LAW_ERROR_MAX] = "";
    struct sim_tally tally;

    limits.warm_up = outcome->warm_up;
    limits.replication += replication;
    start_tally(&tally, round->model, round->plan);
    const bool good =
        !has_failed(round) && sim_simulate(round->model, &limits, NULL, &tally, error);

    wait_for_turn(round, replication);
    if (!round->failed && !good) {
        round->failed = true;
        snprintf(round->error, SIM_LAW_ERROR_MAX, "%s", error);
    }
    if (!round->failed) {
        sim_statistics_of(&outcome->statistics, &tally,
                          &outcome->values[replication * outcome->statistics.count]);
        sim_tally_merge(&outcome->total, &tally);
        for (size_t i = 0; i < outcome->statistics.count; i++) {
            if (outcome->pooled[i].step != NULL) {
                sim_pooled_add(&outcome->pooled[i], values_of(outcome, &tally, i));
            }
        }
        outcome->replications++;
    }
    end_turn(round);
    sim_tally_free(&tally);
}

static bool run_round(struct round *round, size_t end)
{
    struct sim_outcome *const outcome = round->outcome;

    round->start = round->end;
    round->end = end;
    outcome->values = alloc_grow(outcome->values, &round->capacity, end,
                                 outcome->statistics.count * sizeof(*outcome->values));
    parallel_for(round->plan->jobs, end - round->start, replicate_one, round);
    return !round->failed;
}

/* ---- warm-up ---- */

/* Pilot runs. They record the first stimulus's responses or, if there is no stimulus, the waits at
 * one level. */
struct pilots {
    const struct sim_model *model;
    const struct sim_replication_plan *plan;
    size_t level;
    uint64_t most; /* largest number of passes of the first stimulus, or else of quanta */
    struct pilot {
        struct warm_up_series series;
        const struct pilots *pilots;
        bool good;
        bool cut;    /* `most` ended it before the limits of the plan */
        double time; /* its simulated time */
        char error[SIM_LAW_ERROR_MAX];
    } pilot[PILOTS];
};

static void see_response(void *context, size_t stimulus, double time, double transit)
{
    struct pilot *const pilot = context;

    if (stimulus == 0) {
        warm_up_add(&pilot->series, time, transit);
    }
}

static void see_wait(void *context, size_t line, double time, double wait)
{
    struct pilot *const pilot = context;

    if (line % pilot->pilots->model->levels == pilot->pilots->level) {
        warm_up_add(&pilot->series, time, wait);
    }
}

static void fly(void *context, size_t index)
{
    struct pilots *const pilots = context;
    struct pilot *const pilot = &pilots->pilot[index];
    const bool responds = pilots->model->stimulus_count > 0;
    const struct sim_observer observer = {
        .response = responds ? see_response : NULL,
        .wait = responds ? NULL : see_wait,
        .context = pilot,
    };
    struct sim_limits limits = pilots->plan->limits;
    uint64_t *const values = responds ? &limits.passes : &limits.quanta;
    const bool shorter = *values == 0 || *values > pilots->most;
    struct sim_tally tally;

    *values = shorter ? pilots->most : *values;
    limits.warm_up = 0;
    limits.replication += PILOTS_FROM + index;
    start_tally(&tally, pilots->model, pilots->plan);
    pilot->good = sim_simulate(pilots->model, &limits, &observer, &tally, pilot->error);
    pilot->cut = shorter && pilot->good &&
                 (responds ? tally.stimulus[0].transit.count : tally.quanta) >= pilots->most;
    pilot->time = tally.time;
    sim_tally_free(&tally);
}

static size_t least_urgent(const struct sim_model *model)
{
    for (size_t level = 0; level < model->levels; level++) {
        for (size_t processor = 0; processor < model->processors; processor++) {
            if (sim_level_used(model, processor, level)) {
                return level;
            }
        }
    }
    return 0;
}

/* Runs all pilots and looks for the warm-up in them. Returns whether all pilots are good. */
static bool fly_all(struct pilots *pilots, struct sim_outcome *outcome,
                    char error[SIM_LAW_ERROR_MAX])
{
    struct warm_up_series series[PILOTS];
    bool good = true;

    for (size_t i = 0; i < PILOTS; i++) {
        pilots->pilot[i].pilots = pilots;
        warm_up_init(&pilots->pilot[i].series);
    }
    parallel_for(pilots->plan->jobs, PILOTS, fly, pilots);
    for (size_t i = PILOTS; i-- > 0;) {
        series[i] = pilots->pilot[i].series;
        if (!pilots->pilot[i].good) {
            snprintf(error, SIM_LAW_ERROR_MAX, "%s", pilots->pilot[i].error);
            good = false;
        }
    }
    outcome->warm_up_found = true;
    outcome->warm_up_doubtful = !warm_up_find(series, PILOTS, &outcome->warm_up);
    for (size_t i = 0; i < PILOTS; i++) {
        warm_up_free(&series[i]);
    }
    return good;
}

static bool find_warm_up(const struct sim_model *model, const struct sim_replication_plan *plan,
                         struct sim_outcome *outcome, char error[SIM_LAW_ERROR_MAX])
{
    struct pilots pilots = {
        .model = model, .plan = plan, .level = least_urgent(model), .most = PILOT_FIRST};
    bool good = fly_all(&pilots, outcome, error);

    while (good && pilots.pilot[0].cut &&
           (outcome->warm_up_doubtful || outcome->warm_up * PILOT_PARTS > pilots.pilot[0].time)) {
        pilots.most *= PILOT_GROWTH;
        good = fly_all(&pilots, outcome, error);
    }
    return good;
}

/* ---- estimates ---- */

void sim_estimate_of(const double *values, size_t count, size_t stride,
                     struct sim_estimate *estimate)
{
    double mean = 0;
    double squares = 0; /* sum of squared distances from the mean */

    *estimate = (struct sim_estimate){0};
    for (size_t i = 0; i < count; i++) {
        const double value = values[i * stride];

        if (!isnan(value)) {
            const double distance = value - mean;

            estimate->count++;
            mean += distance / (double)estimate->count;
            squares += distance * (value - mean);
        }
    }
    const double freedom = (double)estimate->count - 1;

    estimate->mean = estimate->count > 0 ? mean : NAN;
    estimate->deviation = freedom > 0 ? sqrt(squares / freedom) : NAN;
    estimate->error = estimate->deviation / sqrt((double)estimate->count);
    estimate->half =
        freedom > 0 ? distribution_student_quantile(SIM_UPPER_95, freedom) * estimate->error : NAN;
    estimate->low = estimate->mean - estimate->half;
    estimate->high = estimate->mean + estimate->half;
}

/* ---- are replications long enough? ---- */

/*
 * Tests whether replications are too short.
 *
 * The variance of one value, divided by the variance of a replication's mean, is the number of
 * independent values that a replication is worth: its length / (2 correlation times). The effect of
 * the empty queues at the start fades within a correlation time. What is not left out of it changes
 * the mean by up to mean / (2 worth). The interval keeps its nominal coverage as long as this bias
 * is small compared with the interval: a bias of a quarter of the half width reduces 95 % by 2.5 %.
 */
static bool is_too_short(const struct sim_outcome *outcome, size_t statistic,
                         const struct sim_distribution *values)
{
    const struct sim_estimate *const estimate = &outcome->estimate[statistic];
    const double deviation = sim_distribution_deviation(values);
    const double worth = pow(deviation / estimate->deviation, 2);

    return isfinite(worth) && fabs(estimate->mean) / (2 * worth) > BIAS_MOST * estimate->half;
}

/* Tests the first stimulus's transit or, without stimuli, the waits of each level. */
static bool are_too_short(const struct sim_outcome *outcome, const struct sim_model *model)
{
    for (size_t i = 0; i < outcome->statistics.count; i++) {
        const struct sim_statistic *const item = &outcome->statistics.item[i];
        const bool looked_at = model->stimulus_count > 0
                                   ? item->measure == SIM_STIMULUS_TRANSIT && item->of == 0
                                   : item->measure == SIM_LEVEL_WAIT;

        if (looked_at &&
            is_too_short(outcome, i,
                         model->stimulus_count > 0 ? &outcome->total.stimulus[0].transit
                                                   : &outcome->total.level[item->of].wait)) {
            return true;
        }
    }
    return false;
}

/* ---- precision ---- */

/* Returns the statistic that decides the precision, or SIM_NONE if there is no such statistic. */
static size_t statistic_looked_at(const struct sim_outcome *outcome, const struct sim_model *model,
                                  const char *name)
{
    const struct sim_statistics *const statistics = &outcome->statistics;

    if (name != NULL) {
        return sim_statistic_find(statistics, name);
    }
    if (model->stimulus_count > 0) {
        return sim_statistic_of(statistics, SIM_STIMULUS_TRANSIT, 0, 0);
    }
    for (size_t i = 0; i < statistics->count; i++) {
        if (statistics->item[i].measure == SIM_LEVEL_WAIT) {
            return i;
        }
    }
    return SIM_NONE;
}

/* Estimates all statistics, and whether the given one is precise enough. */
static void look(struct sim_outcome *outcome, size_t statistic, double precision)
{
    for (size_t i = 0; i < outcome->statistics.count; i++) {
        if (outcome->pooled[i].step != NULL) {
            sim_pooled_quantile(&outcome->pooled[i], values_of(outcome, &outcome->total, i),
                                &outcome->estimate[i]);
        } else {
            sim_estimate_of(outcome->values + i, outcome->replications, outcome->statistics.count,
                            &outcome->estimate[i]);
        }
    }
    outcome->precise = true;
    outcome->reached = NAN;
    if (statistic != SIM_NONE) {
        const struct sim_estimate *const estimate = &outcome->estimate[statistic];

        outcome->reached = estimate->half / fabs(estimate->mean);
        outcome->precise = precision <= 0 || estimate->half <= precision * fabs(estimate->mean);
    }
}

static bool run_rounds(struct round *round, size_t statistic)
{
    const struct sim_replication_plan *const plan = round->plan;

    do {
        if (!run_round(round, round->end + plan->replications)) {
            return false;
        }
        look(round->outcome, statistic, plan->precision);
    } while (!round->outcome->precise &&
             round->end + plan->replications <= plan->replications_most);
    return true;
}

bool sim_replicate(const struct sim_model *model, const struct sim_replication_plan *plan,
                   struct sim_outcome *outcome, char error[SIM_LAW_ERROR_MAX])
{
    struct round round = {.model = model, .plan = plan, .outcome = outcome, .error = error};
    bool good = true;

    *outcome = (struct sim_outcome){.warm_up = plan->limits.warm_up};
    sim_statistics_init(&outcome->statistics, model, plan->transit_points, plan->transit_count);
    start_tally(&outcome->total, model, plan);
    outcome->estimate = alloc_zeroed(outcome->statistics.count * sizeof(*outcome->estimate));
    outcome->pooled = alloc_zeroed(outcome->statistics.count * sizeof(*outcome->pooled));
    for (size_t i = 0; i < outcome->statistics.count; i++) {
        double p;
        const struct sim_distribution *const values =
            sim_statistic_quantile(&outcome->statistics.item[i], &outcome->total, &p);

        if (values != NULL && values->classes != NULL) {
            sim_pooled_init(&outcome->pooled[i], p);
        }
    }
    const size_t statistic = statistic_looked_at(outcome, model, plan->precision_of);

    if (plan->precision_of != NULL && statistic == SIM_NONE) {
        snprintf(error, SIM_LAW_ERROR_MAX, "unknown statistic \"%.100s\"", plan->precision_of);
        good = false;
    }
    if (good && plan->limits.warm_up == SIM_WARM_UP_AUTOMATIC) {
        good = find_warm_up(model, plan, outcome, error);
    }
    if (good) {
        pthread_mutex_init(&round.lock, NULL);
        pthread_cond_init(&round.turn, NULL);
        good = run_rounds(&round, statistic);
        pthread_cond_destroy(&round.turn);
        pthread_mutex_destroy(&round.lock);
    }
    if (good && outcome->warm_up_found) {
        outcome->warm_up_doubtful = outcome->warm_up_doubtful || are_too_short(outcome, model);
    }
    if (!good) {
        sim_outcome_free(outcome);
    }
    return good;
}

void sim_outcome_free(struct sim_outcome *outcome)
{
    for (size_t i = 0; outcome->pooled != NULL && i < outcome->statistics.count; i++) {
        sim_pooled_free(&outcome->pooled[i]);
    }
    sim_statistics_free(&outcome->statistics);
    free(outcome->pooled);
    free(outcome->values);
    free(outcome->estimate);
    sim_tally_free(&outcome->total);
    *outcome = (struct sim_outcome){0};
}
