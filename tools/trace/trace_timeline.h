/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who did what when, by a bench's traces: for each thread the spans of its states, from event to
 * event; for each interrupt and deferred call those from its entry to its exit, both as stamped, so
 * that they lie within a running thread's. Unknown time has no spans. A disk has as many lanes as
 * it had requests outstanding at once, each request in the first that is free.
 */
#pragma once

#include "tools/trace/accounting.h"
#include "tools/trace/disk_requests.h"

#define TIMELINE_DISK_LANES 8 /* of a disk; further requests are counted alone */

/* In the order in which a legend has them. */
enum timeline_state {
    TIMELINE_RUNNING, /* interrupts that come meanwhile included */
    TIMELINE_WAITING,
    TIMELINE_READY,
    TIMELINE_IDLE, /* the idle thread runs */
    TIMELINE_INTERRUPT,
    TIMELINE_DEFERRED,
    TIMELINE_FAULT,     /* waits for a page */
    TIMELINE_DISK,      /* a request to a disk is outstanding */
    TIMELINE_DISK_NEXT, /* the same, every other request of a lane: so each is seen */
    TIMELINE_STATES,
};

/* "running", "page fault", ... */
const char *timeline_state_text(enum timeline_state state);

struct timeline_lane {
    enum account_kind kind; /* ACCOUNT_THREAD, ACCOUNT_VECTOR or ACCOUNT_DPC */
    bool is_disk;           /* of requests to a disk, and no account */
    uint32_t id;            /* of a disk: its index in disk_requests.disks */
    uint32_t slot;          /* of a disk: 0 its first */
    uint64_t active;        /* ticks in which it did not wait */
    size_t shown;           /* free for who shows it */
    /* As of the last event. */
    bool open;
    enum timeline_state state;
    uint64_t since;
    size_t last[TIMELINE_STATES]; /* index of its last span in this state, + 1 */
};

/* Ticks since the begin of the first part; parts follow each other without a hole. */
struct timeline_span {
    uint64_t begin, end;
    uint32_t lane;
    enum timeline_state state;
};

struct trace_timeline {
    uint64_t least;
    struct timeline_lane *lanes; /* in the order of their first events */
    size_t lane_count, lane_capacity;
    struct timeline_span *spans; /* of a lane and a state in order */
    size_t span_count, span_capacity;
    uint64_t crowded_out; /* requests that found no free lane */
    /* As of the last event. */
    uint64_t origin; /* TSC that time 0 would be of */
    uint64_t now;
    uint32_t touched[2]; /* threads that the event may have changed; ACCOUNT_NO_THREAD */
    uint32_t *thread_lanes;
    uint32_t handler_lanes[2][ACCOUNT_IDS];
};

/* Of a lane and state, spans of which one is shorter than `least` ticks, and so is the time between
 * them, become one; 0: none do. Whatever the length of the trace, there are so few of them. */
void timeline_init(struct trace_timeline *timeline, uint64_t least);
void timeline_free(struct trace_timeline *timeline);

/* Adds lanes and spans of all requests. After disk_requests_end(). */
void timeline_add_requests(struct trace_timeline *timeline, const struct disk_requests *requests);

/* For accounting_read(). */
struct account_observer timeline_observer(struct trace_timeline *timeline);
