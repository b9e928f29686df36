/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * States of think and wait, machines that know more or less, and their claims (think_wait.h).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum think_wait_state {
    THINK_IDLE,       /* nothing to do */
    THINK_BUSY,       /* background: the processor works, the user does not wait */
    WAIT_QUEUED,      /* an input arrived or is queued, none is at work; the processor is busy */
    WAIT_QUEUED_IDLE, /* the same, and the processor idles: no thread takes it */
    WAIT_WORK,        /* an application is at work, and the processor busy */
    WAIT_WORK_IDLE,   /* the same, and it idles: paced animation, asynchronous I/O for the event */
    WAIT_IO,          /* synchronous I/O outstanding; the processor is busy with something */
    WAIT_IO_IDLE,     /* the same, and it idles */
    THINK_UNKNOWN,    /* a gap of the trace */
    THINK_WAIT_STATES,
};

static inline bool think_wait_waits(enum think_wait_state state)
{
    return state >= WAIT_QUEUED && state <= WAIT_IO_IDLE;
}

/* Of the complete machine, and of those that know less. */
enum think_wait_machine {
    MACHINE_COMPLETE,
    MACHINE_PROCESSOR,       /* waits while the processor is busy */
    MACHINE_PROCESSOR_QUEUE, /* waits while the queue holds an input, and from then on until the
                                processor idles */
    MACHINE_PROCESSOR_CALLS, /* the paper's: waits from the begin of the busy time in which a thread
                                has an input from a call, to its next call (claims.h) */
    THINK_WAIT_MACHINES,
};

/* What the state depends on; where not known, nothing else is set. */
struct think_wait_inputs {
    bool known;
    bool busy;
    bool arrived;
    bool queued;
    bool work;
    bool io;
};

#define THINK_WAIT_SPANS_MAX (1u << 20) /* of each machine */

/* The claim of a machine that knows less about some time. */
enum think_wait_claim { CLAIM_THINK, CLAIM_WAIT, CLAIM_UNKNOWN };

/* A stretch of time with one claim of a machine. */
struct think_wait_span {
    uint64_t from, to; /* TSC */
    uint8_t claim;     /* of the complete machine: enum think_wait_state; else think_wait_claim */
};

struct think_wait_spans {
    struct think_wait_span *span; /* in order; what no span covers, no trace reports */
    size_t count, capacity;
    bool cut; /* there are more than the first THINK_WAIT_SPANS_MAX */
};

/* What a machine calls wait, over all ticks that are known; false_wait and missed are against the
 * complete one. */
struct think_wait_verdict {
    uint64_t wait;
    uint64_t false_wait; /* called wait, and is think */
    uint64_t missed;     /* called think, and is wait */
};
