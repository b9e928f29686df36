/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A schedule that is played (model_play.h): what arrives when and is how much work, and room for
 * what comes of it. Threads and stations read the same one.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/plan/program.h"

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
    uint32_t processor;
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
    uint32_t processor;
    uint32_t process; /* PROGRAM_NONE: none */
    bool awaits;
    uint64_t *work;    /* of each pass */
    uint64_t *transit; /* ticks, of each pass, where it comes from another processor; else NULL */
};

struct play_process {
    const char *name;
    uint32_t level;
    uint32_t processor;
};

struct play {
    const char *level[PROGRAM_LEVELS_MAX]; /* names; NULL: unnamed */
    /* The machine's (kernel/smp/processor.h); the first is the kernel's. 0: that alone. */
    size_t processor[PROGRAM_PROCESSORS_MAX];
    size_t processor_count;
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
    /* Ticks that the handler took, of each arrival as in `late`, without handlers that came in
     * between; 0: it arrived at a station. */
    int64_t *handled;
    size_t late_count;
    uint64_t start;   /* TSC */
    uint64_t crowded; /* quanta that found no free thread */
    uint64_t lost;    /* messages and quanta that found no room */
    bool complete;    /* it ended before the horizon */
    bool deserted;    /* a processor did not begin, or did not come to its end */
};

#define PLAY_HOME 0 /* the processor that has threads */

/* Kinds of events between processors, and of a station. */
enum play_event {
    PLAY_LOAD,     /* a quantum arrives: load, which */
    PLAY_STIMULUS, /* a stimulus arrives, or at home is to be timed: stimulus, pass */
    PLAY_STOP,     /* a portion is asked for: tag and value */
    PLAY_DONE,     /* to home: all is done */
};
