/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State of one replication (engine_run.c), and its set-up. An entity is something that can be in
 * service: a process or a quantum. Entities are numbers of records in one pool: the first records
 * are those of processes, which represent them in ready lists; the rest are requests. With overhead
 * `end`, each line has one more process without a queue, which pays the ends of portions.
 */
#pragma once

#include <math.h>

#include "tools/sim/engine/engine.h"
#include "tools/sim/engine/event_list.h"
#include "tools/sim/model/law.h"

/* Functions with a parameter `full` are compiled twice: once for models without overheads and
 * observers, which then cost nothing, and once for all others. */
#define TWICE static inline __attribute__((always_inline))

#define SIM_NO_ENTITY UINT32_MAX
/* value of `last` after a portion of a stimulus that has no process */
#define SIM_GONE (UINT32_MAX - 1)

/* Meaning of the event in a request's slot. */
enum sim_way {
    SIM_WAY_TRANSMITTED, /* the request arrives at another processor */
    SIM_WAY_STATION,     /* the service of the request at a station ends */
    SIM_WAY_THOUGHT,     /* the customer has finished thinking; a pass begins */
};

/* A requested portion of work: a competing quantum, or the current stop of a pass of a stimulus. */
struct sim_request {
    /* next request in the same list: ready list, queue of a process, interrupts, or unused requests
     */
    uint32_t next;
    uint32_t line; /* processor * levels + level */
    uint16_t processor;
    int16_t level;
    uint32_t source; /* index of the source: first the loads, then the stimuli */
    uint32_t stop;
    bool begun;    /* the request has been in service */
    bool received; /* the overhead `receive` is paid */
    uint8_t way;   /* enum sim_way, while the request is in the event list */
    double asked;
    double work;      /* work of the portion */
    double remaining; /* remaining work, including the work of sending the request on */
    double debt;      /* overhead that an entity must pay before its work */
    double stopped;   /* time at which the entity lost the processor */
    double worked;    /* work in the portions of the pass so far */
    double delayed;   /* all other time of the pass */
    uint64_t number;
};

struct sim_queue {
    uint32_t head, tail; /* SIM_NO_ENTITY: empty; the tail then has no meaning */
};

enum sim_process_state {
    SIM_BLOCKED,
    SIM_LINED_UP, /* the process is in its ready list */
    SIM_RUNNING,
};

struct sim_process_now {
    enum sim_process_state state;
    uint32_t current; /* current request; SIM_NO_ENTITY: none */
    uint32_t awaited; /* the only request that wakes the process; SIM_NO_ENTITY: any */
    struct sim_queue queue;
};

#define SIM_LEVEL_IDLE (-1)
#define SIM_LEVEL_HELD SIM_LEVELS_MAX /* no entity gets the processor at present */

struct sim_processor_now {
    uint32_t number;
    uint32_t running;        /* running entity; SIM_NO_ENTITY: none */
    int level;               /* level of the running entity; or IDLE, HELD */
    uint32_t ready;          /* a bit for each level that has an entity in line */
    uint32_t last;           /* entity that ran last; SIM_NO_ENTITY: it was idle */
    double since;            /* time up to which the processor's time is added up */
    double idle;             /* total idle time */
    struct sim_queue *lines; /* ready lists by level */
    bool sliced;             /* the next event of `running` ends its time slice */
    bool paying;             /* `running` pays overhead before a portion begins */
    bool interrupted;
    struct sim_queue interrupts;
    /* Numbers of entities in service or in line: of the least urgent level, and of all others. */
    uint32_t low, urgent;
    double low_since, urgent_since;
    bool is_strict;    /* the urgent busy period began while low work was present */
    bool is_counted;   /* the period is counted as a preemption, strict or wide */
    bool urgent_begun; /* one of the urgent entities has been served */
};

struct sim_station_now {
    size_t idle;  /* number of idle servers */
    double since; /* time up to which the servers' work is added up */
    struct sim_queue queue;
};

/* A source of arrivals from outside. */
struct sim_source {
    const struct sim_arrivals *arrivals;
    const struct sim_law *service; /* service of a load */
    size_t next;                   /* next arrival of a trace */
    uint32_t line;                 /* line of a load */
    uint16_t processor;
    int16_t level;
    struct sim_random intervals, services;
    /* for a stimulus: selects the processors of stops that any processor may serve */
    struct sim_random places;
    double due; /* time of the next arrival; only engine_line.c keeps it up to date */
};

struct sim_engine {
    const struct sim_model *model;
    const struct sim_limits *limits;
    const struct sim_observer *observer;
    struct sim_tally tally;  /* counts of this replication */
    uint64_t passes, quanta; /* numbers of passes and quanta that end the run; 0 in the warm-up */
    double now;
    bool ended;
    bool too_long; /* a queue has become too long */
    struct event_list events;
    struct sim_request *pool;
    size_t pool_count, pool_capacity;
    uint32_t unused;        /* list of unused requests */
    uint32_t process_count; /* includes the threads that wind up (wind_up()), one for each line */
    uint32_t first_thread;  /* number of the first of these winding-up threads */
    struct sim_process_now *process;
    struct sim_processor_now processor[SIM_PROCESSORS_MAX];
    struct sim_queue *lines; /* ready lists of all processors */
    struct sim_station_now station[SIM_STATIONS_MAX];
    struct sim_source *source;
    uint32_t load_count;
    struct sim_random transmission;
    bool transmits; /* transmission takes time */
    uint64_t number;
    /* First slots in the event list: ends of service by processor come first, then arrivals by
     * source, then ends of interrupts by processor, then requests (enum sim_way). */
    uint32_t first_source, first_interrupt, first_own;
    bool one_line;   /* sim_line_suits(); engine_line.c then runs it unless it needs `full` */
    double line_end; /* for engine_line.c: end of the running service */
};

