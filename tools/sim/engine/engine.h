/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The simulation of a model: one replication, one thread, by a general event list (a heap of what
 * is to come, whatever it is of). What happens at the same instant happens in the order in which it
 * was settled.
 *
 * A station's queue is served by the first server that is free. Nothing of a station takes overhead
 * and no message to or from it takes transmission; where the overhead of an interrupt is not 0, it
 * comes before the portion on a processor that is behind a station, as its device interrupts there.
 *
 * Where a stimulus's portion ends and the next is at once asked for, the request gets in line
 * before the processor is given to anybody: then the most urgent runs, first come first served.
 * (The paper does not state the rule; of three, its table bears this one out.) The least
 * urgent entity that would have run at that instant, were it not for the request, counts as
 * displaced.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/sim/engine/tally.h"
#include "tools/sim/model/model.h"

enum sim_event_kind {
    SIM_ARRIVAL, /* from outside: a competing quantum or a stimulus; with overheads, interrupt
                    begins */
    SIM_READY,   /* the entity is in its ready list (or its process had been already) */
    SIM_SWITCH,  /* with overheads: has the processor; when they are paid SIM_BEGIN follows, or
                    SIM_BLOCK of a process that has no stimulus */
    SIM_BEGIN,   /* first service of a portion */
    SIM_PREEMPT, /* loses the processor */
    SIM_RESUME,
    SIM_END,           /* of a portion */
    SIM_SEND,          /* from the stop that ended to the next */
    SIM_BLOCK,         /* a process has no stimulus left, or waits for a specific one */
    SIM_RESPONSE,      /* the stimulus's last portion ended */
    SIM_IDLE,          /* the processor has nothing to do */
    SIM_INTERRUPT,     /* with overheads: the device of a station is done with a portion */
    SIM_INTERRUPT_END, /* with overheads: of it, or of an arrival */
};

struct sim_event {
    double time;
    enum sim_event_kind kind;
    size_t processor; /* those behind the model's processors are its stations, in their order */
    size_t level;     /* 0 at a station */
    size_t process;   /* SIM_NONE: a quantum */
    size_t load;      /* of a competing quantum; else SIM_NONE */
    size_t stimulus;  /* SIM_NONE: competing work */
    size_t stop;      /* of the stimulus */
    uint64_t
        entity; /* a number that no other quantum, or pass of a stimulus, has in this run; from 1 */
    double amount; /* RESPONSE: transit; BEGIN: wait; END: work of the portion */
};

struct sim_observer {
    /* Each event in order of time; NULL: no events, which is faster. */
    void (*event)(void *context, const struct sim_event *event);
    /* Each response, in order, warm-up included; NULL. `time`: of its end. */
    void (*response)(void *context, size_t stimulus, double time, double transit);
    void *context;
};

struct sim_limits {
    uint64_t seed;
    uint64_t replication; /* has its own random numbers */
    uint64_t passes;      /* ends when the first stimulus has had so many; 0: no limit */
    uint64_t quanta;      /* ends when so many competing quanta have arrived; 0: no limit */
    double time;          /* ends then; 0: no limit */
    double warm_up;       /* nothing is counted before; passes and quanta count from there */
};

/* Entities in line at once: more is taken for a queue without end. */
#define SIM_QUEUE_MAX 1000000

/* Adds one replication to *tally (sim_tally_init() of the same model). False: `error`
 * has the reason: no limit is set, or a queue grew beyond SIM_QUEUE_MAX, or with traces alone
 * nothing is to come. */
bool sim_simulate(const struct sim_model *model, const struct sim_limits *limits,
                  const struct sim_observer *observer, struct sim_tally *tally,
                  char error[SIM_LAW_ERROR_MAX]);
