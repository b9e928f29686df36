/* SPDX-License-Identifier: BSD-2-Clause */
#include "tools/sim/model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/base/alloc.h"

const char *const sim_delay_names[SIM_DELAY_PARTS] = {"arrival", "departure", "transmission",
                                                      "processing", "contention"};

/* ---- containers ---- */

static char *copy_text(const char *text)
{
    return text != NULL ? strdup(text) : NULL;
}

/* NULL where there are none. */
static void *copy_items(const void *items, size_t count, size_t size)
{
    if (count == 0) {
        return NULL;
    }
    void *const copy = alloc_zeroed(count * size);

    memcpy(copy, items, count * size);
    return copy;
}

static void copy_arrivals(struct sim_arrivals *to, const struct sim_arrivals *from)
{
    *to = *from;
    sim_law_copy(&to->interval, &from->interval);
    to->times = copy_items(from->times, from->count, sizeof(*from->times));
}

static void copy_stimulus(struct sim_stimulus *to, const struct sim_stimulus *from)
{
    *to = *from;
    to->name = copy_text(from->name);
    copy_arrivals(&to->arrivals, &from->arrivals);
    to->stops = copy_items(from->stops, from->stop_count, sizeof(*from->stops));
    for (size_t i = 0; i < from->stop_count; i++) {
        sim_law_copy(&to->stops[i].service, &from->stops[i].service);
    }
}

void sim_model_copy(struct sim_model *to, const struct sim_model *from)
{
    *to = *from;
    to->name = copy_text(from->name);
    for (size_t i = 0; i < from->levels; i++) {
        to->level[i] = copy_text(from->level[i]);
    }
    for (size_t i = 0; i < from->processors; i++) {
        to->processor[i] = copy_text(from->processor[i]);
    }
    to->loads = copy_items(from->loads, from->load_count, sizeof(*from->loads));
    for (size_t i = 0; i < from->load_count; i++) {
        to->loads[i].name = copy_text(from->loads[i].name);
        copy_arrivals(&to->loads[i].arrivals, &from->loads[i].arrivals);
        sim_law_copy(&to->loads[i].service, &from->loads[i].service);
    }
    to->processes = copy_items(from->processes, from->process_count, sizeof(*from->processes));
    for (size_t i = 0; i < from->process_count; i++) {
        to->processes[i].name = copy_text(from->processes[i].name);
    }
    to->stations = copy_items(from->stations, from->station_count, sizeof(*from->stations));
    for (size_t i = 0; i < from->station_count; i++) {
        to->stations[i].name = copy_text(from->stations[i].name);
    }
    to->stimuli = copy_items(from->stimuli, from->stimulus_count, sizeof(*from->stimuli));
    for (size_t i = 0; i < from->stimulus_count; i++) {
        copy_stimulus(&to->stimuli[i], &from->stimuli[i]);
    }
    to->delays = copy_items(from->delays, from->delay_count, sizeof(*from->delays));
    for (size_t i = 0; i < from->delay_count; i++) {
        sim_law_copy(&to->delays[i].law, &from->delays[i].law);
    }
    sim_law_copy(&to->transmission, &from->transmission);
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
    static const char *const names[SIM_OVERHEAD_PARTS] = {"interrupt", "switch", "receive",
                                                          "portion",   "send",   "end"};

    return names[part];
}

double *sim_overhead_part(struct sim_overhead *overhead, enum sim_overhead_part part)
{
    double *const parts[SIM_OVERHEAD_PARTS] = {&overhead->interrupt, &overhead->switching,
                                               &overhead->receive,   &overhead->portion,
                                               &overhead->send,      &overhead->end};

    return parts[part];
}

bool sim_overhead_any(const struct sim_overhead *overhead)
{
    return overhead->interrupt > 0 || overhead->switching > 0 || overhead->receive > 0 ||
           overhead->portion > 0 || overhead->send > 0 || overhead->end > 0;
}
