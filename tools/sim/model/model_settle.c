/* SPDX-License-Identifier: BSD-2-Clause */
/* Derives what the text of a model leaves open (model_reader.h), and refuses what cannot be. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "tools/sim/model/model_reader.h"

bool sim_refuse(struct sim_model_error *error, size_t line, const char *format, ...)
{
    va_list arguments;

    error->line = line;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof(error->text), format, arguments);
    va_end(arguments);
    return false;
}

/* ---- stimuli ---- */

/* What processors are expected to be busy, as the model states it. */
struct stated {
    bool has_total[SIM_PROCESSORS_MAX][SIM_LEVELS_MAX]; /* with the stimuli in it */
    double occupancy[SIM_PROCESSORS_MAX];
};

static void add_stop(const struct sim_model *model, const struct sim_stop *stop, double interval,
                     struct stated *stated)
{
    for (size_t i = 0; i < model->processors; i++) {
        if (!stated->has_total[i][stop->level]) {
            stated->occupancy[i] += sim_stop_part(stop, i) * stop->service.mean / interval;
        }
    }
}

static void state_occupancies(const struct sim_model *model, struct stated *stated)
{
    *stated = (struct stated){0};
    for (size_t i = 0; i < model->load_count; i++) {
        const struct sim_load *const load = &model->loads[i];

        stated->has_total[load->processor][load->level] |= load->is_total;
        stated->occupancy[load->processor] += load->occupancy;
    }
    for (size_t i = 0; i < model->stimulus_count; i++) {
        const struct sim_stimulus *const stimulus = &model->stimuli[i];

        for (size_t k = 0; stimulus->arrivals.kind == SIM_RENEWAL && k < stimulus->stop_count;
             k++) {
            add_stop(model, &stimulus->stops[k], stimulus->arrivals.interval.mean, stated);
        }
    }
}

/* How long a stimulus is expected to be under way beyond its work. */
static double estimate_delay(const struct sim_model *model, const struct sim_stimulus *stimulus,
                             const struct stated *stated)
{
    double estimate = 0;

    for (size_t i = 0; i < model->processors; i++) {
        double work = 0;

        for (size_t k = 0; k < stimulus->stop_count; k++) {
            work += sim_stop_part(&stimulus->stops[k], i) * stimulus->stops[k].service.mean;
        }
        estimate += work * stated->occupancy[i] / (1 - stated->occupancy[i]);
    }
    return estimate;
}

static bool add_work(struct sim_stimulus *stimulus, size_t line, struct sim_model_error *error)
{
    if (stimulus->stop_count == 0) {
        return sim_refuse(error, line, "stimulus \"%s\" has no route", stimulus->name);
    }
    stimulus->work = 0;
    for (size_t i = 0; i < stimulus->stop_count; i++) {
        stimulus->work += stimulus->stops[i].service.mean;
    }
    return stimulus->work > 0 ||
           sim_refuse(error, line, "stimulus \"%s\" has no work to be done: all its lengths are 0",
                      stimulus->name);
}

static void settle_cycle(const struct sim_model *model, struct sim_stimulus *stimulus,
                         const struct stated *stated)
{
    const double estimate = estimate_delay(model, stimulus, stated);

    if (!stimulus->arrivals.fixed) {
        const double delay = model->delay_factor * (stimulus->work + estimate);

        stimulus->arrivals.interval =
            (struct sim_law){.kind = SIM_CONSTANT, .mean = delay, .low = delay, .high = delay};
    }
    stimulus->between = stimulus->arrivals.interval.mean + stimulus->work + estimate;
}

static void settle_stimuli(struct sim_model *model, const struct stated *stated)
{
    model->delay_estimate = 0;
    model->cycle = 0;
    for (size_t i = 0; i < model->stimulus_count; i++) {
        struct sim_stimulus *const stimulus = &model->stimuli[i];

        switch (stimulus->arrivals.kind) {
        case SIM_RENEWAL:
            stimulus->between = stimulus->arrivals.interval.mean;
            break;
        case SIM_TRACE:
            stimulus->between = INFINITY;
            break;
        case SIM_POPULATION:
            stimulus->between = NAN;
            break;
        case SIM_CYCLE:
            settle_cycle(model, stimulus, stated);
            break;
        }
    }
    if (model->stimulus_count > 0 && model->stimuli[0].arrivals.kind == SIM_CYCLE) {
        model->delay_estimate = estimate_delay(model, &model->stimuli[0], stated);
        model->cycle = model->stimuli[0].between;
    }
}

