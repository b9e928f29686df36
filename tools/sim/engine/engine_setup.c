/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets up the state of one replication (engine_state.h), frees it, and enlarges the pool of
 * requests. */
#include "tools/sim/engine/engine_state.h"

#include "tools/base/alloc.h"

#include <stdlib.h>

static void seed(const struct sim_engine *engine, struct sim_random *random, uint64_t stream)
{
    sim_random_seed(random, engine->limits->seed, engine->limits->replication, stream);
}

/* Random streams. Each load and each stimulus has separate streams, so that adding one does not
 * change the draws of the others. */
#define STREAM_TRANSMISSION 0
#define STREAM_LOAD(i)      (4 * (i) + 1)
#define STREAM_STIMULUS(i)  (4 * (i) + 3)
/* first stream for the choice of processors, above all other streams; each stimulus has one stream
 */
#define STREAM_PLACES (UINT64_C(1) << 40)

static void set_up_load(struct sim_engine *engine, size_t i)
{
    const struct sim_load *load = &engine->model->loads[i];
    struct sim_source *source = &engine->source[i];

    *source = (struct sim_source){
        .arrivals = &load->arrivals,
        .service = &load->service,
        .line = (uint32_t)(load->processor * engine->model->levels + load->level),
        .processor = (uint16_t)load->processor,
        .level = (int16_t)load->level,
    };
    seed(engine, &source->intervals, STREAM_LOAD(i));
    seed(engine, &source->services, STREAM_LOAD(i) + 1);
}

static void set_up_stimulus(struct sim_engine *engine, size_t i)
{
    struct sim_source *source = &engine->source[engine->load_count + i];

    *source = (struct sim_source){
        .arrivals = &engine->model->stimuli[i].arrivals,
        .processor = (uint16_t)engine->model->stimuli[i].stops[0].processor,
    };
    seed(engine, &source->intervals, STREAM_STIMULUS(i));
    seed(engine, &source->services, STREAM_STIMULUS(i) + 1);
    seed(engine, &source->places, STREAM_PLACES + i);
}

static void set_up_process(struct sim_engine *engine, size_t number, size_t processor, size_t level)
{
    engine->process[number] = (struct sim_process_now){.current = SIM_NO_ENTITY,
                                                       .awaited = SIM_NO_ENTITY,
                                                       .queue = {SIM_NO_ENTITY, SIM_NO_ENTITY}};
    while (engine->pool_capacity < number + 1) {
        sim_engine_grow(engine);
    }
    engine->pool[number] = (struct sim_request){
        .line = (uint32_t)(processor * engine->model->levels + level),
        .processor = (uint16_t)processor,
        .level = (int16_t)level,
    };
}

static void set_up_processes(struct sim_engine *engine)
{
    const struct sim_model *model = engine->model;
    const size_t lines = model->overhead.end > 0 ? model->processors * model->levels : 0;

    engine->first_thread = (uint32_t)model->process_count;
    engine->process_count = (uint32_t)(model->process_count + lines);
    engine->process = alloc_zeroed(engine->process_count * sizeof(*engine->process));
    for (size_t i = 0; i < model->process_count; i++) {
        set_up_process(engine, i, model->processes[i].processor, model->processes[i].level);
    }
    for (size_t i = 0; i < lines; i++) {
        set_up_process(engine, engine->first_thread + i, i / model->levels, i % model->levels);
    }
    engine->pool_count = engine->process_count;
}

static void set_up_places(struct sim_engine *engine)
{
    const struct sim_model *model = engine->model;

    engine->lines = alloc_zeroed(model->processors * model->levels * sizeof(*engine->lines));
    for (size_t i = 0; i < model->processors * model->levels; i++) {
        engine->lines[i] = (struct sim_queue){SIM_NO_ENTITY, SIM_NO_ENTITY};
    }
    for (size_t i = 0; i < model->processors; i++) {
        engine->processor[i] = (struct sim_processor_now){
            .number = (uint32_t)i,
            .running = SIM_NO_ENTITY,
            .level = SIM_LEVEL_IDLE,
            .last = SIM_NO_ENTITY,
            .lines = &engine->lines[i * model->levels],
            .interrupts = {SIM_NO_ENTITY, SIM_NO_ENTITY},
        };
    }
    for (size_t i = 0; i < model->station_count; i++) {
        engine->station[i] = (struct sim_station_now){.idle = model->stations[i].servers,
                                                      .queue = {SIM_NO_ENTITY, SIM_NO_ENTITY}};
    }
}

/* Returns the first arrival of a source: for a cycle at once, otherwise as after an arrival at time
 * 0. */
static double first_arrival(struct sim_source *source)
{
    const struct sim_arrivals *arrivals = source->arrivals;

    switch (arrivals->kind) {
    case SIM_CYCLE:
        return 0;
    case SIM_POPULATION:
        return INFINITY; /* each customer has a separate event */
    case SIM_TRACE:
        return arrivals->count > 0 ? arrivals->times[0] : INFINITY;
    case SIM_RENEWAL:
        break;
    }
    return sim_law_draw(&arrivals->interval, &source->intervals);
}

static void set_up_events(struct sim_engine *engine)
{
    const struct sim_model *model = engine->model;
    const uint32_t processors = (uint32_t)model->processors;
    const uint32_t sources = engine->load_count + (uint32_t)model->stimulus_count;

    engine->first_source = processors;
    engine->first_interrupt = processors + sources;
    engine->first_own = engine->first_interrupt + processors;
    event_list_grow(&engine->events, engine->first_own + engine->pool_capacity);
    for (uint32_t i = 0; i < processors; i++) {
        event_list_add(&engine->events, i, INFINITY);
        if (model->overhead.interrupt > 0) {
            event_list_add(&engine->events, engine->first_interrupt + i, INFINITY);
        }
    }
    for (uint32_t i = 0; i < sources; i++) {
        engine->source[i].due = first_arrival(&engine->source[i]);
        event_list_add(&engine->events, engine->first_source + i, engine->source[i].due);
    }
    engine->one_line = sim_line_suits(model);
}

void sim_engine_init(struct sim_engine *engine, const struct sim_model *model,
                     const struct sim_limits *limits, const struct sim_observer *observer,
                     const struct sim_tally *like)
{
    *engine = (struct sim_engine){
        .model = model,
        .limits = limits,
        .observer = observer,
        .unused = SIM_NO_ENTITY,
        .load_count = (uint32_t)model->load_count,
        .transmits = model->transmission.mean > 0 || model->overhead.remote > 0,
        .source =
            alloc_zeroed((model->load_count + model->stimulus_count) * sizeof(*engine->source)),
    };
    seed(engine, &engine->transmission, STREAM_TRANSMISSION);
    for (size_t i = 0; i < model->load_count; i++) {
        set_up_load(engine, i);
    }
    for (size_t i = 0; i < model->stimulus_count; i++) {
        set_up_stimulus(engine, i);
    }
    set_up_processes(engine);
    set_up_places(engine);
    sim_tally_like(&engine->tally, model, like);
    set_up_events(engine);
}

void sim_engine_free(struct sim_engine *engine)
{
    sim_tally_free(&engine->tally);
    event_list_free(&engine->events);
    free(engine->pool);
    free(engine->process);
    free(engine->lines);
    free(engine->source);
}

void sim_engine_grow(struct sim_engine *engine)
{
    engine->pool = alloc_grow(engine->pool, &engine->pool_capacity, engine->pool_capacity + 1,
                              sizeof(*engine->pool));
    event_list_grow(&engine->events, engine->first_own + engine->pool_capacity);
}
