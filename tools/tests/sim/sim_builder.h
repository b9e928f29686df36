/* SPDX-License-Identifier: BSD-2-Clause */
/* Response-time models made by hand, for tests; sim_model_free() frees them. */
#pragma once

#include "tools/base/alloc.h"
#include "tools/sim/model/model.h"

#include <math.h>
#include <stdlib.h>

static inline struct sim_law built_constant(double value)
{
    char error[SIM_LAW_ERROR_MAX];
    struct sim_law law = {0};

    sim_law_constant(&law, value, error);
    return law;
}

static inline struct sim_law built_exponential(double mean)
{
    char error[SIM_LAW_ERROR_MAX];
    struct sim_law law = {0};

    sim_law_exponential(&law, mean, error);
    return law;
}

static inline struct sim_law built_uniform(double low, double high)
{
    char error[SIM_LAW_ERROR_MAX];
    struct sim_law law = {0};

    sim_law_uniform(&law, low, high, error);
    return law;
}

static inline struct sim_law built_tailed(double average, double maximum, double tail)
{
    char error[SIM_LAW_ERROR_MAX];
    struct sim_law law = {0};

    sim_law_tailed(&law, average, maximum, tail, error);
    return law;
}

static inline struct sim_model built_model(size_t processors, size_t levels)
{
    return (struct sim_model){.processors = processors,
                              .levels = levels,
                              .unit_ns = 1,
                              .transmission = built_constant(0)};
}

/* Arrivals at given times; there are no more. */
static inline struct sim_arrivals built_trace(const double *times, size_t count)
{
    struct sim_arrivals arrivals = {.kind = SIM_TRACE, .count = count};

    arrivals.times = alloc_zeroed(count * sizeof(*times));
    for (size_t i = 0; i < count; i++) {
        arrivals.times[i] = times[i];
    }
    return arrivals;
}

static inline struct sim_arrivals built_once(double time)
{
    return built_trace(&time, 1);
}

static inline void built_load(struct sim_model *model, size_t processor, size_t level,
                              struct sim_arrivals arrivals, struct sim_law service)
{
    size_t capacity = model->load_count;
    struct sim_load *load;

    model->loads = alloc_append(model->loads, &model->load_count, &capacity, sizeof(*model->loads));
    load = &model->loads[model->load_count - 1];
    load->processor = processor;
    load->level = level;
    load->arrivals = arrivals;
    load->service = service;
    load->own = arrivals.kind == SIM_RENEWAL ? service.mean / arrivals.interval.mean : 0;
}

static inline void built_poisson(struct sim_model *model, size_t processor, size_t level,
                                 double rate, struct sim_law service)
{
    built_load(model, processor, level,
               (struct sim_arrivals){.kind = SIM_RENEWAL, .interval = built_exponential(1 / rate)},
               service);
}

static inline size_t built_process(struct sim_model *model, size_t processor, size_t level)
{
    size_t capacity = model->process_count;

    model->processes =
        alloc_append(model->processes, &model->process_count, &capacity, sizeof(*model->processes));
    model->processes[model->process_count - 1] =
        (struct sim_process){.processor = processor, .level = level};
    return model->process_count - 1;
}

static inline void built_stimulus(struct sim_model *model, struct sim_arrivals arrivals)
{
    size_t capacity = model->stimulus_count;

    model->stimuli =
        alloc_append(model->stimuli, &model->stimulus_count, &capacity, sizeof(*model->stimuli));
    model->stimuli[model->stimulus_count - 1].arrivals = arrivals;
}

/* One more stop of the last stimulus. */
static inline struct sim_stop *built_stop(struct sim_model *model, double work)
{
    struct sim_stimulus *stimulus = &model->stimuli[model->stimulus_count - 1];
    size_t capacity = stimulus->stop_count;

    stimulus->stops =
        alloc_append(stimulus->stops, &stimulus->stop_count, &capacity, sizeof(*stimulus->stops));
    stimulus->work += work;
    stimulus->stops[stimulus->stop_count - 1] =
        (struct sim_stop){.process = SIM_NONE, .service = built_constant(work)};
    return &stimulus->stops[stimulus->stop_count - 1];
}

/* At a level, as a quantum. */
static inline void built_quantum(struct sim_model *model, size_t level, double work)
{
    built_stop(model, work)->level = level;
}

static inline void built_visit(struct sim_model *model, size_t process, double work)
{
    struct sim_stop *stop = built_stop(model, work);

    stop->process = process;
    stop->processor = model->processes[process].processor;
    stop->level = model->processes[process].level;
}

/* The reference's reconstruction of the paper's input, section 3: levels low and medium. */
static inline struct sim_model built_paper(bool uniform)
{
    const double work = 7.1 + 5.5 + 0.3;
    const double estimate = work * 0.3 / (1 - 0.3);
    const double delay = 4 * (work + estimate);
    const double cycle = delay + work + estimate;
    const double mean[2] = {2.2 / (0.2 - (7.1 + 0.3) / cycle), 1.5 / (0.1 - 5.5 / cycle)};
    struct sim_model model = built_model(1, 2);

    for (size_t level = 0; level < 2; level++) {
        built_load(&model, 0, level,
                   (struct sim_arrivals){.kind = SIM_RENEWAL,
                                         .interval = uniform ? built_uniform(0, 2 * mean[level])
                                                             : built_exponential(mean[level])},
                   level == 0 ? built_tailed(2.2, 13, 0.15) : built_tailed(1.5, 30, 0.03));
    }
    built_stimulus(&model,
                   (struct sim_arrivals){.kind = SIM_CYCLE, .interval = built_constant(delay)});
    built_quantum(&model, 0, 7.1);
    built_quantum(&model, 1, 5.5);
    built_quantum(&model, 0, 0.3);
    return model;
}
