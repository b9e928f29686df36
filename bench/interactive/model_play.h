/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A schedule of the response-time model, played on threads: what arrives when, and how much work it
 * is, is all drawn before. Rules: tools/sim/model.h.
 *
 * Competing quanta, and portions that no process serves, are work for a pool of threads a level: a
 * free one gets in line behind all others of its level when its quantum arrives, as a transaction
 * does. Where none is free the quantum waits beside, and gets in line when one has become free,
 * which is again behind all others: the order is the same, unless the level has processes too.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/model/program.h"

#define PLAY_WAITING_MAX 1024 /* quanta of a level that wait for a thread of its pool */

/* What a portion of work is of: the tag and the value of the message that asks for it. */
#define PLAY_TAG_LOAD            0x8000u /* | load; value: which of its quanta */
#define PLAY_TAG(stimulus, pass) ((uint16_t)((uint32_t)(stimulus) << 12 | ((uint32_t)(pass)&0xfff)))
#define PLAY_STIMULUS(tag)       ((tag) >> 12)
#define PLAY_VALUE(stop, pass)   ((uint32_t)(stop) << 24 | (uint32_t)(pass))
#define PLAY_STOP(value)         ((value) >> 24)
#define PLAY_PASS(value)         ((value)&0xffffff)

struct play_portion {
    uint16_t tag;
    uint32_t value;
    int64_t begin; /* TSC */
    int64_t end;   /* 0: it had not ended when the play did */
};

/* Times in ticks from the begin of the play, work in iterations of idle_loop_spin(). */
struct play_load {
    uint32_t level;
    uint64_t *at; /* ascending */
    uint64_t *work;
    size_t count;
};

struct play_stimulus {
    uint64_t *at; /* ascending; where it cycles, of the first pass, and set as it goes */
    size_t count; /* passes that there may be */
    bool cycles;
    bool is_trace;
    uint64_t delay;
    size_t first_stop, stop_count;
    int64_t *responses; /* room for `count`: ticks, in the order of their ends */
    size_t response_count;
};

struct play_stop {
    uint32_t level;
    uint32_t process; /* PROGRAM_NONE: none */
    bool awaits;
    uint64_t *work; /* of each pass */
};

struct play_process {
    const char *name;
    uint32_t level;
};

struct play {
    const char *level[PROGRAM_LEVELS_MAX]; /* names; NULL: unnamed */
    struct play_process process[PROGRAM_PROCESSES_MAX];
    size_t process_count;
    struct play_load load[PROGRAM_LOADS_MAX];
    size_t load_count;
    struct play_stimulus stimulus[PROGRAM_STIMULI_MAX];
    size_t stimulus_count;
    struct play_stop stop[PROGRAM_STOPS_MAX];
    size_t stop_count;
    bool turns; /* one stimulus a turn */
    /* Ends when the first stimulus has so many responses and, if it is a trace, all of other traces
     * have theirs; 0: when all is done. */
    uint64_t passes;
    uint64_t horizon; /* ends then at the latest */
    /* By the play; room for play_portions() and play_arrivals() of them: */
    struct play_portion *portions; /* in the order of their begins */
    size_t portion_count;
    int64_t *late; /* how late a timer's handler began, of each arrival */
    size_t late_count;
    uint64_t start;   /* TSC */
    uint64_t crowded; /* quanta that found no free thread */
    uint64_t lost;    /* messages and quanta that found no room */
    bool complete;    /* it ended before the horizon */
};

/* At most so many of each. */
size_t play_arrivals(const struct play *play);
size_t play_portions(const struct play *play);

/* In a session (kernel/task/thread.h) that has no threads yet. False: there are not threads enough,
 * or no memory. */
bool play_run(struct play *play);
