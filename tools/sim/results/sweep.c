/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/results/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/stats/statistics.h"

#define STATISTIC_MAX 64
#define NEARLY        1e-6 /* part of a step that rounding may be off by */

/* ---- points ---- */

/* A number up to `end`; false where there is none. */
static bool read_number(const char **text, char end, double *value)
{
    char *after;

    *value = strtod(*text, &after);
    if (after == *text || *after != end || !(fabs(*value) <= SIM_SWEEP_VALUE_MAX)) {
        return false;
    }
    *text = after + (end != '\0');
    return true;
}

bool sim_sweep_read(struct sim_sweep *sweep, const char *text, char error[SIM_LAW_ERROR_MAX])
{
    const size_t name = strcspn(text, "=");
    const char *at = text + name + 1;

    *sweep = (struct sim_sweep){0};
    if (name == 0 || name >= sizeof(sweep->name) || text[name] == '\0' ||
        !read_number(&at, ':', &sweep->from) || !read_number(&at, ':', &sweep->to) ||
        !read_number(&at, '\0', &sweep->step)) {
        snprintf(error, SIM_LAW_ERROR_MAX,
                 "%.60s: NAME=FROM:TO:STEP is wanted, such as occupancy.low=0.1:0.8:0.05", text);
        return false;
    }
    memcpy(sweep->name, text, name);
    const double steps = (sweep->to - sweep->from) / sweep->step;

    if (!(sweep->step > 0) || !(steps >= -NEARLY)) {
        snprintf(error, SIM_LAW_ERROR_MAX,
                 "%.60s: has no points: TO is not below FROM, and STEP is above 0", text);
        return false;
    }
    if (steps >= SIM_SWEEP_POINTS_MAX) {
        snprintf(error, SIM_LAW_ERROR_MAX, "%.60s: more than %d points", text,
                 SIM_SWEEP_POINTS_MAX);
        return false;
    }
    sweep->points = (size_t)(steps + NEARLY) + 1;
    return true;
}

double sim_sweep_setting(const struct sim_sweep *sweep, size_t point)
{
    char text[48];

    snprintf(text, sizeof(text), "%.9f", sweep->from + (double)(point - 1) * sweep->step);
    return strtod(text, NULL);
}

/* ---- rows ---- */

static void add_subject(struct sweep_rows *rows, const char *name, const char *what)
{
    char text[STATISTIC_MAX + 16];

    snprintf(text, sizeof(text), "%s.%s", name, what);
    sweep_rows_add_subject(rows, text);
}

/* "low", or with several processors "low@main". */
static const char *level_name(const struct sim_model *model, size_t processor, size_t level,
                              char text[STATISTIC_MAX])
{
    if (model->processors > 1) {
        snprintf(text, STATISTIC_MAX, "%s@%s", model->level[level], model->processor[processor]);
    } else {
        snprintf(text, STATISTIC_MAX, "%s", model->level[level]);
    }
    return text;
}

static bool has_load(const struct sim_model *model, size_t processor, size_t level)
{
    for (size_t i = 0; i < model->load_count; i++) {
        if (model->loads[i].processor == processor && model->loads[i].level == level) {
            return true;
        }
    }
    return false;
}

/* The `index`-th of the levels that have loads, most urgent first, as the tally counts them;
 * SIM_NONE: there are not so many. */
static size_t loaded_level(const struct sim_model *model, size_t index)
{
    for (size_t p = 0; p < model->processors; p++) {
        for (size_t level = model->levels; level-- > 0;) {
            if (has_load(model, p, level) && index-- == 0) {
                return p * model->levels + level;
            }
        }
    }
    return SIM_NONE;
}

void sim_sweep_subjects(const struct sim_model *model, struct sweep_rows *rows)
{
    char text[STATISTIC_MAX];
    size_t at;

    if (model->stimulus_count > 0) {
        add_subject(rows, model->stimuli[0].name, "transit");
        return;
    }
    for (size_t i = 0; (at = loaded_level(model, i)) != SIM_NONE; i++) {
        add_subject(rows, level_name(model, at / model->levels, at % model->levels, text), "wait");
    }
}

static struct sweep_amount amount_of(const struct sim_outcome *outcome, const char *subject,
                                     size_t measure)
{
    static const char *const suffixes[SWEEP_MEASURES] = {"", ".p50", ".p90", ".p99", ".p99.9"};
    char name[STATISTIC_MAX + 16];

    snprintf(name, sizeof(name), "%s%s", subject, suffixes[measure]);
    const size_t at = sim_statistic_find(&outcome->statistics, name);

    return at != SIM_NONE
               ? (struct sweep_amount){outcome->estimate[at].mean, outcome->estimate[at].half}
               : (struct sweep_amount){NAN, NAN};
}

/* A quantile of the waits of all replications together, where it is no statistic of each. */
static double pooled(const struct sim_model *model, const struct sim_outcome *outcome,
                     size_t subject, size_t measure)
{
    static const double p[SWEEP_MEASURES] = {NAN, 0.5, 0.9, 0.99, 0.999};
    const size_t at = model->stimulus_count == 0 ? loaded_level(model, subject) : SIM_NONE;

    if (at == SIM_NONE || measure == 0 ||
        (double)outcome->total.level[at].wait.count * (1 - p[measure]) < STATISTICS_ABOVE_MIN) {
        return NAN;
    }
    return sim_distribution_quantile(&outcome->total.level[at].wait, p[measure]);
}

static double busiest(const struct sim_model *model)
{
    double most = 0;

    for (size_t p = 0; p < model->processors; p++) {
        const double occupancy = sim_model_occupancy(model, p, SIM_NONE);

        if (isnan(occupancy)) {
            return NAN; /* of a population it is not known beforehand */
        }
        most = fmax(most, occupancy);
    }
    return most > 0 || model->station_count == 0 ? most : NAN;
}

void sim_sweep_row(const struct sim_model *model, const struct sim_outcome *outcome,
                   const struct sweep_rows *rows, struct sweep_row *row)
{
    row->occupancy = busiest(model);
    row->replications = outcome->replications;
    row->warm_up = outcome->warm_up;
    for (size_t i = 0; i < rows->subject_count * SWEEP_MEASURES; i++) {
        const size_t subject = i / SWEEP_MEASURES;
        const size_t measure = i % SWEEP_MEASURES;

        row->amount[i] = amount_of(outcome, rows->subjects[subject], measure);
        if (isnan(row->amount[i].value)) {
            row->amount[i].value = pooled(model, outcome, subject, measure);
        }
    }
}
