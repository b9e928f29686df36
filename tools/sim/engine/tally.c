/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/engine/tally.h"

#include "tools/base/alloc.h"
#include "tools/sim/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void sim_distribution_init(struct sim_distribution *distribution, bool with_classes)
{
    *distribution = (struct sim_distribution){.least = INFINITY, .greatest = -INFINITY};
    if (with_classes) {
        distribution->classes = alloc_zeroed(SIM_CLASSES * sizeof(*distribution->classes));
    }
}

void sim_distribution_free(struct sim_distribution *distribution)
{
    free(distribution->classes);
    distribution->classes = NULL;
}

void sim_distribution_merge(struct sim_distribution *to, const struct sim_distribution *from)
{
    to->count += from->count;
    to->sum += from->sum;
    to->squares += from->squares;
    to->least = fmin(to->least, from->least);
    to->greatest = fmax(to->greatest, from->greatest);
    to->zeroes += from->zeroes;
    for (size_t i = 0; i < to->point_count; i++) {
        to->beyond[i] += from->beyond[i];
    }
    for (size_t i = 0; to->classes != NULL && i < SIM_CLASSES; i++) {
        if (from->classes[i] != 0) {
            to->classes[i] += from->classes[i];
        }
    }
}

double sim_distribution_mean(const struct sim_distribution *distribution)
{
    return distribution->count != 0 ? distribution->sum / (double)distribution->count : NAN;
}

double sim_distribution_deviation(const struct sim_distribution *distribution)
{
    const double n = (double)distribution->count;
    const double mean = distribution->sum / n;

    if (distribution->count < 2) {
        return NAN;
    }
    return sqrt(fmax(0, (distribution->squares - distribution->sum * mean) / (n - 1)));
}

/* Returns the lower bound of a class, which is the upper bound of the class before. */
static double class_begin(size_t class)
{
    const int octave = (int)(class / SIM_HISTOGRAM_PARTS) + SIM_HISTOGRAM_LEAST;
    const size_t part = class % SIM_HISTOGRAM_PARTS;

    return ldexp(1 + (double)part / SIM_HISTOGRAM_PARTS, octave);
}

double sim_distribution_bound(const struct sim_distribution *distribution, size_t bound)
{
    if (bound == 0) {
        return 0;
    }
    const double middle = (class_begin(bound - 1) + class_begin(bound)) / 2;

    return fmin(fmax(middle, distribution->least), distribution->greatest);
}

double sim_distribution_quantile(const struct sim_distribution *distribution, double p)
{
    if (distribution->classes == NULL || distribution->count == 0) {
        return NAN;
    }
    /* A p that was meant as n / count may be slightly more, because of rounding. */
    const double rank = fmax(1, ceil(p * (double)distribution->count * (1 - 1e-12)));
    uint64_t counted = distribution->zeroes;
    size_t class = 0;

    if ((double)counted >= rank) {
        return 0;
    }
    while (class < SIM_CLASSES - 1 && (double)(counted + distribution->classes[class]) < rank) {
        counted += distribution->classes[class ++];
    }
    return sim_distribution_bound(distribution, class + 1);
}

void sim_tally_init(struct sim_tally *tally, const struct sim_model *model,
                    const double *transit_points, size_t transit_count, bool waits)
{
    const size_t lines = model->processors * model->levels;

    *tally = (struct sim_tally){
        .processors = model->processors,
        .levels = model->levels,
        .stimuli = model->stimulus_count,
        .stations = model->station_count,
        .level = alloc_zeroed(lines * sizeof(*tally->level)),
        .processor = alloc_zeroed(model->processors * sizeof(*tally->processor)),
        .stimulus = alloc_zeroed((model->stimulus_count + 1) * sizeof(*tally->stimulus)),
        .station = alloc_zeroed((model->station_count + 1) * sizeof(*tally->station)),
    };
    for (size_t i = 0; i < lines; i++) {
        sim_distribution_init(&tally->level[i].wait, waits);
        sim_distribution_init(&tally->level[i].stay, false);
        sim_distribution_init(&tally->level[i].portion_wait, false);
    }
    for (size_t i = 0; i < tally->stations; i++) {
        tally->station[i].servers = model->stations[i].servers;
        sim_distribution_init(&tally->station[i].wait, false);
        sim_distribution_init(&tally->station[i].stay, true);
    }
    for (size_t i = 0; i < tally->stimuli; i++) {
        sim_distribution_init(&tally->stimulus[i].transit, true);
        sim_distribution_init(&tally->stimulus[i].wait, false);
        tally->stimulus[i].transit.point_count = transit_count;
        for (size_t k = 0; k < transit_count; k++) {
            tally->stimulus[i].transit.point[k] = transit_points[k];
        }
    }
}

