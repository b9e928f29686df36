/* SPDX-License-Identifier: BSD-2-Clause */
/* Who is in line in a simulation, and the pool of requests. */
#pragma once

#include "tools/sim/engine/engine_state.h"

static inline void append(struct sim_engine *sim, struct sim_queue *queue, uint32_t item)
{
    sim->pool[item].next = SIM_NO_ENTITY;
    if (queue->head == SIM_NO_ENTITY) {
        queue->head = item;
    } else {
        sim->pool[queue->tail].next = item;
    }
    queue->tail = item;
}

static inline void prepend(struct sim_engine *sim, struct sim_queue *queue, uint32_t item)
{
    sim->pool[item].next = queue->head;
    if (queue->head == SIM_NO_ENTITY) {
        queue->tail = item;
    }
    queue->head = item;
}

static inline uint32_t take_first(struct sim_engine *sim, struct sim_queue *queue)
{
    const uint32_t first = queue->head;

    queue->head = sim->pool[first].next;
    return first;
}

static inline struct sim_processor_now *processor_of(struct sim_engine *sim, uint32_t entity)
{
    return &sim->processor[sim->pool[entity].processor];
}

static inline void line_up(struct sim_engine *sim, uint32_t entity)
{
    const struct sim_request *record = &sim->pool[entity];

    append(sim, &sim->lines[record->line], entity);
    sim->processor[record->processor].ready |= 1U << record->level;
}

static inline void line_up_first(struct sim_engine *sim, uint32_t entity)
{
    const struct sim_request *record = &sim->pool[entity];

    prepend(sim, &sim->lines[record->line], entity);
    sim->processor[record->processor].ready |= 1U << record->level;
}

/* The most urgent level that has somebody in line. */
static inline int ready_level(const struct sim_processor_now *processor)
{
    return processor->ready != 0 ? 31 - __builtin_clz(processor->ready) : SIM_LEVEL_IDLE;
}

static inline uint32_t take_ready(struct sim_engine *sim, struct sim_processor_now *processor)
{
    const int level = ready_level(processor);
    struct sim_queue *const line = &processor->lines[level];
    const uint32_t entity = take_first(sim, line);

    if (line->head == SIM_NO_ENTITY) {
        processor->ready &= ~(1U << level);
    }
    return entity;
}

/* The request that an entity serves. */
static inline uint32_t served_by(const struct sim_engine *sim, uint32_t entity)
{
    return entity < sim->process_count ? sim->process[entity].current : entity;
}

static inline uint32_t new_request(struct sim_engine *sim)
{
    const uint32_t unused = sim->unused;

    if (unused != SIM_NO_ENTITY) {
        sim->unused = sim->pool[unused].next;
        return unused;
    }
    if (sim->pool_count == sim->pool_capacity) {
        sim_engine_grow(sim);
    }
    if (sim->pool_count - sim->process_count >= SIM_QUEUE_MAX) {
        sim->too_long = true;
        sim->ended = true;
    }
    return (uint32_t)sim->pool_count++;
}

static inline void free_request(struct sim_engine *sim, uint32_t request)
{
    sim->pool[request].next = sim->unused;
    sim->unused = request;
}

static inline bool is_competing(const struct sim_engine *sim, const struct sim_request *request)
{
    return request->source < sim->load_count;
}

static inline const struct sim_stop *stop_of(const struct sim_engine *sim,
                                             const struct sim_request *request)
{
    return &sim->model->stimuli[request->source - sim->load_count].stops[request->stop];
}
