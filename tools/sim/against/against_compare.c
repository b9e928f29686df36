/* SPDX-License-Identifier: BSD-2-Clause */
/* Simulates the model as often as asked, and compares the measured run with the predictions. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"
#include "tools/sim/against/against_parts.h"
#include "tools/sim/engine/engine.h"
#include "tools/sim/engine/parallel.h"
#include "tools/stats/summary.h"

#define ONE_SIDE 0.025
#define ALONE    100  /* replications */
#define AT_ONCE  0.95 /* of own runs the verdict takes */

/* ---- one replication ---- */

struct sample {
    double *values;
    size_t n, capacity;
};

static void sample_add(struct sample *sample, double value)
{
    sample->values =
        alloc_grow(sample->values, &sample->capacity, sample->n + 1, sizeof(*sample->values));
    sample->values[sample->n++] = value;
}

/* Simulations of one model, shared by all threads. */
struct work {
    const struct sim_model *model;
    const struct against_measured *measured;
    const struct against_plan *plan;
    bool means_only;      /* of the first series, and no more */
    pthread_mutex_t lock; /* over what is below */
    double *values; /* [(series * AGAINST_STATISTICS + statistic) * replications + replication] */
    double *means;  /* [replication] */
    struct sample *first; /* [replication]: values of the first series, ascending */
    bool failed;
    char error[SIM_LAW_ERROR_MAX];
};

/* What one replication gives, a sample for each series. */
struct collection {
    const struct against_measured *measured;
    struct sample *sample;
};

static void collect_response(void *context, size_t stimulus, double time, double transit)
{
    const struct collection *collection = context;

    (void)time;
    for (size_t i = 0; i < collection->measured->count; i++) {
        if (collection->measured->series[i].stimulus == stimulus) {
            sample_add(&collection->sample[i], transit);
        }
    }
}

/* The wait of a competing quantum, as the kernel reports it when it begins. */
static void collect_wait(void *context, const struct sim_event *event)
{
    const struct collection *collection = context;

    if (event->kind != SIM_BEGIN || event->load == SIM_NONE) {
        return;
    }
    for (size_t i = 0; i < collection->measured->count; i++) {
        const struct against_series *series = &collection->measured->series[i];

        if (series->stimulus == SIM_NONE && series->processor == event->processor &&
            series->level == event->level) {
            sample_add(&collection->sample[i], event->amount);
        }
    }
}

static bool simulate(const struct work *work, size_t replication, struct sample *sample,
                     char error[SIM_LAW_ERROR_MAX])
{
    struct collection collection = {work->measured, sample};
    const bool has_waits = work->measured->series[0].stimulus == SIM_NONE;
    const struct sim_observer observer = {
        .event = work->means_only && !has_waits ? NULL : collect_wait,
        .response = collect_response,
        .context = &collection,
    };
    const struct sim_limits limits = {
        .seed = work->plan->seed,
        .replication = replication,
        .passes = has_waits ? 0 : work->measured->passes,
        .quanta = has_waits ? work->measured->passes : 0,
    };

    struct sim_tally tally;

    sim_tally_init(&tally, work->model, NULL, 0, NULL, 0, false);
    const bool done = sim_simulate(work->model, &limits, &observer, &tally, error);

    sim_tally_free(&tally);
    return done;
}

static void keep(struct work *work, size_t replication, struct sample *sample)
{
    const size_t replications = work->plan->replications;

    work->means[replication] = against_mean_of(sample[0].values, sample[0].n);
    for (size_t i = 0; !work->means_only && i < work->measured->count; i++) {
        summary_sort(sample[i].values, sample[i].n);
        for (enum against_statistic which = 0; which < AGAINST_STATISTICS; which++) {
            work->values[(i * AGAINST_STATISTICS + which) * replications + replication] =
                against_statistic_of(sample[i].values, sample[i].n, which);
        }
    }
    if (!work->means_only) {
        work->first[replication] = sample[0];
        sample[0] = (struct sample){0};
    }
}

static void report(struct work *work, const char *error)
{
    pthread_mutex_lock(&work->lock);
    if (error != NULL && !work->failed) {
        work->failed = true;
        snprintf(work->error, sizeof(work->error), "%s", error);
    }
    if (work->plan->progress != NULL) {
        work->plan->progress(work->plan->context);
    }
    pthread_mutex_unlock(&work->lock);
}

