/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The state of one replication (engine_run.c), and how it is set up. What can be in service is an
 * entity: a process or a quantum. Both are numbers of records in one pool: processes have the first
 * ones, which stand for them in ready lists; the rest are requests. With overhead `end` each line
 * has one process more, which has no queue: it pays the ends of portions.
 */
#pragma once

#include "tools/sim/engine/engine.h"
#include "tools/sim/engine/event_list.h"
#include "tools/sim/model/random.h"

/* Functions of the engine with a parameter `full` are compiled twice: once for models without
 * overheads and observers, which then cost nothing, and once for all others. */
#define TWICE static inline __attribute__((always_inline))

#define SIM_NO_ENTITY UINT32_MAX
#define SIM_GONE      (UINT32_MAX - 1) /* ran last: a portion of a stimulus that has no process */

/* What the event of a request's own slot is. */
enum sim_way {
    SIM_WAY_TRANSMITTED, /* arrives at another processor */
    SIM_WAY_STATION,     /* its service at a station ends */
    SIM_WAY_THOUGHT,     /* it is a customer who has thought, and a pass begins */
};

/* A portion of work that is asked for: a competing quantum, or the present stop of a pass of a
 * stimulus. */
struct sim_request {
    uint32_t next; /* in the list that it is in: ready, of a process, of interrupts, or free */
    uint32_t line; /* processor * levels + level */
    uint16_t processor;
    int16_t level;
    uint32_t source; /* loads, then stimuli */
    uint32_t stop;
    bool begun;    /* has had service */
    bool received; /* overhead `receive` is taken */
    uint8_t way;   /* enum sim_way; of one that is in the list of events */
    double asked;
    double work;      /* of the portion */
    double remaining; /* of it, and of sending it on */
    double debt;      /* an entity's overhead that comes before its work */
    double stopped;   /* when it lost the processor */
    double worked;    /* in the pass's portions so far */
    double delayed;   /* all else that the pass took */
    uint64_t number;
};

struct sim_queue {
    uint32_t head, tail; /* SIM_NO_ENTITY: empty; the tail then has no meaning */
};

enum sim_process_state {
    SIM_BLOCKED,
    SIM_LINED_UP, /* in its ready list */
    SIM_RUNNING,
};

struct sim_process_now {
    enum sim_process_state state;
    uint32_t current; /* request; SIM_NO_ENTITY: between two */
    uint32_t awaited; /* the only request that wakes it; SIM_NO_ENTITY: any does */
    struct sim_queue queue;
};

#define SIM_LEVEL_IDLE (-1)
#define SIM_LEVEL_HELD SIM_LEVELS_MAX /* no entity gets the processor now */

struct sim_processor_now {
    uint32_t number;
    uint32_t running;        /* entity; SIM_NO_ENTITY */
    int level;               /* its; IDLE; HELD */
    uint32_t ready;          /* a bit for each level that has somebody in line */
    uint32_t last;           /* entity that ran last; SIM_NO_ENTITY: it was idle */
    double since;            /* up to when its time is added up */
    double idle;             /* time */
    struct sim_queue *lines; /* its ready lists, by level */
    bool paying;             /* `running` has overhead before it begins a portion */
    bool interrupted;
    struct sim_queue interrupts;
    /* What is there, in service or in line: of the least urgent level, and of all others. */
    uint32_t low, urgent;
    double low_since, urgent_since;
    bool is_strict;    /* the urgent busy period began with low work there */
    bool is_counted;   /* as a preemption, strict or wide */
    bool urgent_begun; /* one of it had service */
};

struct sim_station_now {
    size_t idle;  /* servers */
    double since; /* up to when their work is added up */
    struct sim_queue queue;
};

/* What arrives from outside. */
struct sim_source {
    const struct sim_arrivals *arrivals;
    const struct sim_law *service; /* a load's */
    size_t next;                   /* of a trace */
    uint32_t line;                 /* a load's */
    uint16_t processor;
    int16_t level;
    struct sim_random intervals, services;
    struct sim_random places; /* a stimulus's: processors of stops that any may serve */
};

struct sim_engine {
    const struct sim_model *model;
    const struct sim_limits *limits;
    const struct sim_observer *observer;
    struct sim_tally tally;  /* of this replication */
    uint64_t passes, quanta; /* limits; 0 in the warm-up */
    double now;
    bool ended;
    bool too_long; /* a queue */
    struct event_list events;
    struct sim_request *pool;
    size_t pool_count, pool_capacity;
    uint32_t unused;        /* list of requests */
    uint32_t process_count; /* with the threads that wind up (wind_up()), one a line */
    uint32_t first_thread;  /* of these */
    struct sim_process_now *process;
    struct sim_processor_now processor[SIM_PROCESSORS_MAX];
    struct sim_queue *lines; /* ready lists, of all processors */
    struct sim_station_now station[SIM_STATIONS_MAX];
    struct sim_source *source;
    uint32_t load_count;
    struct sim_random transmission;
    bool transmits; /* the transmission takes time */
    uint64_t number;
    /* Slots of events: ends of service by processor, then arrivals by source, then ends of
     * interrupts by processor, then requests (enum sim_way). */
    uint32_t first_source, first_interrupt, first_own;
};

/* `like`: whose points and classes the engine's own tally has. */
void sim_engine_init(struct sim_engine *engine, const struct sim_model *model,
                     const struct sim_limits *limits, const struct sim_observer *observer,
                     const struct sim_tally *like);
void sim_engine_free(struct sim_engine *engine);
/* Makes the pool of requests larger. */
void sim_engine_grow(struct sim_engine *engine);
