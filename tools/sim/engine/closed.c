/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/engine/closed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/base/alloc.h"
#include "tools/base/sort.h"
#include "tools/sim/engine/engine.h"

#define QUANTILE 0.99

/* The reads of one replication, as their services begin. */
struct reads {
    double service;
    size_t station;         /* as events name it */
    size_t left_out, count; /* that are yet to come, that were kept */
    double first, last;     /* when the first and the last kept one began */
    double *response;
};

static void keep_read(void *context, const struct sim_event *event)
{
    struct reads *const reads = context;

    if (event->kind != SIM_BEGIN || event->processor != reads->station) {
        return;
    }
    if (reads->left_out > 0) {
        reads->left_out--;
        return;
    }
    if (reads->count == 0) {
        reads->first = event->time;
    }
    reads->last = event->time;
    reads->response[reads->count++] = event->amount + reads->service;
}

enum part {
    PART_MEAN,
    PART_P99,
    PART_BETWEEN,
    PARTS,
};

/* What one of them comes to. */
struct outcome {
    double part[PARTS];
};

static struct outcome outcome_of(struct reads *reads)
{
    double sum = 0;

    for (size_t i = 0; i < reads->count; i++) {
        sum += reads->response[i];
    }
    sort_reals(reads->response, reads->count);
    return (struct outcome){
        .part[PART_MEAN] = sum / (double)reads->count,
        .part[PART_P99] =
            reads->response[(size_t)ceil(QUANTILE * (double)reads->count * (1 - 1e-12)) - 1],
        .part[PART_BETWEEN] = (reads->last - reads->first) / (double)(reads->count - 1),
    };
}

static bool replicate(const struct sim_model *model, const struct sim_closed *closed, size_t number,
                      struct outcome *outcome, char error[SIM_LAW_ERROR_MAX])
{
    /* As many reads may have begun beyond those that have ended as there are customers. */
    const uint64_t passes = closed->left_out + closed->reads;
    struct reads reads = {
        .service = closed->service,
        .station = model->processors,
        .left_out = closed->left_out,
        .response = alloc_zeroed((closed->reads + closed->population) * sizeof(double)),
    };
    const struct sim_observer observer = {.event = keep_read, .context = &reads};
    const struct sim_limits limits = {
        .seed = closed->seed, .replication = number, .passes = passes};
    struct sim_tally tally;

    sim_tally_init(&tally, model, NULL, 0, NULL, 0, false);
    const bool good = sim_simulate(model, &limits, &observer, &tally, error);

    if (good) {
        *outcome = outcome_of(&reads);
    }
    sim_tally_free(&tally);
    free(reads.response);
    return good;
}

static struct sim_closed_figure figure_of(const struct outcome *outcomes, size_t count,
                                          enum part part)
{
    double sum = 0;
    double squares = 0;

    for (size_t i = 0; i < count; i++) {
        sum += outcomes[i].part[part];
        squares += outcomes[i].part[part] * outcomes[i].part[part];
    }
    const double mean = sum / (double)count;
    const double variance = fmax(0, squares - sum * mean) / (double)(count - 1);

    return (struct sim_closed_figure){mean, sqrt(variance / (double)count)};
}

static bool is_good(const struct sim_closed *closed, char error[SIM_LAW_ERROR_MAX])
{
    if (closed->population < 1 || closed->population > SIM_POPULATION_MAX || closed->servers < 1 ||
        closed->servers > SIM_SERVERS_MAX) {
        snprintf(error, SIM_LAW_ERROR_MAX, "a population is from 1 to %d, and servers from 1 to %d",
                 SIM_POPULATION_MAX, SIM_SERVERS_MAX);
        return false;
    }
    if (!(closed->service > 0) || !(closed->think >= 0) || !(closed->work >= 0)) {
        snprintf(error, SIM_LAW_ERROR_MAX, "a service is above 0, and other times are not below 0");
        return false;
    }
    if (closed->replications < 2 || closed->reads < 2) {
        snprintf(error, SIM_LAW_ERROR_MAX,
                 "an error needs 2 replications or more, of 2 reads or more");
        return false;
    }
    return true;
}

static struct sim_law constant_of(double value)
{
    return (struct sim_law){.kind = SIM_CONSTANT, .mean = value, .low = value, .high = value};
}

static bool simulate(const struct sim_model *model, const struct sim_closed *closed,
                     struct outcome *outcomes, char error[SIM_LAW_ERROR_MAX])
{
    for (size_t i = 0; i < closed->replications; i++) {
        if (!replicate(model, closed, i, &outcomes[i], error)) {
            return false;
        }
    }
    return true;
}

bool sim_closed_simulate(const struct sim_closed *closed, struct sim_closed_result *result,
                         char error[SIM_LAW_ERROR_MAX])
{
    if (!is_good(closed, error)) {
        return false;
    }
    struct sim_stop stops[] = {
        {.process = SIM_NONE, .service = constant_of(closed->work)},
        {.process = SIM_NONE, .station = 1, .service = constant_of(closed->service)},
    };
    const size_t first = closed->work > 0 ? 0 : 1;
    struct sim_station station = {.servers = closed->servers};
    struct sim_stimulus stimulus = {
        .arrivals = {.kind = SIM_POPULATION,
                     .population = closed->population,
                     .interval = closed->think > 0 ? (struct sim_law){.kind = SIM_EXPONENTIAL,
                                                                      .mean = closed->think,
                                                                      .high = INFINITY}
                                                   : constant_of(0)},
        .stops = &stops[first],
        .stop_count = 2 - first,
        .work = closed->work + closed->service,
        .between = NAN,
    };
    const struct sim_model model = {
        .levels = 1,
        .processors = 1,
        .unit_ns = 1,
        .stations = &station,
        .station_count = 1,
        .stimuli = &stimulus,
        .stimulus_count = 1,
    };
    const size_t count = closed->replications;
    struct outcome *const outcomes = alloc_zeroed(count * sizeof(*outcomes));
    const bool good = simulate(&model, closed, outcomes, error);

    if (good) {
        result->mean = figure_of(outcomes, count, PART_MEAN);
        result->p99 = figure_of(outcomes, count, PART_P99);
        result->between = figure_of(outcomes, count, PART_BETWEEN);
    }
    free(outcomes);
    return good;
}