static void work_one(void *context, size_t replication)
{
    struct work *work = context;
    struct sample *sample = alloc_zeroed(work->measured->count * sizeof(*sample));
    char error[SIM_LAW_ERROR_MAX];
    const bool done = simulate(work, replication, sample, error);

    if (done) {
        keep(work, replication, sample);
    }
    report(work, done ? NULL : error);
    for (size_t i = 0; i < work->measured->count; i++) {
        free(sample[i].values);
    }
    free(sample);
}

static void work_run(struct work *work)
{
    parallel_for(work->plan->jobs, work->plan->replications, work_one, work);
}

/* ---- a prediction ---- */

static void set_sides(struct against_band *band, const double *values, size_t count)
{
    double squares[2] = {0};
    size_t n[2] = {0};

    for (size_t i = 0; i < count; i++) {
        const bool above = values[i] > band->mean;

        squares[above] += (values[i] - band->mean) * (values[i] - band->mean);
        n[above]++;
    }
    band->below = n[0] > 0 ? sqrt(squares[0] / (double)n[0]) : 0;
    band->above = n[1] > 0 ? sqrt(squares[1] / (double)n[1]) : 0;
}

/* Ranks as the head of against.h has them. */
static void make_band(struct against_band *band, double *values, size_t count)
{
    const size_t low = (size_t)((double)(count + 1) * ONE_SIDE);

    *band = (struct against_band){.reported = true};
    for (size_t i = 0; i < count; i++) {
        band->reported = band->reported && !isnan(values[i]);
    }
    if (!band->reported) {
        return;
    }
    band->mean = against_mean_of(values, count);
    band->deviation = against_deviation_of(values, count);
    set_sides(band, values, count);
    summary_sort(values, count);
    band->low = values[low - 1];
    band->high = values[count - low];
}

/* What a value is compared with to: resolution, and what the costs miss. */
static double tolerance_of(const struct against_measured *measured)
{
    return measured->resolution + measured->precision;
}

static bool counts(const struct against_measured *measured, const struct against_band *band,
                   size_t at)
{
    const bool waits = measured->series[at / AGAINST_STATISTICS].stimulus == SIM_NONE;

    return band[at].reported && against_is_judged(at % AGAINST_STATISTICS, waits);
}

/* Before the values are sorted: each replication's belong together. */
static double worst_usual(const struct work *work, const struct against_band *band)
{
    const size_t replications = work->plan->replications;
    double *worst = alloc_zeroed(replications * sizeof(*worst));

    for (size_t r = 0; r < replications; r++) {
        for (size_t i = 0; i < work->measured->count * AGAINST_STATISTICS; i++) {
            if (counts(work->measured, band, i)) {
                worst[r] =
                    fmax(worst[r], against_excess(&band[i], work->values[i * replications + r],
                                                  work->measured->resolution));
            }
        }
    }
    summary_sort(worst, replications);
    const double usual = worst[(size_t)ceil(AT_ONCE * (double)(replications + 1)) - 1];

    free(worst);
    return usual;
}

static void find_worst(struct against_prediction *prediction,
                       const struct against_measured *measured)
{
    for (size_t i = 0; i < measured->count * AGAINST_STATISTICS; i++) {
        const enum against_statistic which = i % AGAINST_STATISTICS;
        const struct against_series *series = &measured->series[i / AGAINST_STATISTICS];
        const double excess = against_excess(&prediction->band[i], against_value(series, which),
                                             tolerance_of(measured));

        if (counts(measured, prediction->band, i) && excess > prediction->worst) {
            prediction->worst = excess;
            prediction->worst_series = i / AGAINST_STATISTICS;
            prediction->worst_statistic = which;
        }
    }
}

static void make_bands(struct against_prediction *prediction, const struct work *work)
{
    const size_t count = work->measured->count * AGAINST_STATISTICS;
    const size_t replications = work->plan->replications;
    double *values = alloc_zeroed(replications * sizeof(*values));

    prediction->band = alloc_zeroed(count * sizeof(*prediction->band));
    for (size_t i = 0; i < count; i++) {
        memcpy(values, work->values + i * replications, replications * sizeof(*values));
        make_band(&prediction->band[i], values, replications);
    }
    prediction->worst_usual = worst_usual(work, prediction->band);
    find_worst(prediction, work->measured);
    free(values);
}

