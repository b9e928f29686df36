/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Derives what the text of a model leaves open (model_reader.h). Rejects invalid models and models
 * that cannot run: routes, occupancies, intervals and numbers of passes.
 */
#include <math.h>
#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/sim/model/model_reader.h"

/* ---- routes ---- */

/* A process that waits for one stimulus must get it back from the next stop, which must belong to
 * another process. */
static void check_await(const struct sim_model *model, const struct sim_stimulus *stimulus,
                        size_t at, struct sim_model_error *error)
{
    const struct sim_stop *const stop = &stimulus->stops[at];

    if (!sim_require(error, stimulus->line, stop->process != SIM_NONE,
                     "stimulus \"%s\": only a process can await, and stop %zu is %s",
                     stimulus->name, at + 1,
                     stop->station > 0 ? "at a station" : "plain work of a level")) {
        return;
    }
    const char *const name = model->processes[stop->process].name;

    sim_require(error, stimulus->line,
                at + 2 < stimulus->stop_count && stop[1].process != stop->process &&
                    stop[2].process == stop->process,
                "stimulus \"%s\": process \"%s\" awaits it at stop %zu, but it does not come back "
                "from one other stop: write %s awaits, OTHER, %s",
                stimulus->name, name, at + 1, name, name);
}

/* Finds processes that may wait for each other forever because they await answers in a circle. The
 * depth of a process is one more than that of the process it asks; in a circle it grows without
 * end. */
static const char *deepen(const struct sim_model *model, size_t *depth)
{
    const char *deeper = NULL;

    for (size_t i = 0; i < model->stimulus_count; i++) {
        const struct sim_stimulus *const stimulus = &model->stimuli[i];

        for (size_t k = 0; k + 1 < stimulus->stop_count; k++) {
            const size_t asks = stimulus->stops[k].process;
            const size_t asked = stimulus->stops[k + 1].process;

            if (stimulus->stops[k].awaits && asked != SIM_NONE && depth[asks] <= depth[asked]) {
                depth[asks] = depth[asked] + 1;
                deeper = model->processes[asks].name;
            }
        }
    }
    return deeper;
}

static void check_circles(const struct sim_model *model, size_t last, struct sim_model_error *error)
{
    size_t *const depth = alloc_zeroed((model->process_count + 1) * sizeof(*depth));
    const char *deeper = deepen(model, depth);

    for (size_t round = 0; deeper != NULL && round < model->process_count; round++) {
        deeper = deepen(model, depth);
    }
    free(depth);
    sim_require(error, last, deeper == NULL,
                "process \"%s\" awaits answers of processes that could wait for each other forever",
                deeper != NULL ? deeper : "");
}

/* ---- whole models ---- */

/* Returns the share of time that the machine surely takes in addition to the work. One or two
 * switches are not certain and not counted. */
static double overhead_share(const struct sim_model *model, size_t processor)
{
    const struct sim_overhead *const overhead = &model->overhead;
    const double each_portion = overhead->receive + overhead->portion + overhead->end;
    double sum = 0;

    for (size_t i = 0; i < model->load_count; i++) {
        const struct sim_load *const load = &model->loads[i];

        if (load->processor == processor && load->arrivals.kind == SIM_RENEWAL) {
            sum += (overhead->interrupt + each_portion) / load->arrivals.interval.mean;
        }
    }
    for (size_t i = 0; i < model->stimulus_count; i++) {
        const struct sim_stimulus *const stimulus = &model->stimuli[i];
        double each = sim_stop_part(&stimulus->stops[0], processor) * overhead->interrupt;

        for (size_t k = 0; k < stimulus->stop_count; k++) {
            const double sent = k + 1 < stimulus->stop_count ? overhead->send : 0;

            each += sim_stop_part(&stimulus->stops[k], processor) * (each_portion + sent);
            if (k > 0 && stimulus->stops[k - 1].station > 0) {
                each += sim_stop_part(&stimulus->stops[k], processor) * overhead->interrupt;
            }
        }
        sum += stimulus->arrivals.kind == SIM_RENEWAL ? each / stimulus->arrivals.interval.mean : 0;
    }
    return sum;
}

