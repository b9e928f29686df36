/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which thread of a trace an entity of a simulation is: a process is one for good; a quantum,
 * or a portion that no process serves, takes the first of its level's threads that is free, and
 * gives it back when it ends. So there are as many threads as there were entities at once.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/sim/engine/engine.h"
#include "tools/sim/model/model.h"

#define SIM_THREAD_IDLE   0
#define SIM_THREAD_NONE   UINT16_MAX
#define SIM_THREADS_FIRST 2 /* 0 and 1 are the idle thread and a bench's in every trace */

struct sim_thread {
    char *name;
    size_t processor;
    size_t level;
    bool told;       /* by thread_is or thread_start */
    bool awake;      /* ready or running */
    uint64_t entity; /* that has it; 0: none, or it is a process */
};

/* Of a processor's level. */
struct sim_thread_pool {
    uint16_t *threads;
    size_t count, capacity;
};

struct sim_threads {
    const struct sim_model *model;
    struct sim_thread *item; /* by number; the first SIM_THREADS_FIRST are no entity's */
    size_t count, capacity;
    struct sim_thread_pool *pools; /* [processor * levels + level] */
};

/* With the model's processes; the model must outlive it. */
void sim_threads_init(struct sim_threads *threads, const struct sim_model *model);
void sim_threads_free(struct sim_threads *threads);

/* The number of the thread of an event's entity; of a quantum one is taken where it has none, but
 * not `busy`, which has yet to leave the processor. SIM_THREAD_NONE: there are `most` already. */
uint16_t sim_threads_take(struct sim_threads *threads, const struct sim_event *event, uint16_t busy,
                          size_t most);
/* The quantum has ended. */
void sim_threads_release(struct sim_threads *threads, uint16_t thread);
/* Of a process. */
uint16_t sim_threads_of_process(size_t process);