/* Initialises the engine. Its tally has the points and classes of `like`. */
void sim_engine_init(struct sim_engine *engine, const struct sim_model *model,
                     const struct sim_limits *limits, const struct sim_observer *observer,
                     const struct sim_tally *like);
void sim_engine_free(struct sim_engine *engine);
/* Enlarges the pool of requests. */
void sim_engine_grow(struct sim_engine *engine);

/* Returns whether all work of the model waits in one line. Defined in engine_line.c. */
bool sim_line_suits(const struct sim_model *model);
/* Runs such a model until the simulation ends, or until the given time. */
void sim_line_run(struct sim_engine *sim, double until);

/* ---- lines, and the pool of requests ---- */

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

/* Returns the most urgent level that has an entity in line. */
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

/* Returns the level that an arrival must exceed to preempt work of a level. */
static inline int level_in_service(const struct sim_engine *sim, int level)
{
    return (sim->model->nonpreemptive >> level & 1) != 0 ? SIM_LEVEL_HELD : level;
}

/* Returns the request that an entity serves. */
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

/* ---- reports to the observer, and counts ---- */

static inline void report_event(struct sim_engine *sim, enum sim_event_kind kind, uint32_t request,
                                double amount)
{
    const struct sim_request *record = &sim->pool[request];
    struct sim_event event = {
        .time = sim->now,
        .kind = kind,
        .processor = record->processor,
        .level = (size_t)record->level,
        .process = SIM_NONE,
        .load = SIM_NONE,
        .stimulus = SIM_NONE,
        .entity = record->number,
        .amount = amount,
    };

    if (request < sim->first_thread) {
        event.process = request;
    } else if (request < sim->process_count) {
        event.entity = 0; /* a thread that winds up, which is not part of the model */
    } else if (is_competing(sim, record)) {
        event.load = record->source;
    } else {
        event.stimulus = record->source - sim->load_count;
        event.stop = record->stop;
        event.process = stop_of(sim, record)->process;
        if (stop_of(sim, record)->station > 0) {
            event.processor = sim->model->processors + stop_of(sim, record)->station - 1;
            event.level = 0;
        }
    }
    sim->observer->event(sim->observer->context, &event);
}

TWICE void report(struct sim_engine *sim, enum sim_event_kind kind, uint32_t request, double amount,
                  const bool full)
{
    if (full && sim->observer->event != NULL) {
        report_event(sim, kind, request, amount);
    }
}

TWICE void report_idle(struct sim_engine *sim, const struct sim_processor_now *processor,
                       const bool full)
{
    if (full && sim->observer->event != NULL) {
        const struct sim_event event = {.time = sim->now,
                                        .kind = SIM_IDLE,
                                        .processor = processor->number,
                                        .level = SIM_NONE,
                                        .process = SIM_NONE,
                                        .load = SIM_NONE,
                                        .stimulus = SIM_NONE};

        sim->observer->event(sim->observer->context, &event);
    }
}

static inline struct sim_level_tally *level_tally(struct sim_engine *sim,
                                                  const struct sim_request *record)
{
    return &sim->tally.level[record->line];
}

/* Adds up the processor's time until now, and subtracts it from the remaining work of the running
 * entity. */
TWICE void add_up(struct sim_engine *sim, struct sim_processor_now *processor, const bool full)
{
    const double time = sim->now - processor->since;

    processor->since = sim->now;
    if (full && processor->interrupted) {
        sim->tally.processor[processor->number].interrupts += time;
        return;
    }
    if (processor->running == SIM_NO_ENTITY) {
        processor->idle += time;
        return;
    }
    struct sim_request *const entity = &sim->pool[processor->running];
    const uint32_t served = served_by(sim, processor->running);
    const double paid = !full ? 0 : time < entity->debt ? time : entity->debt;

    level_tally(sim, entity)->work += time;
    if (full) {
        entity->debt -= paid;
    }
    if (!full || served != SIM_NO_ENTITY) {
        const double left = sim->pool[served].remaining - (time - paid);

        sim->pool[served].remaining = left > 0 ? left : 0;
    }
}

/* Counts a request that arrives at the processor that will serve it. */
static inline void count_in(struct sim_engine *sim, struct sim_processor_now *processor, int level)
{
    if (level == 0) {
        if (processor->low++ == 0) {
            processor->low_since = sim->now;
        }
    } else if (processor->urgent++ == 0) {
        processor->urgent_since = sim->now;
        processor->urgent_begun = false;
        processor->is_strict = processor->low > 0;
        processor->is_counted = processor->is_strict;
        sim->tally.preemption.strict += processor->is_strict;
        sim->tally.preemption.wide += processor->is_strict;
    }
}

static inline double lock_out(const struct sim_engine *sim,
                              const struct sim_processor_now *processor)
{
    return sim->now - fmax(processor->urgent_since, processor->low_since);
}

static inline void count_out(struct sim_engine *sim, struct sim_processor_now *processor, int level)
{
    if (level == 0) {
        processor->low--;
    } else if (--processor->urgent == 0) {
        if (processor->is_strict) {
            sim->tally.preemption.length += sim->now - processor->urgent_since;
        }
        if (processor->low > 0) {
            sim->tally.preemption.lock_out += lock_out(sim, processor);
        }
    }
}

/* Counts the beginning of urgent work. A busy period counts once as a preemption. */
static inline void count_urgent(struct sim_engine *sim, struct sim_processor_now *processor)
{
    if (processor->low > 0 && !processor->is_counted && processor->urgent_begun) {
        processor->is_counted = true;
        sim->tally.preemption.wide++;
    }
    processor->urgent_begun = true;
}
