/* SPDX-License-Identifier: BSD-2-Clause */
/* Who has a processor in a simulation, and who gets in line for it. */
#pragma once

#include "tools/sim/engine/engine_count.h"

TWICE void begin(struct sim_engine *sim, struct sim_processor_now *processor, uint32_t served,
                 const bool full)
{
    struct sim_request *const request = &sim->pool[served];
    struct sim_level_tally *const tally = level_tally(sim, request);
    const double wait = sim->now - request->asked;

    request->begun = true;
    request->delayed += wait;
    if (is_competing(sim, request)) {
        tally->quanta++;
        sim_distribution_add(&tally->wait, wait);
    } else {
        sim_distribution_add(&tally->portion_wait, wait);
    }
    if (request->level > 0) {
        count_urgent(sim, processor);
    }
    if (full) {
        request->remaining += sim->model->overhead.portion;
        request->delayed += sim->model->overhead.portion;
    }
    if (full && !is_competing(sim, request) &&
        request->stop + 1 < sim->model->stimuli[request->source - sim->load_count].stop_count) {
        request->remaining += sim->model->overhead.send;
        request->delayed += sim->model->overhead.send;
    }
    report(sim, SIM_BEGIN, served, wait, full);
}

TWICE void resume(struct sim_engine *sim, uint32_t served, const bool full)
{
    struct sim_request *const request = &sim->pool[served];
    const double lost = sim->now - request->stopped;

    request->delayed += lost;
    level_tally(sim, request)->preempted_time += lost;
    report(sim, SIM_RESUME, served, lost, full);
}

/* The next event of the entity that runs. */
static inline void schedule_service(struct sim_engine *sim, struct sim_processor_now *processor)
{
    const uint32_t served = served_by(sim, processor->running);
    const double work = processor->paying ? 0 : sim->pool[served].remaining;

    event_list_set(&sim->events, processor->number,
                   sim->now + sim->pool[processor->running].debt + work);
}

/* With overheads: what comes before the work of the entity that now has the processor. */
static inline void pay(struct sim_engine *sim, struct sim_processor_now *processor)
{
    struct sim_request *const entity = &sim->pool[processor->running];
    const uint32_t served = served_by(sim, processor->running);
    struct sim_request *const request = served != SIM_NO_ENTITY ? &sim->pool[served] : NULL;

    if (processor->last != processor->running) {
        processor->last = processor->running;
        entity->debt += sim->model->overhead.switching;
        if (request != NULL && request->begun) {
            request->delayed += sim->model->overhead.switching;
        }
    }
    if (request != NULL && !request->received) {
        request->received = true;
        entity->debt += sim->model->overhead.receive;
    }
    processor->paying = (request == NULL || !request->begun) && entity->debt > 0;
    if (processor->paying) {
        report(sim, SIM_SWITCH, request != NULL ? served : processor->running, 0, true);
    }
}

/* Gives a free processor to an entity that is in no list. */
TWICE void give(struct sim_engine *sim, struct sim_processor_now *processor, uint32_t entity,
                const bool full)
{
    const uint32_t served = served_by(sim, entity);

    if (processor->running == SIM_NO_ENTITY) {
        processor->idle += sim->now - processor->since;
        processor->since = sim->now;
    }
    processor->running = entity;
    processor->level = sim->pool[entity].level;
    if (full) {
        pay(sim, processor);
    }
    if (!full || !processor->paying) {
        if (sim->pool[served].begun) {
            resume(sim, served, full);
        } else {
            begin(sim, processor, served, full);
        }
    }
    if (full) {
        schedule_service(sim, processor);
    } else {
        event_list_set(&sim->events, processor->number, sim->now + sim->pool[served].remaining);
    }
}

/* Takes the processor from the entity that runs, which is then the first in its line. */
TWICE void preempt(struct sim_engine *sim, struct sim_processor_now *processor, const bool full)
{
    const uint32_t entity = processor->running;
    const uint32_t served = served_by(sim, entity);

    add_up(sim, processor, full);
    if (served != SIM_NO_ENTITY) {
        sim->pool[served].stopped = sim->now;
        level_tally(sim, &sim->pool[served])->preempted++;
    }
    if (entity < sim->process_count) {
        sim->process[entity].state = SIM_LINED_UP;
    }
    line_up_first(sim, entity);
    processor->running = SIM_NO_ENTITY;
    report(sim, SIM_PREEMPT, served != SIM_NO_ENTITY ? served : entity, 0, full);
}

/* A process takes the next request of its queue; one that awaits an answer takes nothing else. */
static inline bool take_next(struct sim_engine *sim, uint32_t entity)
{
    struct sim_process_now *const process = &sim->process[entity];

    if (process->current == SIM_NO_ENTITY && process->awaited == SIM_NO_ENTITY &&
        process->queue.head != SIM_NO_ENTITY) {
        process->current = take_first(sim, &process->queue);
    }
    process->state = SIM_RUNNING;
    return process->current != SIM_NO_ENTITY;
}

static inline void block(struct sim_engine *sim, uint32_t entity)
{
    sim->process[entity].state = SIM_BLOCKED;
    report(sim, SIM_BLOCK, entity, 0, true);
}

