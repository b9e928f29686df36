/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/results/sim_statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/run/names.h"
#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/stats/statistics.h"

#define PERCENT 100

struct measure {
    enum sim_measure measure;
    const char *suffix;
    const char *unit;
    const char *definition;
};

static const struct measure level_measures[] = {
    {SIM_LEVEL_QUANTA, "quanta", UNIT_COUNT, "quanta of competing work that began to be served"},
    {SIM_LEVEL_WAIT, "wait", "units",
     "mean time of a competing quantum from arrival to its first service, including quanta that do "
     "not wait; preempted time is not wait"},
    {SIM_LEVEL_WAITING, "waiting", "percent",
     "competing quanta that wait before their first service"},
    {SIM_LEVEL_NONZERO, "nonzero", "units", "mean wait of the competing quanta that wait"},
    {SIM_LEVEL_WAIT_DEVIATION, "wait.deviation", "units",
     "standard deviation of the waits of single competing quanta"},
    {SIM_LEVEL_WAIT_P90, "wait.p90", "units",
     "wait that 90 % of the competing quanta do not exceed"},
    {SIM_LEVEL_WAIT_P99, "wait.p99", "units",
     "wait that 99 % of the competing quanta do not exceed"},
    {SIM_LEVEL_STAY, "stay", "units",
     "mean time of a competing quantum from arrival to the end of its service"},
    {SIM_LEVEL_OCCUPANCY, "occupancy", "percent",
     "share of the time that the processor works at this level, stimuli included"},
    {SIM_LEVEL_PREEMPTED, "preempted", "times",
     "times that work in service loses the processor to more urgent work or at the end of its time "
     "slice, for each competing quantum and portion of a stimulus"},
    {SIM_LEVEL_INTERRUPTION, "interruption", "units",
     "mean time from the loss of the processor until the work continues"},
    {SIM_LEVEL_PORTION_WAIT, "portion_wait", "units",
     "mean time of a stimulus's portion from the request to its first service"},
};

static const struct measure stimulus_measures[] = {
    {SIM_STIMULUS_PASSES, "passes", UNIT_COUNT, "responses to the stimulus that were counted"},
    {SIM_STIMULUS_TRANSIT, "transit", "units",
     "mean time from the stimulus to the end of its last portion"},
    {SIM_STIMULUS_DEVIATION, "transit.deviation", "units",
     "standard deviation of single transit times"},
    {SIM_STIMULUS_P50, "transit.p50", "units", "transit time that 50 % do not exceed"},
    {SIM_STIMULUS_P90, "transit.p90", "units", "transit time that 90 % do not exceed"},
    {SIM_STIMULUS_P99, "transit.p99", "units", "transit time that 99 % do not exceed"},
    {SIM_STIMULUS_P999, "transit.p99.9", "units", "transit time that 99.9 % do not exceed"},
    {SIM_STIMULUS_MAXIMUM, "transit.max", "units",
     "longest transit time of a replication, averaged over the replications"},
    {SIM_STIMULUS_WAIT, "wait", "units", "mean transit time minus the work done for the stimulus"},
    {SIM_STIMULUS_MISSED, "missed", "percent", "passes whose transit time exceeds the deadline"},
};

static const struct measure preemption_measures[] = {
    {SIM_PREEMPTIONS_STRICT, "preemptions.strict", UNIT_COUNT,
     "(a) busy periods of more urgent work that begin with least urgent work in service or in "
     "line"},
    {SIM_PREEMPTIONS_WIDE, "preemptions.wide", UNIT_COUNT,
     "(b) those of (a), and busy periods in which a later quantum begins while least urgent work "
     "is present; each period counts once"},
    {SIM_PREEMPTIONS_SERVED, "preemptions.served", UNIT_COUNT,
     "times that work in service loses the processor"},
    {SIM_PREEMPTIONS_DISPLACED, "preemptions.displaced", UNIT_COUNT,
     "times that work gets the processor and is displaced in the same instant"},
    {SIM_PREEMPT_LENGTH, "preempt.length", "units",
     "(c) mean length of the busy periods counted by (a)"},
    {SIM_PREEMPT_LOCK_OUT, "preempt.lock_out", "units",
     "(d) time of more urgent work while least urgent work is present, divided by the count (a)"},
    {SIM_PREEMPT_TIME, "preempt.time", "units",
     "mean time from the loss of the processor until the work continues, for all levels"},
};