/* ---- loads ---- */

static bool settle_total(struct sim_model *model, struct sim_load *load, size_t line,
                         struct sim_model_error *error)
{
    double share = 0;

    for (size_t i = 0; i < model->stimulus_count; i++) {
        share += sim_stimulus_share(&model->stimuli[i], load->processor, load->level);
    }
    if (isnan(share)) {
        return sim_refuse(error, line,
                          "level \"%s\" serves a population, whose part of the total is unknown "
                          "beforehand: give the load an occupancy, or a rate",
                          model->level[load->level]);
    }
    if (!(load->occupancy > share)) {
        return sim_refuse(
            error, line,
            "the total occupancy %.4g %% of level \"%s\" is less than the %.4g %% that "
            "the stimuli alone take there",
            load->occupancy * 100, model->level[load->level], share * 100);
    }
    load->own = load->occupancy - share;
    return true;
}

static bool settle_load(struct sim_model *model, struct sim_load *load, size_t line,
                        struct sim_model_error *error)
{
    load->own = load->occupancy;
    if (load->occupancy == 0) {
        return true; /* there is no load, whatever the stimuli take */
    }
    if (load->is_total && !settle_total(model, load, line, error)) {
        return false;
    }
    if (load->arrivals.kind != SIM_RENEWAL || !isnan(load->arrivals.interval.mean)) {
        return true;
    }
    const double interval = load->service.mean / load->own;
    const enum sim_column column =
        load->arrivals.interval.kind == SIM_UNIFORM ? SIM_UNIFORM_ARRIVALS : SIM_POISSON_ARRIVALS;

    if (load->arrivals.interval.kind == SIM_CONSTANT) {
        load->arrivals.interval.mean = interval;
        load->arrivals.interval.low = interval;
        load->arrivals.interval.high = interval;
    } else {
        sim_arrivals_of(&load->arrivals, column, interval);
    }
    return true;
}

/* Those of occupancy 0: they have no arrivals. */
static void drop_loads(struct sim_model *model, const struct sim_lines *lines)
{
    size_t kept = 0;

    for (size_t i = 0; i < model->load_count; i++) {
        if (model->loads[i].own == 0 && model->loads[i].arrivals.kind == SIM_RENEWAL) {
            sim_load_free(&model->loads[i]);
        } else {
            lines->loads[kept] = lines->loads[i];
            model->loads[kept++] = model->loads[i];
        }
    }
    model->load_count = kept;
}

static bool check_stated(const struct sim_model *model, const struct stated *stated,
                         const struct sim_lines *lines, struct sim_model_error *error)
{
    double sum[SIM_PROCESSORS_MAX] = {0};

    for (size_t i = 0; i < model->load_count; i++) {
        const struct sim_load *const load = &model->loads[i];

        sum[load->processor] += load->occupancy;
        if (sum[load->processor] >= SIM_OCCUPANCY_FULL) {
            return sim_refuse(error, lines->loads[i],
                              "the occupancies of processor \"%s\" add to %.6g %%: it must be less "
                              "than 100 %%",
                              model->processor[load->processor], sum[load->processor] * 100);
        }
    }
    for (size_t i = 0; i < model->processors; i++) {
        if (stated->occupancy[i] >= SIM_OCCUPANCY_FULL) {
            return sim_refuse(error, lines->last, SIM_TOO_MUCH, model->processor[i],
                              stated->occupancy[i] * 100);
        }
    }
    return true;
}

bool sim_model_settle(struct sim_model *model, const struct sim_lines *lines,
                      struct sim_model_error *error)
{
    struct stated stated;

    for (size_t i = 0; i < model->stimulus_count; i++) {
        if (!add_work(&model->stimuli[i], lines->stimuli[i], error)) {
            return false;
        }
    }
    state_occupancies(model, &stated);
    if (!check_stated(model, &stated, lines, error)) {
        return false;
    }
    settle_stimuli(model, &stated);
    for (size_t i = 0; i < model->load_count; i++) {
        if (!settle_load(model, &model->loads[i], lines->loads[i], error)) {
            return false;
        }
    }
    drop_loads(model, lines);
    return true;
}