static double *own_distances(const struct against_prediction *prediction, const struct work *work,
                             double resolution)
{
    const size_t replications = work->plan->replications;
    double *distances = alloc_zeroed(replications * sizeof(*distances));

    for (size_t r = 0; r < replications; r++) {
        distances[r] = against_distance_of(work->first[r].values, work->first[r].n,
                                           prediction->pool, prediction->pool_count, resolution);
    }
    summary_sort(distances, replications);
    return distances;
}

static void make_pool(struct against_prediction *prediction, const struct work *work)
{
    const size_t replications = work->plan->replications;
    size_t count = 0;

    for (size_t r = 0; r < replications; r++) {
        count += work->first[r].n;
    }
    prediction->pool = alloc_zeroed(count * sizeof(*prediction->pool));
    for (size_t r = 0; r < replications; r++) {
        memcpy(prediction->pool + prediction->pool_count, work->first[r].values,
               work->first[r].n * sizeof(double));
        prediction->pool_count += work->first[r].n;
    }
    summary_sort(prediction->pool, count);
    prediction->distance = own_distances(prediction, work, work->measured->resolution);
    prediction->rough =
        own_distances(prediction, work, work->measured->resolution + work->measured->precision);
}

static bool work_finish(struct work *work, char error[AGAINST_ERROR_MAX])
{
    pthread_mutex_destroy(&work->lock);
    for (size_t r = 0; work->first != NULL && r < work->plan->replications; r++) {
        free(work->first[r].values);
    }
    free(work->first);
    free(work->values);
    if (work->failed) {
        free(work->means);
        snprintf(error, AGAINST_ERROR_MAX, "the simulation failed: %s", work->error);
    }
    return !work->failed;
}

static bool predict(struct against_prediction *prediction, const struct sim_model *model,
                    const struct sim_overhead *overhead, const struct against_measured *measured,
                    const struct against_plan *plan, char error[AGAINST_ERROR_MAX])
{
    const size_t replications = plan->replications;
    struct sim_model changed;

    sim_model_copy(&changed, model);
    changed.overhead = *overhead;
    struct work work = {
        .model = &changed,
        .measured = measured,
        .plan = plan,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .values = alloc_zeroed(measured->count * AGAINST_STATISTICS * replications *
                               sizeof(*work.values)),
        .means = alloc_zeroed(replications * sizeof(*work.means)),
        .first = alloc_zeroed(replications * sizeof(*work.first)),
    };

    *prediction = (struct against_prediction){.overhead = *overhead, .replications = replications};
    work_run(&work);
    if (!work.failed) {
        prediction->means = work.means;
        make_bands(prediction, &work);
        make_pool(prediction, &work);
    }
    sim_model_free(&changed);
    return work_finish(&work, error);
}

static void prediction_free(struct against_prediction *prediction)
{
    free(prediction->band);
    free(prediction->means);
    free(prediction->pool);
    free(prediction->distance);
    free(prediction->rough);
}

/* ---- what explains the difference ---- */

/* Means of the first series with these overheads; NULL where a simulation failed. */
static double *predict_means(const struct against *against, const struct sim_overhead *overhead,
                             const struct against_plan *plan, char error[AGAINST_ERROR_MAX])
{
    struct sim_model changed;

    sim_model_copy(&changed, against->model);
    changed.overhead = *overhead;
    struct work work = {
        .model = &changed,
        .measured = &against->measured,
        .plan = plan,
        .means_only = true,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .means = alloc_zeroed(plan->replications * sizeof(*work.means)),
    };

    work_run(&work);
    sim_model_free(&changed);
    return work_finish(&work, error) ? work.means : NULL;
}

/* Replications of the same number share their random numbers: their differences spread less. */
static void mean_difference(const double *from, const double *to, size_t n, double *mean,
                            double *error)
{
    double *differences = alloc_zeroed(n * sizeof(*differences));

    for (size_t i = 0; i < n; i++) {
        differences[i] = to[i] - from[i];
    }
    *mean = against_mean_of(differences, n);
    *error = against_deviation_of(differences, n) / sqrt((double)n);
    free(differences);
}

/* Of what one cost adds alone, which nothing is judged by: in pairs its error is small. */
static struct against_plan plan_of_one(const struct against_plan *plan)
{
    struct against_plan fewer = *plan;

    fewer.replications = plan->replications < ALONE ? plan->replications : ALONE;
    return fewer;
}