static const struct measure idle_measure = {SIM_PROCESSOR_IDLE, "idle", "percent",
                                            "share of the time that the processor has no work"};
static const struct measure station_measures[] = {
    {SIM_STATION_OCCUPANCY, "occupancy", "percent",
     "share of the time that the servers of the station work, all servers together"},
    {SIM_STATION_WAIT, "wait", "units",
     "mean time of a portion from the request until a server takes it"},
    {SIM_STATION_STAY, "stay", "units",
     "mean time of a portion from the request to the end of its service"},
    {SIM_STATION_STAY_P99, "stay.p99", "units",
     "time from the request to the end of its service that 99 % of the portions do not exceed"},
};
static const struct measure class_measure = {
    SIM_STIMULUS_CLASS, NULL, "percent",
    "passes whose transit time is in this class; a class includes its upper bound"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the list ---- */

/* Adds a statistic that has no name yet. */
static struct sim_statistic *add(struct sim_statistics *statistics, const struct measure *measure,
                                 size_t of)
{
    struct sim_statistic *const added =
        ALLOC_NEXT(statistics->item, statistics->count, statistics->capacity);

    added->unit = measure->unit;
    added->definition = measure->definition;
    added->measure = measure->measure;
    added->of = of;
    return added;
}

static void add_all(struct sim_statistics *statistics, const struct measure *measures, size_t count,
                    const char *owner, size_t of)
{
    for (size_t i = 0; i < count; i++) {
        struct sim_statistic *const added = add(statistics, &measures[i], of);

        if (owner != NULL) {
            snprintf(added->name, sizeof(added->name), "%.40s.%s", owner, measures[i].suffix);
        } else {
            snprintf(added->name, sizeof(added->name), "%s", measures[i].suffix);
        }
    }
}

bool sim_level_used(const struct sim_model *model, size_t processor, size_t level)
{
    for (size_t i = 0; i < model->load_count; i++) {
        if (model->loads[i].processor == processor && model->loads[i].level == level) {
            return true;
        }
    }
    for (size_t i = 0; i < model->stimulus_count; i++) {
        for (size_t j = 0; j < model->stimuli[i].stop_count; j++) {
            const struct sim_stop *const stop = &model->stimuli[i].stops[j];

            if (sim_stop_part(stop, processor) > 0 && stop->level == level) {
                return true;
            }
        }
    }
    return false;
}

bool sim_has_trace(const struct sim_model *model)
{
    for (size_t i = 0; i < model->load_count; i++) {
        if (model->loads[i].arrivals.kind == SIM_TRACE) {
            return true;
        }
    }
    return SEARCH_ANY(i, model->stimulus_count, model->stimuli[i].arrivals.kind == SIM_TRACE);
}

#define LEVEL_NAME_MAX 48

static void name_level(const struct sim_model *model, size_t processor, size_t level,
                       char name[LEVEL_NAME_MAX])
{
    if (model->processors > 1) {
        snprintf(name, LEVEL_NAME_MAX, "%.22s@%.22s", model->level[level],
                 model->processor[processor]);
    } else {
        snprintf(name, LEVEL_NAME_MAX, "%.40s", model->level[level]);
    }
}

static void add_levels(struct sim_statistics *statistics, const struct sim_model *model)
{
    for (size_t i = 0; i < model->processors * model->levels; i++) {
        if (sim_level_used(model, i / model->levels, i % model->levels)) {
            char name[LEVEL_NAME_MAX];

            name_level(model, i / model->levels, i % model->levels, name);
            add_all(statistics, level_measures, COUNT(level_measures), name, i);
        }
    }
}

static void add_classes(struct sim_statistics *statistics, const char *stimulus,
                        const double *points, size_t point_count)
{
    for (size_t i = 0; i <= point_count && point_count > 0; i++) {
        struct sim_statistic *const added = add(statistics, &class_measure, 0);

        added->point = i;
        if (i == 0) {
            snprintf(added->name, sizeof(added->name), "%.30s.below.%.9g", stimulus, points[0]);
        } else if (i == point_count) {
            snprintf(added->name, sizeof(added->name), "%.30s.above.%.9g", stimulus, points[i - 1]);
        } else {
            snprintf(added->name, sizeof(added->name), "%.30s.%.9g-%.9g", stimulus, points[i - 1],
                     points[i]);
        }
    }
}

void sim_statistics_init(struct sim_statistics *statistics, const struct sim_model *model,
                         const double *points, size_t point_count)
{
    *statistics = (struct sim_statistics){0};
    add_levels(statistics, model);
    for (size_t i = 0; i < model->stimulus_count; i++) {
        /* The last measure is that of the deadline. */
        add_all(statistics, stimulus_measures,
                COUNT(stimulus_measures) - (model->stimuli[i].deadline > 0 ? 0 : 1),
                model->stimuli[i].name, i);
    }
    add_all(statistics, preemption_measures, COUNT(preemption_measures), NULL, 0);
    for (size_t i = 0; i < model->processors; i++) {
        add_all(statistics, &idle_measure, 1, model->processor[i], i);
    }
    for (size_t i = 0; i < model->station_count; i++) {
        add_all(statistics, station_measures, COUNT(station_measures), model->stations[i].name, i);
    }
    if (model->stimulus_count > 0) {
        add_classes(statistics, model->stimuli[0].name, points, point_count);
    }
}

void sim_statistics_free(struct sim_statistics *statistics)
{
    free(statistics->item);
    *statistics = (struct sim_statistics){0};
}

size_t sim_statistic_find(const struct sim_statistics *statistics, const char *name)
{
    for (size_t i = 0; i < statistics->count; i++) {
        if (strcmp(statistics->item[i].name, name) == 0) {
            return i;
        }
    }
    return SIM_NONE;
}

size_t sim_statistic_of(const struct sim_statistics *statistics, enum sim_measure measure,
                        size_t of, size_t point)
{
    for (size_t i = 0; i < statistics->count; i++) {
        const struct sim_statistic *const item = &statistics->item[i];

        if (item->measure == measure && item->of == of && item->point == point) {
            return i;
        }
    }
    return SIM_NONE;
}

/* ---- their values ---- */

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

double sim_quantile_known(const struct sim_distribution *distribution, double p)
{
    return (double)distribution->count * (1 - p) >= STATISTICS_ABOVE_MIN - 1e-6
               ? sim_distribution_quantile(distribution, p)
               : NAN;
}

const struct sim_distribution *sim_statistic_quantile(const struct sim_statistic *statistic,
                                                      const struct sim_tally *tally, double *p)
{
    switch (statistic->measure) {
    case SIM_LEVEL_WAIT_P90:
    case SIM_LEVEL_WAIT_P99:
        *p = statistic->measure == SIM_LEVEL_WAIT_P90 ? 0.9 : 0.99;
        return &tally->level[statistic->of].wait;
    case SIM_STIMULUS_P50:
    case SIM_STIMULUS_P90:
        *p = statistic->measure == SIM_STIMULUS_P50 ? 0.5 : 0.9;
        return &tally->stimulus[statistic->of].transit;
    case SIM_STIMULUS_P99:
    case SIM_STIMULUS_P999:
        *p = statistic->measure == SIM_STIMULUS_P99 ? 0.99 : 0.999;
        return &tally->stimulus[statistic->of].transit;
    case SIM_STATION_STAY_P99:
        *p = 0.99;
        return &tally->station[statistic->of].stay;
    default:
        return NULL;
    }
}

static double level_value(const struct sim_statistic *statistic, const struct sim_tally *tally)
{
    const struct sim_level_tally *const level = &tally->level[statistic->of];
    const struct sim_distribution *const wait = &level->wait;
    const double waiting = (double)(wait->count - wait->zeroes);
    const double served = (double)(level->wait.count + level->portion_wait.count);

    switch (statistic->measure) {
    case SIM_LEVEL_QUANTA:
        return (double)level->wait.count;
    case SIM_LEVEL_WAIT:
        return sim_distribution_mean(wait);
    case SIM_LEVEL_WAITING:
        return ratio(PERCENT * waiting, (double)wait->count);
    case SIM_LEVEL_NONZERO:
        return ratio(wait->sum, waiting);
    case SIM_LEVEL_WAIT_DEVIATION:
        return sim_distribution_deviation(wait);
    case SIM_LEVEL_STAY:
        return sim_distribution_mean(&level->stay);
    case SIM_LEVEL_OCCUPANCY:
        return ratio(PERCENT * level->work, tally->time);
    case SIM_LEVEL_PREEMPTED:
        return ratio((double)level->preempted, served);
    case SIM_LEVEL_INTERRUPTION:
        return ratio(level->preempted_time, (double)level->preempted);
    case SIM_LEVEL_PORTION_WAIT:
        return sim_distribution_mean(&level->portion_wait);
    default:
        return NAN;
    }
}

/* Returns the passes in one class of transit times, in percent. The points count values above them.
 */
static double class_value(const struct sim_distribution *transit, size_t class)
{
    const uint64_t above = class < transit->point_count ? transit->beyond[class] : 0;
    const uint64_t from = class > 0 ? transit->beyond[class - 1] : transit->count;

    return ratio(PERCENT * (double)(from - above), (double)transit->count);
}

static double stimulus_value(const struct sim_statistic *statistic, const struct sim_tally *tally)
{
    const struct sim_stimulus_tally *const stimulus = &tally->stimulus[statistic->of];
    const struct sim_distribution *const transit = &stimulus->transit;

    switch (statistic->measure) {
    case SIM_STIMULUS_PASSES:
        return (double)transit->count;
    case SIM_STIMULUS_TRANSIT:
        return sim_distribution_mean(transit);
    case SIM_STIMULUS_DEVIATION:
        return sim_distribution_deviation(transit);
    case SIM_STIMULUS_MAXIMUM:
        return transit->count > 0 ? transit->greatest : NAN;
    case SIM_STIMULUS_WAIT:
        return sim_distribution_mean(&stimulus->wait);
    case SIM_STIMULUS_MISSED:
        return ratio(PERCENT * (double)stimulus->missed, (double)transit->count);
    case SIM_STIMULUS_CLASS:
        return class_value(transit, statistic->point);
    default:
        return NAN;
    }
}

static double whole_value(const struct sim_statistic *statistic, const struct sim_tally *tally)
{
    const struct sim_preemption_tally *const preemption = &tally->preemption;
    uint64_t served = 0;
    uint64_t displaced = 0;
    double time = 0;

    for (size_t i = 0; i < tally->processors * tally->levels; i++) {
        served += tally->level[i].preempted;
        displaced += tally->level[i].displaced;
        time += tally->level[i].preempted_time;
    }
    switch (statistic->measure) {
    case SIM_PREEMPTIONS_STRICT:
        return (double)preemption->strict;
    case SIM_PREEMPTIONS_WIDE:
        return (double)preemption->wide;
    case SIM_PREEMPTIONS_SERVED:
        return (double)served;
    case SIM_PREEMPTIONS_DISPLACED:
        return (double)displaced;
    case SIM_PREEMPT_LENGTH:
        return ratio(preemption->length, (double)preemption->strict);
    case SIM_PREEMPT_LOCK_OUT:
        return ratio(preemption->lock_out, (double)preemption->strict);
    case SIM_PREEMPT_TIME:
        return ratio(time, (double)served);
    case SIM_PROCESSOR_IDLE:
        return ratio(PERCENT * tally->processor[statistic->of].idle, tally->time);
    case SIM_STATION_OCCUPANCY:
        return ratio(PERCENT * tally->station[statistic->of].work,
                     tally->time * (double)tally->station[statistic->of].servers);
    case SIM_STATION_WAIT:
        return sim_distribution_mean(&tally->station[statistic->of].wait);
    case SIM_STATION_STAY:
        return sim_distribution_mean(&tally->station[statistic->of].stay);
    default:
        return NAN;
    }
}

void sim_statistics_of(const struct sim_statistics *statistics, const struct sim_tally *tally,
                       double *values)
{
    for (size_t i = 0; i < statistics->count; i++) {
        const struct sim_statistic *const statistic = &statistics->item[i];
        double p = 0;
        const struct sim_distribution *const quantile =
            sim_statistic_quantile(statistic, tally, &p);

        if (p > 0) {
            values[i] = sim_quantile_known(quantile, p);
        } else if (statistic->measure <= SIM_LEVEL_PORTION_WAIT) {
            values[i] = level_value(statistic, tally);
        } else if (statistic->measure <= SIM_STIMULUS_CLASS) {
            values[i] = stimulus_value(statistic, tally);
        } else {
            values[i] = whole_value(statistic, tally);
        }
    }
}

#define BATCHES_MIN 10 /* with fewer batches, no initial transient can be found */

void warm_up_init(struct warm_up_series *series)
{
    *series = (struct warm_up_series){
        .sum = alloc_zeroed(WARM_UP_BATCHES * sizeof(*series->sum)),
        .time = alloc_zeroed(WARM_UP_BATCHES * sizeof(*series->time)),
        .length = WARM_UP_BATCH,
    };
}

void warm_up_free(struct warm_up_series *series)
{
    free(series->sum);
    free(series->time);
    *series = (struct warm_up_series){0};
}

/* Merges pairs of batches, which doubles their length. An odd batch at the end becomes incomplete
 * again. */
static void halve(struct warm_up_series *series)
{
    if (series->count % 2 != 0) {
        series->count--;
        series->open += series->sum[series->count];
        series->open_count += series->length;
    }
    series->count /= 2;
    series->length *= 2;
    for (size_t i = 0; i < series->count; i++) {
        series->sum[i] = series->sum[2 * i] + series->sum[2 * i + 1];
        series->time[i] = series->time[2 * i + 1];
    }
}

void warm_up_add(struct warm_up_series *series, double time, double value)
{
    if (series->count == WARM_UP_BATCHES) {
        halve(series);
    }
    series->open += value;
    series->open_count++;
    if (series->open_count == series->length) {
        series->sum[series->count] = series->open;
        series->time[series->count] = time;
        series->count++;
        series->open = 0;
        series->open_count = 0;
    }
}

/* Brings all series to the longest batch length of any of them. Returns the number of batches that
 * all have. */
static size_t align(struct warm_up_series *series, size_t count)
{
    uint64_t length = 0;
    size_t batches = WARM_UP_BATCHES;

    for (size_t i = 0; i < count; i++) {
        length = series[i].length > length ? series[i].length : length;
    }
    for (size_t i = 0; i < count; i++) {
        while (series[i].length < length) {
            halve(&series[i]);
        }
        batches = series[i].count < batches ? series[i].count : batches;
    }
    return batches;
}

/* Returns how many of the first values to leave out as the initial transient. Works backwards, so
 * that the mean and the squares of the other values grow by one value at a time. */
static size_t best_cut(const double *values, size_t count)
{
    double mean = 0;
    double squares = 0; /* sum of squared distances from the mean */
    double least = INFINITY;
    size_t best = 0;

    for (size_t first = count; first-- > 0;) {
        const double rest = (double)(count - first);
        const double distance = values[first] - mean;

        mean += distance / rest;
        squares += distance * (values[first] - mean);
        if (first <= count / 2 && squares / (rest * rest) <= least) {
            least = squares / (rest * rest);
            best = first;
        }
    }
    return best;
}

bool warm_up_find(struct warm_up_series *series, size_t count, double *time)
{
    const size_t batches = align(series, count);

    *time = 0;
    if (batches < BATCHES_MIN) {
        return false;
    }
    double *const sum = alloc_zeroed(batches * sizeof(*sum));

    for (size_t i = 0; i < count; i++) {
        for (size_t batch = 0; batch < batches; batch++) {
            sum[batch] += series[i].sum[batch];
        }
    }
    const size_t cut = best_cut(sum, batches);

    free(sum);
    for (size_t i = 0; cut > 0 && i < count; i++) {
        *time = fmax(*time, series[i].time[cut - 1]);
    }
    return cut < batches / 2;
}