/* Returns whether the stimulus arrives by itself. One that cycles waits for itself, so it can never
 * overload a processor. */
static bool comes_by_itself(const struct sim_stimulus *stimulus)
{
    return stimulus->arrivals.kind == SIM_RENEWAL;
}

static void check_processors(const struct sim_model *model, size_t last,
                             struct sim_model_error *error)
{
    for (size_t i = 0; i < model->processors; i++) {
        double share = overhead_share(model, i);

        for (size_t k = 0; k < model->load_count; k++) {
            share += model->loads[k].processor == i ? model->loads[k].own : 0;
        }
        for (size_t k = 0; k < model->stimulus_count; k++) {
            share += comes_by_itself(&model->stimuli[k])
                         ? sim_stimulus_share(&model->stimuli[k], i, SIM_NONE)
                         : 0;
        }
        sim_require(error, last, share < SIM_OCCUPANCY_FULL, SIM_TOO_MUCH, model->processor[i],
                    share * 100);
    }
}

static void check_stations(const struct sim_model *model, size_t last,
                           struct sim_model_error *error)
{
    for (size_t i = 0; i < model->station_count; i++) {
        double share = 0;

        for (size_t k = 0; k < model->stimulus_count; k++) {
            share += comes_by_itself(&model->stimuli[k])
                         ? sim_stimulus_servers(&model->stimuli[k], i)
                         : 0;
        }
        share /= (double)model->stations[i].servers;
        sim_require(error, last, share < SIM_OCCUPANCY_FULL,
                    "what arrives for station \"%s\" takes %.6g %% of the time of its servers: it "
                    "must be less than 100 %%",
                    model->stations[i].name, share * 100);
    }
}

/* Returns the least time that a stop keeps its process, including the wait for an answer. */
static double hold_of(const struct sim_model *model, const struct sim_stop *stop)
{
    if (!stop->awaits) {
        return stop->service.mean;
    }
    const struct sim_stop *const other = stop + 1;
    const bool away =
        other->station == 0 && (other->among > 0 || other->processor != stop->processor);

    return stop->service.mean + other->service.mean + (away ? 2 * model->transmission.mean : 0);
}

static void check_processes(const struct sim_model *model, size_t last,
                            struct sim_model_error *error)
{
    double *const share = alloc_zeroed((model->process_count + 1) * sizeof(*share));

    for (size_t i = 0; i < model->stimulus_count; i++) {
        const struct sim_stimulus *const stimulus = &model->stimuli[i];

        for (size_t k = 0; comes_by_itself(stimulus) && k < stimulus->stop_count; k++) {
            const struct sim_stop *const stop = &stimulus->stops[k];

            if (stop->process != SIM_NONE) {
                share[stop->process] += hold_of(model, stop) / stimulus->between;
            }
        }
    }
    for (size_t i = 0; i < model->process_count; i++) {
        sim_require(error, last, share[i] < SIM_OCCUPANCY_FULL,
                    "what arrives for process \"%s\", and the answers that it awaits, keep it busy "
                    "%.6g %% of the time: it must be less than 100 %%",
                    model->processes[i].name, share[i] * 100);
    }
    free(share);
}

static void check_arrivals(const char *name, const struct sim_arrivals *arrivals, size_t line,
                           struct sim_model_error *error)
{
    const double mean = arrivals->interval.mean;
    const double least = arrivals->kind == SIM_RENEWAL ? SIM_NUMBER_LEAST : 0;

    sim_require(error, line, mean >= least && mean <= SIM_NUMBER_MOST,
                "the interval %.10g of the arrivals of \"%s\" is out of range", mean, name);
}