size_t against_simulations(const struct against_measured *measured, const struct against_plan *plan)
{
    struct sim_overhead overhead = measured->overhead;
    size_t simulations = 2 * plan->replications;

    for (enum sim_overhead_part i = 0; i < AGAINST_PARTS; i++) {
        simulations += *sim_overhead_part(&overhead, i) != 0
                           ? plan->replications + plan_of_one(plan).replications
                           : 0;
    }
    return simulations;
}

static bool explain_part(struct against *against, enum sim_overhead_part part,
                         struct sim_overhead *sum, double **before, const struct against_plan *plan,
                         char error[AGAINST_ERROR_MAX])
{
    struct against_part *explained = &against->part[part];
    const struct against_plan fewer = plan_of_one(plan);
    struct sim_overhead one = {0};

    explained->cost = *sim_overhead_part(&against->with.overhead, part);
    if (explained->cost == 0) {
        return true; /* adds nothing: no simulation is needed */
    }
    *sim_overhead_part(&one, part) = *sim_overhead_part(sum, part) = explained->cost;
    double *alone = predict_means(against, &one, &fewer, error);
    double *together = alone != NULL ? predict_means(against, sum, plan, error) : NULL;

    if (together != NULL) {
        mean_difference(against->without.means, alone, fewer.replications, &explained->alone,
                        &explained->alone_error);
        mean_difference(*before, together, plan->replications, &explained->added,
                        &explained->added_error);
        free(*before);
        *before = together;
    }
    free(alone);
    return together != NULL;
}

static bool explain(struct against *against, const struct against_plan *plan,
                    char error[AGAINST_ERROR_MAX])
{
    static const char *const names[AGAINST_PARTS] = {"interrupts", "switches", "receives",
                                                     "portions",   "sends",    "ends"};
    const double mean = against_value(&against->measured.series[0], AGAINST_MEAN);
    const size_t size = plan->replications * sizeof(double);
    double *before = memcpy(alloc_zeroed(size), against->without.means, size);
    struct sim_overhead sum = {0};
    bool done = true;

    for (enum sim_overhead_part i = 0; i < AGAINST_PARTS; i++) {
        against->part[i].name = names[i];
        done = done && explain_part(against, i, &sum, &before, plan, error);
    }
    free(before);
    against->difference = mean - against->without.band[AGAINST_MEAN].mean;
    against->remainder = mean - against->with.band[AGAINST_MEAN].mean;
    against->remainder_error = against->with.band[AGAINST_MEAN].deviation;
    return done;
}

/* ---- all of it ---- */

bool against_agrees(const struct against_prediction *prediction)
{
    return prediction->worst <= prediction->worst_usual;
}

/* Statistics are taken to move in proportion to the overheads. */
double against_visible(const struct against *against)
{
    const struct against_measured *measured = &against->measured;
    double visible = INFINITY;

    for (size_t i = 0; i < measured->count * AGAINST_STATISTICS; i++) {
        const struct against_band *with = &against->with.band[i];
        const double moved = fabs(with->mean - against->without.band[i].mean);
        const double seen = against->with.worst_usual * with->deviation + tolerance_of(measured);

        if (counts(measured, against->with.band, i) && against->without.band[i].reported) {
            visible = fmin(visible, seen / moved);
        }
    }
    return visible;
}

static void measure_distances(struct against *against, uint64_t seed)
{
    const struct against_measured *measured = &against->measured;
    const struct against_series *first = &measured->series[0];

    against_measure_distance(&against->distance_with, first, &against->with, against->with.distance,
                             measured->resolution, seed);
    against_measure_distance(&against->distance_without, first, &against->without,
                             against->without.distance, measured->resolution, seed);
    against_measure_distance(&against->rough_with, first, &against->with, against->with.rough,
                             measured->resolution + measured->precision, seed);
}

bool against_compare(struct against *against, const struct sim_model *model,
                     struct against_measured *measured, const struct against_plan *plan,
                     char error[AGAINST_ERROR_MAX])
{
    static const struct sim_overhead none = {0};

    *against = (struct against){.model = model, .measured = *measured};
    *measured = (struct against_measured){0};
    const bool done = predict(&against->with, model, &against->measured.overhead,
                              &against->measured, plan, error) &&
                      predict(&against->without, model, &none, &against->measured, plan, error) &&
                      explain(against, plan, error);

    if (!done) {
        against_free(against);
        return false;
    }
    measure_distances(against, plan->seed);
    return true;
}

void against_free(struct against *against)
{
    prediction_free(&against->with);
    prediction_free(&against->without);
    against_measured_free(&against->measured);
    *against = (struct against){0};
}
