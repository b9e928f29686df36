/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A schedule to be run (model_play.h): what arrives when, how much work it is, and room for the
 * results.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/plan/program.h"

#define PLAY_WAITING_MAX 1024 /* largest number of entries that wait in one line */

/* The work of a portion, as tag and value of the message that asks for it. */
/* or'ed with the number of the load; the value is the number of its quantum */
#define PLAY_TAG_LOAD            0x8000u
#define PLAY_TAG(stimulus, pass) ((uint16_t)((uint32_t)(stimulus) << 12 | ((uint32_t)(pass)&0xfff)))
#define PLAY_STIMULUS(tag)       ((tag) >> 12)
#define PLAY_VALUE(stop, pass)   ((uint32_t)(stop) << 24 | (uint32_t)(pass))
#define PLAY_STOP(value)         ((value) >> 24)
#define PLAY_PASS(value)         ((value)&0xffffff)

struct play_portion {
    uint16_t tag;
    uint32_t value;
    int64_t begin; /* TSC */
    int64_t end;   /* 0: it had not ended when the run did */
};

/* A load: a source of competing quanta. Here and below, times are in ticks since the start of the
 * run, and work is in iterations of idle_loop_spin(). */
struct play_load {
    uint32_t level;
    uint32_t processor;
    uint64_t *at; /* times of the quanta, ascending */
    uint64_t *work;
    size_t count;
};

struct play_stimulus {
    /* ascending; if the stimulus cycles, only the first is known beforehand, and each later one is
     * set when the pass before it ends */
    uint64_t *at;
    size_t count; /* largest number of passes */
    bool cycles;
    bool is_trace;
    uint64_t delay;
    size_t first_stop, stop_count;
    /* room for `count` values; ticks, in the order in which the responses ended */
    int64_t *responses;
    size_t response_count;
};

struct play_stop {
    uint32_t level;
    uint32_t processor;
    uint32_t process; /* PROGRAM_NONE: no process serves it */
    bool awaits;
    uint64_t *work; /* work of each pass */
    /* time of the message on its way here, for each pass; NULL unless it comes from another
     * processor */
    uint64_t *transit;
};

struct play_process {
    const char *name;
    uint32_t level;
    uint32_t processor;
};

struct play {
    const char *level[PROGRAM_LEVELS_MAX]; /* names; NULL: unnamed */
    size_t processor_count;                /* 0 is the same as 1 */
    struct play_process process[PROGRAM_PROCESSES_MAX];
    size_t process_count;
    struct play_load load[PROGRAM_LOADS_MAX];
    size_t load_count;
    struct play_stimulus stimulus[PROGRAM_STIMULI_MAX];
    size_t stimulus_count;
    struct play_stop stop[PROGRAM_STOPS_MAX];
    size_t stop_count;
    bool turns; /* a process serves one stimulus per turn */
    /* The run ends when the first stimulus has this many responses and, if it is a trace, all other
     * traces have theirs. 0: it ends when everything is done. */
    uint64_t passes;
    uint64_t horizon; /* the run ends at this time at the latest */
    /* Set by the run. The arrays must have room for play_portions() and play_arrivals() elements.
     */
    struct play_portion *portions; /* in the order in which they began */
    size_t portion_count;
    int64_t *late; /* for each arrival: how late the timer's handler began */
    /* For each arrival, in the order of `late`: ticks that the handler ran, without handlers that
     * interrupted it. 0: it had not ended when the run did. */
    int64_t *handled;
    size_t late_count;
    uint64_t start;   /* TSC */
    uint64_t crowded; /* quanta that found no free thread */
    uint64_t lost;    /* messages and quanta that found no room */
    bool complete;    /* the run ended before the horizon */
};