static void check_passes(const struct sim_model *model, size_t last, struct sim_model_error *error)
{
    if (model->stimulus_count == 0) {
        sim_require(error, last, model->passes == 0, "passes need a stimulus, but there is none");
        return;
    }
    const struct sim_arrivals *const arrivals = &model->stimuli[0].arrivals;

    sim_require(error, last, model->passes > 0,
                "the line with the number of passes is missing: passes 10000");
    sim_require(error, last, arrivals->kind != SIM_TRACE || model->passes <= arrivals->count,
                "%llu passes of stimulus \"%s\" are required, but it has only %zu arrival times",
                (unsigned long long)model->passes, model->stimuli[0].name, arrivals->count);
}

#define PROBABILITY_OFF 1e-6 /* tolerance for the rounding of decimals */

static void check_delays(const struct sim_model *model, size_t last, struct sim_model_error *error)
{
    sim_require(error, last, model->load_count + model->stimulus_count == 0,
                "a sum of delays has no loads and stimuli: simulate them with a separate model, "
                "and use the series of its run as the law of a delay");
    for (size_t part = 0; part < SIM_DELAY_PARTS; part++) {
        const struct sim_delay *first = NULL;
        double sum = 0;

        for (size_t i = 0; i < model->delay_count; i++) {
            const struct sim_delay *const delay = &model->delays[i];

            if (delay->part == part) {
                first = first == NULL ? delay : first;
                sum += delay->probability;
                sim_require(error, last, delay->times == first->times,
                            "the laws of the %s delay have different times: %zu and %zu",
                            sim_delay_names[part], first->times, delay->times);
            }
        }
        sim_require(error, last, first == NULL || fabs(sum - 1) <= PROBABILITY_OFF,
                    "the probabilities of the %s delay must add to 1, got %.10g",
                    sim_delay_names[part], sum);
    }
}

bool sim_model_check(const struct sim_model *model, size_t last, struct sim_model_error *error)
{
    for (size_t i = 0; i < model->stimulus_count; i++) {
        for (size_t k = 0; k < model->stimuli[i].stop_count; k++) {
            if (model->stimuli[i].stops[k].awaits) {
                check_await(model, &model->stimuli[i], k, error);
            }
        }
    }
    if (model->delay_count > 0) {
        check_delays(model, last, error);
        return !sim_refused(error);
    }
    sim_require(error, 0, model->load_count + model->stimulus_count > 0,
                "there is neither a load nor a stimulus: nothing would happen");
    for (size_t i = 0; i < model->load_count; i++) {
        const struct sim_load *const load = &model->loads[i];

        check_arrivals(load->name, &load->arrivals, load->line, error);
    }
    for (size_t i = 0; i < model->stimulus_count; i++) {
        const struct sim_stimulus *const stimulus = &model->stimuli[i];

        check_arrivals(stimulus->name, &stimulus->arrivals, stimulus->line, error);
    }
    if (!sim_refused(error)) {
        check_circles(model, last, error);
        check_processors(model, last, error);
        check_stations(model, last, error);
        check_processes(model, last, error);
        check_passes(model, last, error);
    }
    return !sim_refused(error);
}

/* ---- stimuli ---- */

/* How busy the processors are expected to be, as the model states it. */
struct stated {
    bool has_total[SIM_PROCESSORS_MAX][SIM_LEVELS_MAX]; /* the stimuli are included in the total */
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

        for (size_t k = 0; comes_by_itself(stimulus) && k < stimulus->stop_count; k++) {
            add_stop(model, &stimulus->stops[k], stimulus->arrivals.interval.mean, stated);
        }
    }
}

/* Returns how long a stimulus is expected to take beyond its work. */
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

