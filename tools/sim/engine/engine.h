/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Simulation of a model: one replication in one thread, with a general event list (a heap of all
 * future events of any kind). Events at the same instant happen in the order in which they were
 * scheduled.
 *
 * A station's queue is served by the first free server. Stations take no overhead, and messages to
 * or from them no transmission time. If the overhead of an interrupt is not 0, it precedes a
 * portion on a processor that follows a station, because the station's device interrupts there.
 *
 * If a stimulus's portion ends and the next one is requested at once, the request gets in line
 * before the processor is given to any entity; then the most urgent runs, first come first served.
 * (The paper does not state the rule; of three possible rules, its table supports this one.) The
 * least urgent entity that would have run at that instant without the request counts as displaced.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/sim/engine/tally.h"
#include "tools/sim/model/model.h"

enum sim_event_kind {
    /* a competing quantum or a stimulus arrives from outside; with overheads, an interrupt begins
     */
    SIM_ARRIVAL,
    SIM_READY, /* the entity enters its ready list, or its process was already in the list */
    /* with overheads: the entity gets the processor; when they are paid, SIM_BEGIN follows, or
     * SIM_BLOCK if the process has no stimulus */
    SIM_SWITCH,
    SIM_BEGIN,   /* the first service of a portion begins */
    SIM_PREEMPT, /* the entity loses the processor */
    SIM_RESUME,
    SIM_END,           /* a portion ends */
    SIM_SEND,          /* the stimulus is sent from the stop that ended to the next stop */
    SIM_BLOCK,         /* a process has no stimulus left, or waits for a specific one */
    SIM_RESPONSE,      /* the stimulus's last portion ended */
    SIM_IDLE,          /* the processor has nothing to do */
    SIM_INTERRUPT,     /* with overheads: the device of a station has finished a portion */
    SIM_INTERRUPT_END, /* with overheads: end of the interrupt of a device or an arrival */
};

struct sim_event {
    double time;
    enum sim_event_kind kind;
    /* processor of the event; the numbers after the model's processors are its stations, in order
     */
    size_t processor;
    size_t level;    /* level of the entity; 0 at a station */
    size_t process;  /* process that serves the entity; SIM_NONE: the entity is a quantum */
    size_t load;     /* load of a competing quantum; otherwise SIM_NONE */
    size_t stimulus; /* number of the stimulus; SIM_NONE: competing work */
    size_t stop;     /* stop of the stimulus */
    /* number, from 1, that is unique to a quantum or a pass of a stimulus in this run */
    uint64_t entity;
    /* for SIM_RESPONSE the transit time, for SIM_BEGIN the wait, for SIM_END the work of the
     * portion */
    double amount;
};

struct sim_observer {
    /* Called for each event in order of time; NULL: no events, which is faster. */
    void (*event)(void *context, const struct sim_event *event);
    /* Called when the service of a competing quantum begins, including the warm-up; may be NULL.
     * `line` is processor * levels + level. */
    void (*wait)(void *context, size_t line, double time, double wait);
    /* Called for each response in order, including the warm-up; may be NULL. `time` is when the
     * response ended. */
    void (*response)(void *context, size_t stimulus, double time, double transit);
    void *context;
};

struct sim_limits {
    uint64_t seed;
    uint64_t replication; /* selects independent random numbers */
    uint64_t passes;      /* ends after this many passes of the first stimulus; 0: no limit */
    uint64_t quanta;      /* ends after this many arrivals of competing quanta; 0: no limit */
    double time;          /* ends at this time; 0: no limit */
    /* time before which nothing is counted; passes and quanta count from there */
    double warm_up;
};

/* Largest number of entities in line at once. A longer queue counts as endless. */
#define SIM_QUEUE_MAX 1000000

/* Simulates one replication and adds it to *tally, which was initialised by sim_tally_init() with
 * the same model. Returns false with the reason in `error` if no limit is set, if a queue grew
 * beyond SIM_QUEUE_MAX, or if too few quanta or passes arrive to reach a limit. */
bool sim_simulate(const struct sim_model *model, const struct sim_limits *limits,
                  const struct sim_observer *observer, struct sim_tally *tally,
                  char error[SIM_LAW_ERROR_MAX]);
