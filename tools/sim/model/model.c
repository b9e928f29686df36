/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

const char *const sim_delay_names[SIM_DELAY_PARTS] = {"arrival", "departure", "transmission",
                                                      "processing", "contention"};

const char *const sim_discipline_names[SIM_DISCIPLINES] = {"exhaustive", "one-a-turn",
                                                           "requeue-before"};

/* ---- containers ---- */

void sim_model_copy(struct sim_model *to, const struct sim_model *from)
{
    const size_t size = from->load_count * sizeof(*from->loads);

    *to = *from;
    to->is_copy = true;
    to->loads = alloc_zeroed(size);
    if (size > 0) {
        memcpy(to->loads, from->loads, size);
    }
}

static void free_arrivals(struct sim_arrivals *arrivals)
{
    sim_law_free(&arrivals->interval);
    free(arrivals->times);
}

void sim_load_free(struct sim_load *load)
{
    free(load->name);
    free_arrivals(&load->arrivals);
    sim_law_free(&load->service);
}

static void free_stimulus(struct sim_stimulus *stimulus)
{
    for (size_t i = 0; i < stimulus->stop_count; i++) {
        sim_law_free(&stimulus->stops[i].service);
    }
    free(stimulus->stops);
    free(stimulus->name);
    free_arrivals(&stimulus->arrivals);
}

void sim_model_free(struct sim_model *model)
{
    if (model->is_copy) {
        free(model->loads);
        *model = (struct sim_model){0};
        return;
    }
    for (size_t i = 0; i < model->levels; i++) {
        free(model->level[i]);
    }
    for (size_t i = 0; i < model->processors; i++) {
        free(model->processor[i]);
    }
    for (size_t i = 0; i < model->load_count; i++) {
        sim_load_free(&model->loads[i]);
    }
    for (size_t i = 0; i < model->process_count; i++) {
        free(model->processes[i].name);
    }
    for (size_t i = 0; i < model->station_count; i++) {
        free(model->stations[i].name);
    }
    for (size_t i = 0; i < model->stimulus_count; i++) {
        free_stimulus(&model->stimuli[i]);
    }
    for (size_t i = 0; i < model->delay_count; i++) {
        sim_law_free(&model->delays[i].law);
    }
    free(model->delays);
    sim_law_free(&model->transmission);
    free(model->loads);
    free(model->processes);
    free(model->stations);
    free(model->stimuli);
    free(model->name);
    *model = (struct sim_model){0};
}

size_t sim_find(const void *items, size_t count, size_t size, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        const void *const item = (const char *)items + i * size;

        if (strcmp(*(const char *const *)item, name) == 0) {
            return i;
        }
    }
    return SIM_NONE;
}

/* ---- arrivals and shares ---- */

void sim_arrivals_of(struct sim_arrivals *arrivals, enum sim_column column, double interval)
{
    sim_law_free(&arrivals->interval);
    arrivals->kind = SIM_RENEWAL;
    arrivals->interval =
        column == SIM_POISSON_ARRIVALS
            ? (struct sim_law){.kind = SIM_EXPONENTIAL, .mean = interval, .high = INFINITY}
            : (struct sim_law){.kind = SIM_UNIFORM, .mean = interval, .high = 2 * interval};
}

void sim_model_arrive(struct sim_model *model, enum sim_column column)
{
    for (size_t i = 0; i < model->load_count; i++) {
        struct sim_arrivals *const arrivals = &model->loads[i].arrivals;

        if (!arrivals->fixed && arrivals->kind == SIM_RENEWAL) {
            sim_arrivals_of(arrivals, column, arrivals->interval.mean);
        }
    }
}

double sim_stop_part(const struct sim_stop *stop, size_t processor)
{
    if (stop->station > 0) {
        return 0;
    }
    if (stop->among > 0) {
        return processor < stop->among ? 1 / (double)stop->among : 0;
    }
    return stop->processor == processor ? 1 : 0;
}

double sim_stimulus_share(const struct sim_stimulus *stimulus, size_t processor, size_t level)
{
    double work = 0;

    for (size_t i = 0; i < stimulus->stop_count; i++) {
        const struct sim_stop *const stop = &stimulus->stops[i];

        if (level == SIM_NONE || stop->level == level) {
            work += sim_stop_part(stop, processor) * stop->service.mean;
        }
    }
    return work > 0 ? work / stimulus->between : 0;
}

double sim_stimulus_servers(const struct sim_stimulus *stimulus, size_t station)
{
    double work = 0;

    for (size_t i = 0; i < stimulus->stop_count; i++) {
        work += stimulus->stops[i].station == station + 1 ? stimulus->stops[i].service.mean : 0;
    }
    return work > 0 ? work / stimulus->between : 0;
}

double sim_model_station_share(const struct sim_model *model, size_t station)
{
    double sum = 0;

    for (size_t i = 0; i < model->stimulus_count; i++) {
        sum += sim_stimulus_servers(&model->stimuli[i], station);
    }
    return sum / (double)model->stations[station].servers;
}

double sim_model_occupancy(const struct sim_model *model, size_t processor, size_t level)
{
    double sum = 0;

    for (size_t i = 0; i < model->load_count; i++) {
        const struct sim_load *const load = &model->loads[i];

        if (load->processor == processor && (level == SIM_NONE || load->level == level)) {
            sum += load->own;
        }
    }
    for (size_t i = 0; i < model->stimulus_count; i++) {
        sum += sim_stimulus_share(&model->stimuli[i], processor, level);
    }
    return sum;
}

/* ---- overheads ---- */

const char *sim_overhead_name(enum sim_overhead_part part)
{
    static const char *const names[SIM_OVERHEAD_PARTS] = {
        "interrupt", "switch", "receive", "portion", "send", "end", "remote"};

    return names[part];
}

double *sim_overhead_part(struct sim_overhead *overhead, enum sim_overhead_part part)
{
    double *const parts[SIM_OVERHEAD_PARTS] = {
        &overhead->interrupt, &overhead->switching, &overhead->receive, &overhead->portion,
        &overhead->send,      &overhead->end,       &overhead->remote};

    return parts[part];
}

bool sim_overhead_any(const struct sim_overhead *overhead)
{
    struct sim_overhead all = *overhead;
    bool any = false;

    for (enum sim_overhead_part i = 0; i < SIM_OVERHEAD_PARTS; i++) {
        any = any || *sim_overhead_part(&all, i) > 0;
    }
    return any;
}