static void add_work(struct sim_stimulus *stimulus, struct sim_model_error *error)
{
    sim_require(error, stimulus->line, stimulus->stop_count > 0, "stimulus \"%s\" has no route",
                stimulus->name);
    stimulus->work = 0;
    for (size_t i = 0; i < stimulus->stop_count; i++) {
        stimulus->work += stimulus->stops[i].service.mean;
    }
    sim_require(error, stimulus->line, stimulus->work > 0,
                "stimulus \"%s\" has no work: all its lengths are 0", stimulus->name);
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

static void settle_total(struct sim_model *model, struct sim_load *load,
                         struct sim_model_error *error)
{
    double share = 0;

    for (size_t i = 0; i < model->stimulus_count; i++) {
        share += sim_stimulus_share(&model->stimuli[i], load->processor, load->level);
    }
    sim_require(error, load->line, !isnan(share),
                "level \"%s\" serves a population, whose share of the total is unknown beforehand: "
                "give the load an occupancy or a rate",
                model->level[load->level]);
    sim_require(error, load->line, load->occupancy > share,
                "the total occupancy %.4g %% of level \"%s\" is less than the %.4g %% that the "
                "stimuli alone take there",
                load->occupancy * 100, model->level[load->level], share * 100);
    load->own = load->occupancy - share;
}

static void settle_load(struct sim_model *model, struct sim_load *load,
                        struct sim_model_error *error)
{
    struct sim_law *const law = &load->arrivals.interval;

    load->own = load->occupancy;
    if (load->occupancy == 0) {
        return; /* there is no load, whatever the stimuli take */
    }
    if (load->is_total) {
        settle_total(model, load, error);
    }
    if (load->arrivals.kind != SIM_RENEWAL || !isnan(law->mean)) {
        return;
    }
    const double interval = load->service.mean / load->own;

    if (law->kind == SIM_CONSTANT) {
        law->mean = law->low = law->high = interval;
    } else {
        sim_arrivals_of(&load->arrivals,
                        law->kind == SIM_UNIFORM ? SIM_UNIFORM_ARRIVALS : SIM_POISSON_ARRIVALS,
                        interval);
    }
}

/* Removes loads of occupancy 0, because they have no arrivals. */
static void drop_loads(struct sim_model *model)
{
    size_t kept = 0;

    for (size_t i = 0; i < model->load_count; i++) {
        if (model->loads[i].own == 0 && model->loads[i].arrivals.kind == SIM_RENEWAL) {
            sim_load_free(&model->loads[i]);
        } else {
            model->loads[kept++] = model->loads[i];
        }
    }
    model->load_count = kept;
}

static void check_stated(const struct sim_model *model, const struct stated *stated, size_t last,
                         struct sim_model_error *error)
{
    double sum[SIM_PROCESSORS_MAX] = {0};

    for (size_t i = 0; i < model->load_count; i++) {
        const struct sim_load *const load = &model->loads[i];

        sum[load->processor] += load->occupancy;
        sim_require(
            error, load->line, !(sum[load->processor] >= SIM_OCCUPANCY_FULL),
            "the occupancies of processor \"%s\" add to %.6g %%: it must be less than 100 %%",
            model->processor[load->processor], sum[load->processor] * 100);
    }
    for (size_t i = 0; i < model->processors; i++) {
        sim_require(error, last, !(stated->occupancy[i] >= SIM_OCCUPANCY_FULL), SIM_TOO_MUCH,
                    model->processor[i], stated->occupancy[i] * 100);
    }
}

bool sim_model_settle(struct sim_model *model, size_t last, struct sim_model_error *error)
{
    struct stated stated;

    for (size_t i = 0; i < model->stimulus_count && !sim_refused(error); i++) {
        add_work(&model->stimuli[i], error);
    }
    if (sim_refused(error)) {
        return false;
    }
    state_occupancies(model, &stated);
    check_stated(model, &stated, last, error);
    if (sim_refused(error)) {
        return false;
    }
    settle_stimuli(model, &stated);
    for (size_t i = 0; i < model->load_count; i++) {
        settle_load(model, &model->loads[i], error);
    }
    drop_loads(model);
    return !sim_refused(error);
}
