/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Time line of a bench's traces: who did what at which time. For each thread it has the spans of
 * its states, from event to event. For each interrupt and deferred call it has the spans from entry
 * to exit, both as stamped, so that they lie within those of a running thread. Unknown time has no
 * spans. A disk has as many lanes as it had requests outstanding at once; each request is in the
 * first free lane.
 *
 * With several processors, each also has a lane for each thread that it ran; idle threads have no
 * other lanes. A handler's lane shows when any processor runs it.
 */
#pragma once

#include "tools/trace/accounting.h"
#include "tools/trace/disk_requests.h"

#define TIMELINE_DISK_LANES 8 /* lanes of a disk; further requests are only counted */

/* In the order of the legend. */
enum timeline_state {
    TIMELINE_RUNNING, /* including interrupts during that time */
    TIMELINE_WAITING,
    TIMELINE_READY,
    TIMELINE_IDLE, /* the idle thread runs */
    TIMELINE_INTERRUPT,
    TIMELINE_DEFERRED,
    TIMELINE_FAULT, /* waits for a page */
    TIMELINE_DISK,  /* a request to a disk is outstanding */
    /* the same for every other request of a lane, so that successive requests can be told apart */
    TIMELINE_DISK_NEXT,
    TIMELINE_STATES,
};

/* Returns the name of a state: "running", "page fault", ... */
const char *timeline_state_text(enum timeline_state state);

struct timeline_lane {
    enum account_kind kind; /* ACCOUNT_THREAD, ACCOUNT_VECTOR or ACCOUNT_DPC */
    bool is_disk;           /* requests to a disk, not an account */
    bool is_processor;      /* what a processor ran of a thread */
    uint32_t id;            /* for a disk: its index in disk_requests.disks */
    /* for a disk: number of the lane, from 0; for a processor: its index in accounting.cpus */
    uint32_t slot;
    uint64_t active; /* ticks in which it did not wait */
    size_t shown;    /* for use by the code that shows the lane */
    /* The following members describe the state after the last event. */
    bool open;
    uint32_t inside; /* invocations of the handler that have not returned */
    enum timeline_state state;
    uint64_t since;
    size_t last[TIMELINE_STATES]; /* index of the last span in each state, plus 1 */
};

/* A span, in ticks since the start of the first part; parts follow each other without a hole. */
struct timeline_span {
    uint64_t begin, end;
    uint32_t lane;
    enum timeline_state state;
};

#define TIMELINE_INTERVALS 200

/* What a processor did in an interval. */
struct timeline_interval {
    uint64_t known;
    uint64_t idle; /* of it, what its idle thread ran */
};

struct trace_timeline {
    uint64_t least;
    /* Ticks of an interval of the next two members, which are valid with several processors. The
     * caller sets it after timeline_init(); 0: they are not filled. */
    uint64_t interval;
    uint64_t ready[TIMELINE_INTERVALS]; /* sum of the times in which threads were ready */
    struct timeline_interval *processors[RUN_PROCESSORS_MAX]; /* by accounting.cpus; NULL: none */
    struct timeline_lane *lanes; /* in the order of their first events */
    size_t lane_count, lane_capacity;
    struct timeline_span *spans; /* ordered for each lane and state */
    size_t span_count, span_capacity;
    uint64_t crowded_out; /* requests for which no lane was free */
    /* The following members describe the state after the last event. */
    uint64_t origin; /* TSC that corresponds to time 0 */
    uint64_t now;
    uint32_t touched[2]; /* threads that the event may have changed; ACCOUNT_NO_THREAD: none */
    uint32_t *thread_lanes;
    uint32_t *processor_lanes[RUN_PROCESSORS_MAX]; /* by thread */
    uint64_t until[RUN_PROCESSORS_MAX];            /* end of its last segment */
    uint32_t ran[RUN_PROCESSORS_MAX]; /* lane of the thread that it runs, plus 1; 0: unknown */
    uint32_t handler_lanes[2][ACCOUNT_IDS];
};

/* Prepares a time line. In each lane and state, neighbouring spans are joined if one of them and
 * the time between them are shorter than `least` ticks; 0: none are. This limits their number,
 * whatever the length of the trace. */
void timeline_init(struct trace_timeline *timeline, uint64_t least);
void timeline_free(struct trace_timeline *timeline);

/* Adds lanes and spans for all requests. Call after disk_requests_end(). */
void timeline_add_requests(struct trace_timeline *timeline, const struct disk_requests *requests);

/* Returns the observer to pass to accounting_read(). */
struct account_observer timeline_observer(struct trace_timeline *timeline);