/* A free processor goes to the most urgent entity in line. */
TWICE void dispatch(struct sim_engine *sim, struct sim_processor_now *processor, const bool full)
{
    while (processor->ready != 0) {
        const uint32_t entity = take_ready(sim, processor);

        /* It was stopped after it had sent on its last request: going on means to find that there
         * is no other, which takes a switch and the rest of the portion's end. */
        if (entity < sim->process_count && !take_next(sim, entity) &&
            !(full && (sim->model->overhead.switching > 0 || sim->pool[entity].debt > 0))) {
            block(sim, entity);
            continue;
        }
        give(sim, processor, entity, full);
        return;
    }
    processor->level = SIM_LEVEL_IDLE;
    processor->last = SIM_NO_ENTITY;
    event_list_set(&sim->events, processor->number, INFINITY);
    report_idle(sim, processor, full);
}

/* A process gets a request; false: that makes no difference to who is in line. */
static inline bool queue_up(struct sim_engine *sim, uint32_t entity, uint32_t request)
{
    struct sim_process_now *const process = &sim->process[entity];

    if (process->awaited == request) {
        process->awaited = SIM_NO_ENTITY;
        prepend(sim, &process->queue, request);
    } else {
        append(sim, &process->queue, request);
    }
    if (process->state != SIM_BLOCKED || process->awaited != SIM_NO_ENTITY) {
        return false;
    }
    process->state = SIM_LINED_UP;
    return true;
}

/* A request gets in line where it is to be served. */
TWICE void get_in_line(struct sim_engine *sim, uint32_t request, const bool full)
{
    struct sim_processor_now *const processor = processor_of(sim, request);
    const int level = sim->pool[request].level;
    uint32_t entity = request;

    count_in(sim, processor, level);
    report(sim, SIM_READY, request, 0, full);
    if (!is_competing(sim, &sim->pool[request]) &&
        stop_of(sim, &sim->pool[request])->process != SIM_NONE) {
        entity = (uint32_t)stop_of(sim, &sim->pool[request])->process;
        if (!queue_up(sim, entity, request)) {
            return;
        }
    }
    if (level <= processor->level) {
        line_up(sim, entity);
        return;
    }
    if (processor->running != SIM_NO_ENTITY) {
        preempt(sim, processor, full);
    }
    if (entity < sim->process_count) {
        take_next(sim, entity);
    }
    give(sim, processor, entity, full);
}

/* ---- stations ---- */

/* Adds up the time of the station's servers until now. */
static inline void add_up_station(struct sim_engine *sim, size_t at)
{
    struct sim_station_now *const station = &sim->station[at];
    const size_t busy = sim->model->stations[at].servers - station->idle;

    sim->tally.station[at].work += (double)busy * (sim->now - station->since);
    station->since = sim->now;
}

/* A server takes a request. */
TWICE void begin_at_station(struct sim_engine *sim, size_t at, uint32_t request, const bool full)
{
    struct sim_request *const record = &sim->pool[request];
    const double wait = sim->now - record->asked;

    record->begun = true;
    record->delayed += wait;
    record->way = SIM_WAY_STATION;
    sim_distribution_add(&sim->tally.station[at].wait, wait);
    sim_distribution_add(&sim->tally.station[at].stay, wait + record->work);
    report(sim, SIM_BEGIN, request, wait, full);
    event_list_add(&sim->events, sim->first_own + request, sim->now + record->work);
}

TWICE void get_in_station(struct sim_engine *sim, size_t at, uint32_t request, const bool full)
{
    struct sim_station_now *const station = &sim->station[at];

    report(sim, SIM_READY, request, 0, full);
    if (station->idle == 0) {
        append(sim, &station->queue, request);
        return;
    }
    add_up_station(sim, at);
    station->idle--;
    begin_at_station(sim, at, request, full);
}

/* A server takes the next in line, or has nothing to do. */
TWICE void leave_station(struct sim_engine *sim, size_t at, const bool full)
{
    struct sim_station_now *const station = &sim->station[at];

    add_up_station(sim, at);
    if (station->queue.head == SIM_NO_ENTITY) {
        station->idle++;
    } else {
        begin_at_station(sim, at, take_first(sim, &station->queue), full);
    }
}

/* ---- ends of portions ---- */

/* Who has served a portion, and does not go on with another: has the end of it to pay at its level,
 * at once or, where one more urgent is ready, behind that. On each line there is one such thread:
 * while it is in line no other of the line can run. */
static void wind_up(struct sim_engine *sim, struct sim_processor_now *processor, uint32_t line)
{
    const uint32_t thread = sim->first_thread + line;
    struct sim_request *const record = &sim->pool[thread];

    record->debt = sim->model->overhead.end;
    processor->last = thread;
    if (ready_level(processor) > record->level) {
        sim->process[thread].state = SIM_LINED_UP;
        line_up_first(sim, thread);
        dispatch(sim, processor, true);
        return;
    }
    sim->process[thread].state = SIM_RUNNING;
    processor->running = thread;
    processor->level = record->level;
    processor->paying = true;
    report(sim, SIM_SWITCH, thread, 0, true);
    schedule_service(sim, processor);
}
