/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One pass of one stimulus, followed through every block, and the account of its response: where
 * the time between the stimulus and the end of its last portion went. Causes of delay are those of
 * Shub's section 3.4. Each instant belongs to one of them, so that they add up to the transit.
 * Others' switches and messages are part of the wait for them; interrupts never are.
 *
 * Times are counted from the stimulus in steps of SIM_FOLLOW_STEP of the model's unit, as integers:
 * sums are exact.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/sim/engine/engine.h"
#include "tools/sim/model/model.h"

#define SIM_FOLLOW_STEP 1e-9

/* Where a response's time goes. */
enum sim_delay {
    SIM_DELAY_WORK,      /* its portions' own service times */
    SIM_DELAY_PREEMPTED, /* 1: begun, and something more urgent has the processor */
    SIM_DELAY_PROCESSOR, /* 2a: sent on, and the receiver does not have the processor yet */
    SIM_DELAY_QUEUE,     /* 2b: sent on, and the receiver is at other stimuli, or waits for one */
    SIM_DELAY_FIRST,     /* 3: on arrival the processor is at something else, until it begins */
    SIM_DELAY_STATION,   /* at a station, and all of its servers are busy */
    SIM_DELAY_TRANSMISSION, /* to another processor */
    SIM_DELAY_KERNEL,       /* overheads around its portions: switch, receive, send */
    SIM_DELAY_INTERRUPTS,   /* overheads of arrivals, its own included */
    SIM_DELAYS,
};

/* "work", "preempted", "processor", "queue", "first", "station", "transmission", "kernel",
 * "interrupts". */
const char *sim_delay_name(enum sim_delay delay);

enum sim_holder_kind {
    SIM_HOLDER_NONE,
    SIM_HOLDER_ENTITY,
    SIM_HOLDER_INTERRUPT, /* overhead of arrivals */
    SIM_HOLDER_KERNEL,    /* that gives it to the one that is followed */
    SIM_HOLDER_STATION,   /* others have all servers of a station */
};

/* Who has a processor; of an entity the rest, as in struct sim_event. */
struct sim_holder {
    enum sim_holder_kind kind;
    size_t load, stimulus, process;
    uint64_t entity;
};

struct sim_share {
    struct sim_holder who;
    int64_t time;
};

enum sim_step_kind {
    SIM_STEP_ARRIVES,
    SIM_STEP_READY, /* in line, or in the queue of its process */
    SIM_STEP_BEGINS,
    SIM_STEP_PREEMPTED,
    SIM_STEP_RESUMES,
    SIM_STEP_ENDS,
    SIM_STEP_SENT, /* to another processor */
    SIM_STEP_RESPONSE,
};

struct sim_step {
    enum sim_step_kind kind;
    int64_t at;      /* since the stimulus */
    int64_t length;  /* BEGINS: waited; RESUMES: was preempted; ENDS: the portion's work */
    size_t stop;     /* of the stimulus; SENT: that it goes to */
    size_t ahead;    /* READY: in line or running at its level and above, where it gets in line */
    size_t messages; /* READY: in its process's queue before it, the one being served included */
    bool is_seated;  /* READY: its process was in line already, or running */
    bool is_waiting; /* READY: its process waits for another one alone */
    struct sim_holder by;     /* PREEMPTED: who has the processor then */
    struct sim_share *shares; /* BEGINS, RESUMES: who had it meanwhile, in order of first time */
    size_t share_count, share_capacity;
};

struct sim_follow {
    const struct sim_model *model;
    size_t stimulus;
    uint64_t pass; /* from 1 */
    bool done;     /* its response has come */
    double arrival;
    struct sim_step *steps;
    size_t step_count, step_capacity;
    int64_t delay[SIM_DELAYS];
    int64_t transit; /* their sum */
    struct sim_follow_state *state;
};

/* Follows pass `pass` of a stimulus; the model must outlive it. */
void sim_follow_init(struct sim_follow *follow, const struct sim_model *model, size_t stimulus,
                     uint64_t pass);
void sim_follow_free(struct sim_follow *follow);

/* Simulates from the begin until the pass has had its response, with the seed and the replication
 * of `limits`. False: it never has, and `error` has the reason. */
bool sim_follow_run(struct sim_follow *follow, const struct sim_limits *limits,
                    char error[SIM_LAW_ERROR_MAX]);

/* For a terminal: each step, then the account. Of one that is done. */
void sim_follow_print(FILE *out, const struct sim_follow *follow);
struct json;
/* As members of the object that is open: stimulus, pass, arrival, steps, account, transit. */
void sim_follow_json(struct json *json, const struct sim_follow *follow);