static void copy_points(struct sim_distribution *to, const struct sim_distribution *from)
{
    to->point_count = from->point_count;
    memcpy(to->point, from->point, sizeof(to->point));
}

void sim_tally_like(struct sim_tally *tally, const struct sim_model *model,
                    const struct sim_tally *other)
{
    sim_tally_init(tally, model, NULL, 0, other->level[0].wait.classes != NULL);
    for (size_t i = 0; i < tally->processors * tally->levels; i++) {
        copy_points(&tally->level[i].wait, &other->level[i].wait);
    }
    for (size_t i = 0; i < tally->stimuli; i++) {
        copy_points(&tally->stimulus[i].transit, &other->stimulus[i].transit);
    }
}

static void merge_level(struct sim_level_tally *to, const struct sim_level_tally *from)
{
    to->competing += from->competing;
    sim_distribution_merge(&to->wait, &from->wait);
    sim_distribution_merge(&to->stay, &from->stay);
    sim_distribution_merge(&to->portion_wait, &from->portion_wait);
    to->work += from->work;
    to->preempted += from->preempted;
    to->preempted_time += from->preempted_time;
    to->displaced += from->displaced;
}

void sim_tally_merge(struct sim_tally *to, const struct sim_tally *from)
{
    for (size_t i = 0; i < to->processors * to->levels; i++) {
        merge_level(&to->level[i], &from->level[i]);
    }
    for (size_t i = 0; i < to->processors; i++) {
        to->processor[i].idle += from->processor[i].idle;
        to->processor[i].interrupts += from->processor[i].interrupts;
    }
    for (size_t i = 0; i < to->stimuli; i++) {
        sim_distribution_merge(&to->stimulus[i].transit, &from->stimulus[i].transit);
        sim_distribution_merge(&to->stimulus[i].wait, &from->stimulus[i].wait);
        to->stimulus[i].missed += from->stimulus[i].missed;
    }
    for (size_t i = 0; i < to->stations; i++) {
        sim_distribution_merge(&to->station[i].wait, &from->station[i].wait);
        sim_distribution_merge(&to->station[i].stay, &from->station[i].stay);
        to->station[i].work += from->station[i].work;
    }
    to->preemption.strict += from->preemption.strict;
    to->preemption.wide += from->preemption.wide;
    to->preemption.length += from->preemption.length;
    to->preemption.lock_out += from->preemption.lock_out;
    to->time += from->time;
    to->events += from->events;
    to->quanta += from->quanta;
}

void sim_tally_free(struct sim_tally *tally)
{
    for (size_t i = 0; i < tally->processors * tally->levels; i++) {
        sim_distribution_free(&tally->level[i].wait);
        sim_distribution_free(&tally->level[i].stay);
        sim_distribution_free(&tally->level[i].portion_wait);
    }
    for (size_t i = 0; i < tally->stations; i++) {
        sim_distribution_free(&tally->station[i].wait);
        sim_distribution_free(&tally->station[i].stay);
    }
    for (size_t i = 0; i < tally->stimuli; i++) {
        sim_distribution_free(&tally->stimulus[i].transit);
        sim_distribution_free(&tally->stimulus[i].wait);
    }
    free(tally->level);
    free(tally->processor);
    free(tally->stimulus);
    free(tally->station);
    *tally = (struct sim_tally){0};
}
