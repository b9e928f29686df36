/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One replication: processes arrivals, stops of stimuli, interrupts and ends of service in order of
 * time, until the requested passes or quanta are done.
 */
#include "tools/sim/engine/engine_state.h"

#include <float.h>
#include <inttypes.h>
#include <stdio.h>

/* ---- who has a processor, and who gets in line for it ---- */

TWICE void begin(struct sim_engine *sim, struct sim_processor_now *processor, uint32_t served,
                 const bool full)
{
    struct sim_request *const request = &sim->pool[served];
    struct sim_level_tally *const tally = level_tally(sim, request);
    const double wait = sim->now - request->asked;

    request->begun = true;
    request->delayed += wait;
    if (is_competing(sim, request)) {
        sim_distribution_add(&tally->wait, wait);
        if (sim->observer->wait != NULL) {
            sim->observer->wait(sim->observer->context, request->line, sim->now, wait);
        }
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

/* Schedules the next event of the running entity. */
static inline void schedule_service(struct sim_engine *sim, struct sim_processor_now *processor)
{
    const uint32_t served = served_by(sim, processor->running);
    const double work = processor->paying ? 0 : sim->pool[served].remaining;
    const double slice = sim->model->slice;
    const double time = sim->pool[processor->running].debt + work;

    processor->sliced = slice > 0 && !processor->paying && time > slice;
    event_list_set(&sim->events, processor->number, sim->now + (processor->sliced ? slice : time));
}

/* With overheads: adds the cost that precedes the work of the entity that now has the processor. */
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
    processor->level = level_in_service(sim, sim->pool[entity].level);
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

/* Takes the processor from the running entity, which then becomes the first or the last in its
 * line. */
TWICE void preempt(struct sim_engine *sim, struct sim_processor_now *processor, bool to_end,
                   const bool full)
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
    if (to_end) {
        line_up(sim, entity);
    } else {
        line_up_first(sim, entity);
    }
    processor->running = SIM_NO_ENTITY;
    report(sim, SIM_PREEMPT, served != SIM_NO_ENTITY ? served : entity, 0, full);
}

/* Takes the next request of a process's queue. A process that awaits an answer takes nothing else.
 */
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

/* Gives a free processor to the most urgent entity in line. */
TWICE void dispatch(struct sim_engine *sim, struct sim_processor_now *processor, const bool full)
{
    while (processor->ready != 0) {
        const uint32_t entity = take_ready(sim, processor);

        /* The process was stopped after it had sent on its last request. To continue, it must find
         * that there is no other request, which costs a switch and the rest of the end of the
         * portion. */
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

/* Queues a request for a process. Returns false if that does not change which entities are in line.
 */
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

/* Puts a request in line on the processor that will serve it. */
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
        preempt(sim, processor, false, full);
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

/* Begins to serve a request at a station. */
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

/* Frees a server, which takes the next request in line or becomes idle. */
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

/* Charges the overhead `end` after a portion whose server does not continue with another portion.
 * The overhead has the server's level: it is paid at once or, if a more urgent entity is ready,
 * after that entity. One thread for each line pays it. One is enough, because no other entity of
 * the line can run while the thread is in line. */
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

/* ---- stimuli ---- */

static size_t place_of(struct sim_engine *sim, uint32_t source, const struct sim_stop *stop)
{
    if (stop->among == 0) {
        return stop->processor;
    }
    /* A draw is above 0 and at most 1; rounded up, it counts from 1. */
    return (size_t)ceil(sim_random_uniform(&sim->source[source].places) * (double)stop->among) - 1;
}

/* Requests the next stop of a pass: determines where it is served, and how long. */
static void ask_for_stop(struct sim_engine *sim, uint32_t request)
{
    struct sim_request *const record = &sim->pool[request];
    const struct sim_stop *stop = stop_of(sim, record);

    if (stop->station == 0) {
        const size_t processor = place_of(sim, record->source, stop);

        record->processor = (uint16_t)processor;
        record->level = (int16_t)stop->level;
        record->line = (uint32_t)(processor * sim->model->levels + stop->level);
    }
    record->work = sim_law_draw(&stop->service, &sim->source[record->source].services);
    record->remaining = record->work;
    record->worked += record->work;
    record->begun = false;
    record->received = false;
}

/* Lets a customer think before its next pass. */
static void think(struct sim_engine *sim, uint32_t request)
{
    struct sim_request *const record = &sim->pool[request];
    struct sim_source *const source = &sim->source[record->source];

    record->way = SIM_WAY_THOUGHT;
    event_list_add(&sim->events, sim->first_own + request,
                   sim->now + sim_law_draw(&source->arrivals->interval, &source->intervals));
}

static void respond(struct sim_engine *sim, uint32_t request, const bool full)
{
    const struct sim_request *record = &sim->pool[request];
    const size_t stimulus = record->source - sim->load_count;
    struct sim_stimulus_tally *const tally = &sim->tally.stimulus[stimulus];
    const double transit = record->worked + record->delayed;
    const struct sim_arrivals *arrivals = &sim->model->stimuli[stimulus].arrivals;

    sim_distribution_add(&tally->transit, transit);
    sim_distribution_add(&tally->wait, record->delayed);
    tally->missed += transit > sim->model->stimuli[stimulus].deadline;
    if (sim->observer->response != NULL) {
        sim->observer->response(sim->observer->context, stimulus, sim->now, transit);
    }
    report(sim, SIM_RESPONSE, request, transit, full);
    if (arrivals->kind == SIM_CYCLE) {
        event_list_set(&sim->events, sim->first_source + record->source,
                       sim->now + arrivals->interval.mean);
    }
    if (arrivals->kind == SIM_POPULATION) {
        think(sim, request);
    } else {
        free_request(sim, request);
    }
    if (stimulus == 0 && tally->transit.count == sim->passes) {
        sim->ended = true;
    }
}

/* Interrupts the processor, or queues the interrupt after those in progress. */
static void interrupt(struct sim_engine *sim, uint32_t request)
{
    struct sim_processor_now *const processor = processor_of(sim, request);
    const uint32_t number = processor->number;

    append(sim, &processor->interrupts, request);
    if (processor->interrupted) {
        return;
    }
    add_up(sim, processor, true);
    if (processor->running != SIM_NO_ENTITY &&
        served_by(sim, processor->running) != SIM_NO_ENTITY) {
        sim->pool[served_by(sim, processor->running)].stopped = sim->now;
    }
    processor->interrupted = true;
    processor->level = SIM_LEVEL_HELD;
    event_list_set(&sim->events, number, INFINITY);
    event_list_set(&sim->events, sim->first_interrupt + number,
                   sim->now + sim->model->overhead.interrupt);
}

/* Lets a pass come in from outside, or from a station, to its current stop. */
TWICE void come_in(struct sim_engine *sim, uint32_t request, const bool full)
{
    const struct sim_request *record = &sim->pool[request];

    if (!is_competing(sim, record) && stop_of(sim, record)->station > 0) {
        get_in_station(sim, stop_of(sim, record)->station - 1, request, full);
    } else if (full && sim->model->overhead.interrupt > 0) {
        interrupt(sim, request);
    } else {
        get_in_line(sim, request, full);
    }
}

/* Continues a pass whose portion has ended: with the next portion, or with the response. */
TWICE void move_on(struct sim_engine *sim, uint32_t request, const bool full)
{
    struct sim_request *const record = &sim->pool[request];
    const uint16_t from = record->processor;
    const bool from_station = stop_of(sim, record)->station > 0;

    if (record->stop + 1 == sim->model->stimuli[record->source - sim->load_count].stop_count) {
        respond(sim, request, full);
        return;
    }
    report(sim, SIM_SEND, request, 0, full);
    record->stop++;
    ask_for_stop(sim, request);
    const size_t station = stop_of(sim, record)->station;

    if (from_station && station == 0) {
        report(sim, SIM_INTERRUPT, request, 0, full && sim->model->overhead.interrupt > 0);
        record->asked = sim->now;
        come_in(sim, request, full);
        return;
    }
    if (station == 0 && sim->transmits && record->processor != from) {
        const double delay = sim_law_draw(&sim->model->transmission, &sim->transmission) +
                             sim->model->overhead.remote;

        record->delayed += delay;
        record->way = SIM_WAY_TRANSMITTED;
        event_list_add(&sim->events, sim->first_own + request, sim->now + delay);
        return;
    }
    record->asked = sim->now;
    if (station > 0) {
        get_in_station(sim, station - 1, request, full);
    } else {
        get_in_line(sim, request, full);
    }
}

static bool has_more(const struct sim_engine *sim, uint32_t entity)
{
    return sim->process[entity].queue.head != SIM_NO_ENTITY;
}

/* Yields the processor: gets in line again if there is more to do. */
static void yield(struct sim_engine *sim, uint32_t entity, bool more)
{
    if (more) {
        sim->process[entity].state = SIM_LINED_UP;
        line_up(sim, entity);
    } else {
        block(sim, entity);
    }
}

/* What a process does after it has ended a portion. */
enum turn {
    TURN_GOES_ON, /* keeps the processor */
    TURN_IN_LINE, /* yields to a more urgent entity, and pays the end of the portion later */
    TURN_IS_OVER,
};

TWICE enum turn end_turn(struct sim_engine *sim, struct sim_processor_now *processor,
                         uint32_t entity, const bool full)
{
    struct sim_process_now *const process = &sim->process[entity];
    const uint32_t request = process->current;
    const bool awaits = stop_of(sim, &sim->pool[request])->awaits;

    process->current = SIM_NO_ENTITY;
    process->awaited = awaits ? request : SIM_NO_ENTITY;
    if (sim->model->discipline == SIM_REQUEUE_BEFORE) {
        yield(sim, entity, !awaits && has_more(sim, entity));
        move_on(sim, request, full);
        return TURN_IS_OVER;
    }
    move_on(sim, request, full);
    if (sim->model->discipline == SIM_ONE_A_TURN) {
        yield(sim, entity, !awaits && has_more(sim, entity));
        return TURN_IS_OVER;
    }
    /* The receiver preempts the process before it can look for more, or wait. */
    if (ready_level(processor) > sim->pool[entity].level) {
        process->state = SIM_LINED_UP;
        sim->pool[entity].debt = sim->model->overhead.end;
        line_up_first(sim, entity);
        return TURN_IN_LINE;
    }
    if (!take_next(sim, entity)) {
        block(sim, entity);
        return TURN_IS_OVER;
    }
    sim->pool[entity].debt = sim->model->overhead.end;
    return TURN_GOES_ON;
}

/* Returns the level of the entity that would run next at the end of a stimulus's portion. */
static int heir_level(const struct sim_engine *sim, const struct sim_processor_now *processor)
{
    const uint32_t entity = processor->running;
    const int ready = ready_level(processor);

    if (entity >= sim->process_count || !has_more(sim, entity) ||
        stop_of(sim, &sim->pool[served_by(sim, entity)])->awaits) {
        return ready;
    }
    return sim->pool[entity].level > ready ? sim->pool[entity].level : ready;
}

/* Releases the processor after a portion whose server does not continue with another. */
TWICE void let_go(struct sim_engine *sim, struct sim_processor_now *processor, uint32_t line,
                  const bool full)
{
    if (full && sim->model->overhead.end > 0) {
        wind_up(sim, processor, line);
    } else {
        dispatch(sim, processor, full);
    }
}

TWICE void end_stimulus_portion(struct sim_engine *sim, struct sim_processor_now *processor,
                                const bool full)
{
    const uint32_t entity = processor->running;
    const uint32_t line = sim->pool[entity].line;
    const int heir = heir_level(sim, processor);
    enum turn turn = TURN_IS_OVER;

    processor->running = SIM_NO_ENTITY;
    processor->level = SIM_LEVEL_HELD;
    if (entity < sim->process_count) {
        turn = end_turn(sim, processor, entity, full);
    } else {
        processor->last = SIM_GONE;
        move_on(sim, entity, full);
    }
    const int next = turn == TURN_GOES_ON ? sim->pool[entity].level : ready_level(processor);

    if (heir != SIM_LEVEL_IDLE && next > heir) {
        sim->tally.level[processor->number * sim->model->levels + (size_t)heir].displaced++;
    }
    if (turn == TURN_GOES_ON) {
        give(sim, processor, entity, full);
    } else if (turn == TURN_IN_LINE) {
        dispatch(sim, processor, full);
    } else {
        let_go(sim, processor, line, full);
    }
}

/* ---- events ---- */

/* Begins the portion whose overhead has been paid, or lets the process find that there is none. */
static void paid(struct sim_engine *sim, struct sim_processor_now *processor)
{
    const uint32_t entity = processor->running;

    sim->pool[entity].debt = 0;
    processor->paying = false;
    if (served_by(sim, entity) == SIM_NO_ENTITY && !take_next(sim, entity)) {
        processor->running = SIM_NO_ENTITY;
        block(sim, entity);
        dispatch(sim, processor, true);
        return;
    }
    give(sim, processor, entity, true);
}

/* Ends the time slice of the running entity: the next of its level runs, or a more urgent one that
 * could not preempt it. */
static void end_slice(struct sim_engine *sim, struct sim_processor_now *processor)
{
    if (ready_level(processor) >= sim->pool[processor->running].level) {
        preempt(sim, processor, true, true);
        dispatch(sim, processor, true);
    } else {
        add_up(sim, processor, true);
        schedule_service(sim, processor);
    }
}

TWICE void end_service(struct sim_engine *sim, struct sim_processor_now *processor, const bool full)
{
    if (full && processor->sliced) {
        end_slice(sim, processor);
        return;
    }
    if (full && processor->paying) {
        add_up(sim, processor, full);
        paid(sim, processor);
        return;
    }
    const uint32_t served = served_by(sim, processor->running);
    struct sim_request *const request = &sim->pool[served];

    level_tally(sim, request)->work += sim->now - processor->since;
    processor->since = sim->now;
    sim->pool[processor->running].debt = 0;
    sim->tally.events++;
    count_out(sim, processor, request->level);
    report(sim, SIM_END, served, request->work, full);
    if (!is_competing(sim, request)) {
        end_stimulus_portion(sim, processor, full);
        return;
    }
    sim_distribution_add(&level_tally(sim, request)->stay, sim->now - request->asked);
    const uint32_t line = request->line;

    free_request(sim, served);
    processor->running = SIM_NO_ENTITY;
    let_go(sim, processor, line, full);
}

/* After the last interrupt in a row, the interrupted entity continues unless a more urgent one is
 * ready. */
static void return_from_interrupts(struct sim_engine *sim, struct sim_processor_now *processor)
{
    const uint32_t entity = processor->running;

    if (entity == SIM_NO_ENTITY) {
        dispatch(sim, processor, true);
        return;
    }
    const uint32_t served = served_by(sim, entity);

    if (served != SIM_NO_ENTITY && sim->pool[served].begun) {
        sim->pool[served].delayed += sim->now - sim->pool[served].stopped;
    }
    processor->level = level_in_service(sim, sim->pool[entity].level);
    if (ready_level(processor) > processor->level) {
        preempt(sim, processor, false, true);
        dispatch(sim, processor, true);
        return;
    }
    schedule_service(sim, processor);
}

static void end_interrupt(struct sim_engine *sim, uint32_t number)
{
    struct sim_processor_now *const processor = &sim->processor[number];
    const uint32_t request = take_first(sim, &processor->interrupts);
    const bool last = processor->interrupts.head == SIM_NO_ENTITY;

    add_up(sim, processor, true);
    event_list_set(&sim->events, sim->first_interrupt + number,
                   last ? INFINITY : sim->now + sim->model->overhead.interrupt);
    report(sim, SIM_INTERRUPT_END, request, 0, true);
    get_in_line(sim, request, true);
    if (last) {
        processor->interrupted = false;
        return_from_interrupts(sim, processor);
    }
}

static inline double next_arrival(const struct sim_engine *sim, struct sim_source *source)
{
    const struct sim_arrivals *arrivals = source->arrivals;

    if (arrivals->kind == SIM_RENEWAL) {
        return sim->now + sim_law_draw(&arrivals->interval, &source->intervals);
    }
    if (arrivals->kind == SIM_TRACE && ++source->next < arrivals->count) {
        return arrivals->times[source->next];
    }
    return INFINITY;
}

/* Starts a quantum or a pass of a stimulus; `request` must be unused. */
TWICE void start(struct sim_engine *sim, uint32_t number, uint32_t request, const bool full)
{
    struct sim_source *const source = &sim->source[number];
    struct sim_request *const record = &sim->pool[request];

    sim->tally.events++;
    record->source = number;
    record->stop = 0;
    record->asked = sim->now;
    record->debt = 0;
    record->worked = 0;
    record->delayed = 0;
    record->number = ++sim->number;
    if (number >= sim->load_count) {
        ask_for_stop(sim, request);
    } else {
        record->line = source->line;
        record->processor = source->processor;
        record->level = source->level;
        record->work = sim_law_draw(source->service, &source->services);
        record->remaining = record->work;
        record->begun = false;
        record->received = false;
        level_tally(sim, record)->competing++;
        if (++sim->tally.quanta == sim->quanta) {
            sim->ended = true;
        }
    }
    report(sim, SIM_ARRIVAL, request, 0, full);
    come_in(sim, request, full);
}

TWICE void arrive(struct sim_engine *sim, uint32_t number, const bool full)
{
    const uint32_t request = new_request(sim);

    event_list_set(&sim->events, sim->first_source + number,
                   next_arrival(sim, &sim->source[number]));
    start(sim, number, request, full);
}

/* Ends a portion at a station. */
TWICE void end_at_station(struct sim_engine *sim, uint32_t request, const bool full)
{
    const struct sim_request *record = &sim->pool[request];

    sim->tally.events++;
    report(sim, SIM_END, request, record->work, full);
    leave_station(sim, stop_of(sim, record)->station - 1, full);
    move_on(sim, request, full);
}

/* Handles the event of a request's slot, which has been removed from the list. */
TWICE void happen_to(struct sim_engine *sim, uint32_t request, const bool full)
{
    struct sim_request *const record = &sim->pool[request];

    switch ((enum sim_way)record->way) {
    case SIM_WAY_STATION:
        end_at_station(sim, request, full);
        return;
    case SIM_WAY_THOUGHT:
        start(sim, record->source, request, full);
        return;
    case SIM_WAY_TRANSMITTED:
        record->asked = sim->now;
        get_in_line(sim, request, full);
        return;
    }
}

/* Lets all customers of populations begin to think. */
static void gather(struct sim_engine *sim)
{
    for (size_t i = 0; i < sim->model->stimulus_count; i++) {
        const struct sim_arrivals *arrivals = &sim->model->stimuli[i].arrivals;

        for (size_t k = 0; arrivals->kind == SIM_POPULATION && k < arrivals->population; k++) {
            const uint32_t request = new_request(sim);

            sim->pool[request].source = sim->load_count + (uint32_t)i;
            think(sim, request);
        }
    }
}

TWICE void happen(struct sim_engine *sim, uint32_t slot, const bool full)
{
    if (slot < sim->first_source) {
        end_service(sim, &sim->processor[slot], full);
    } else if (slot < sim->first_interrupt) {
        arrive(sim, slot - sim->first_source, full);
    } else if (slot < sim->first_own) {
        end_interrupt(sim, slot - sim->first_interrupt);
    } else {
        event_list_drop_first(&sim->events);
        happen_to(sim, slot - sim->first_own, full);
    }
}

TWICE void run_events(struct sim_engine *sim, double until, const bool full)
{
    while (!sim->ended && sim->events.heap[0].time <= until) {
        const struct pending_event event = sim->events.heap[0];

        sim->now = event.time;
        happen(sim, event_slot(&event), full);
    }
}

/* Runs until the simulation ends, or until the given time. */
static void run_until(struct sim_engine *sim, double until)
{
    const struct sim_overhead *overhead = &sim->model->overhead;
    const bool full =
        sim->observer->event != NULL || sim_overhead_any(overhead) || sim->model->slice > 0;

    if (full) {
        run_events(sim, until, true);
    } else if (sim->one_line) {
        sim_line_run(sim, until);
    } else {
        run_events(sim, until, false);
    }
    if (!sim->ended) {
        sim->now = until;
    }
    for (size_t i = 0; i < sim->model->processors; i++) {
        add_up(sim, &sim->processor[i], true);
    }
    for (size_t i = 0; i < sim->model->station_count; i++) {
        add_up_station(sim, i);
    }
}

/* Discards everything that was counted so far. */
static void end_warm_up(struct sim_engine *sim, const struct sim_tally *like)
{
    sim_tally_free(&sim->tally);
    sim_tally_like(&sim->tally, sim->model, like);
    for (size_t i = 0; i < sim->model->processors; i++) {
        struct sim_processor_now *const processor = &sim->processor[i];

        processor->idle = 0;
        processor->is_strict = false;
        processor->low_since = sim->now;
    }
}

static void end_run(struct sim_engine *sim)
{
    sim->tally.time = sim->now - sim->limits->warm_up;
    for (size_t i = 0; i < sim->model->processors; i++) {
        const struct sim_processor_now *processor = &sim->processor[i];

        sim->tally.processor[i].idle = processor->idle;
        if (processor->urgent > 0 && processor->low > 0) {
            sim->tally.preemption.lock_out += lock_out(sim, processor);
        }
    }
}

static bool limits_are_good(const struct sim_model *model, const struct sim_limits *limits,
                            char error[SIM_LAW_ERROR_MAX])
{
    if (limits->passes == 0 && limits->quanta == 0 && !(limits->time > 0)) {
        snprintf(error, SIM_LAW_ERROR_MAX,
                 "the simulation has no end: give passes, quanta or time");
        return false;
    }
    if (limits->passes != 0 && model->stimulus_count == 0) {
        snprintf(error, SIM_LAW_ERROR_MAX,
                 "the model has no stimulus that could make passes: "
                 "give quanta or time");
        return false;
    }
    if (limits->time > 0 && limits->time <= limits->warm_up) {
        snprintf(error, SIM_LAW_ERROR_MAX,
                 "the warm-up, %g, must be shorter than the simulation, %g", limits->warm_up,
                 limits->time);
        return false;
    }
    return true;
}

/* Returns how many quanta of the loads still arrive; INFINITY: without end. */
static double quanta_left(const struct sim_engine *sim)
{
    double left = 0;

    for (size_t i = 0; i < sim->load_count; i++) {
        const struct sim_source *const source = &sim->source[i];

        left += source->arrivals->kind != SIM_TRACE
                    ? INFINITY
                    : (double)(source->arrivals->count - source->next);
    }
    return left;
}

/* Checks after the warm-up, which ended `done` passes, that enough arrives to end the simulation.
 */
static bool can_end(const struct sim_engine *sim, double done, char error[SIM_LAW_ERROR_MAX])
{
    const struct sim_limits *const limits = sim->limits;
    const struct sim_arrivals *const first =
        sim->model->stimulus_count > 0 ? sim->source[sim->load_count].arrivals : NULL;
    const double quanta = quanta_left(sim);
    const double passes = first == NULL              ? 0
                          : first->kind != SIM_TRACE ? INFINITY
                                                     : (double)first->count - done;

    if (limits->time > 0 || (limits->quanta > 0 && quanta >= (double)limits->quanta) ||
        (limits->passes > 0 && passes >= (double)limits->passes)) {
        return true;
    }
    if (limits->quanta > 0) {
        snprintf(error, SIM_LAW_ERROR_MAX,
                 "the simulation never ends: it requires %" PRIu64
                 " quanta of loads, but only %.0f arrive: give passes or a time",
                 limits->quanta, quanta);
    } else {
        snprintf(error, SIM_LAW_ERROR_MAX,
                 "the simulation never ends: it requires %" PRIu64
                 " passes of the first stimulus, but only %.0f arrive: give a time",
                 limits->passes, passes);
    }
    return false;
}

bool sim_simulate(const struct sim_model *model, const struct sim_limits *limits,
                  const struct sim_observer *observer, struct sim_tally *tally,
                  char error[SIM_LAW_ERROR_MAX])
{
    static const struct sim_observer no_observer = {0};
    const double end = limits->time > 0 ? limits->time : DBL_MAX;
    struct sim_engine sim;

    if (!limits_are_good(model, limits, error)) {
        return false;
    }
    sim_engine_init(&sim, model, limits, observer != NULL ? observer : &no_observer, tally);
    gather(&sim);
    double done = 0;

    if (limits->warm_up > 0) {
        run_until(&sim, limits->warm_up);
        done = model->stimulus_count > 0 ? (double)sim.tally.stimulus[0].transit.count : 0;
        end_warm_up(&sim, tally);
    }
    sim.passes = limits->passes;
    sim.quanta = limits->quanta;
    const bool ends = can_end(&sim, done, error);

    if (ends) {
        run_until(&sim, end);
    }
    const bool good = ends && !sim.too_long && sim.now < DBL_MAX;

    if (sim.too_long) {
        snprintf(error, SIM_LAW_ERROR_MAX,
                 "more than %d entities are in line at time %g: a queue grows without end",
                 SIM_QUEUE_MAX, sim.now);
    } else if (ends && !good) {
        snprintf(error, SIM_LAW_ERROR_MAX,
                 "all arrivals end before the simulation: give a time at which it ends");
    } else if (good) {
        end_run(&sim);
        sim_tally_merge(tally, &sim.tally);
    }
    sim_engine_free(&sim);
    return good;
}
