/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Think and wait (Endo et al. 1996, section 2.3 and figure 2): when does a user wait for the
 * machine, and when is it waiting for the user? A state machine over what the trace reports:
 *
 *     processor         busy, or idle: a segment of the idle thread (accounting.h)
 *     arrived           an input has arrived, and its message is in no queue yet (think_wait.c):
 *                       the interrupt's handler and the driver are at it
 *     queue             of any application: holds a message that brings an input, or not
 *     synchronous I/O   a request is outstanding, or none
 *     at work           an application took an input and has not come to its end: neither
 *                       input_done of its queue for it or a later one, nor, where the thread has no
 *                       input_done in any of the bench's traces, its next call of the message API
 *                       (section 2.4), as interactive.h has it; nor has the thread ended
 *
 * The user waits while an input has arrived or the queue holds one, or synchronous I/O is
 * outstanding, or an application is at work on an input; else thinks, whatever the processor does
 * then: that is background work, as asynchronous I/O is.
 *
 * Each tick of the trace is in exactly one state, so that their times sum to what elapsed without a
 * rest. What takes no tick is no state: a transition is where one tick's state is not that of the
 * tick before.
 *
 * Each part of a trace begins with nothing queued, outstanding or at work. A gap, and what events
 * in conflict left of knowledge, is THINK_UNKNOWN; so is what follows until the processor is known
 * again and every queue has been found empty by a call. What was outstanding or at
 * work before is taken to have ended by then.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/trace/accounting.h"

/*
 * States of think and wait, machines that know more or less, and their claims (think_wait.h).
 */

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
                                has an input from a call, to its next call (think_wait.c) */
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

/* "think_idle", "wait_queued", ...; "unknown". */
const char *think_wait_state_name(enum think_wait_state state);

struct think_wait_transition {
    uint64_t tsc;
    uint32_t part; /* of the trace, from 1 */
    uint8_t from, to;
    /* Of the ticks before and behind it: what differs is its cause. */
    struct think_wait_inputs before, after;
};

#define THINK_WAIT_CAUSE_MAX 96

/* "input arrived", "work begins, queue empty": what differs. */
const char *think_wait_cause(const struct think_wait_transition *transition,
                             char text[THINK_WAIT_CAUSE_MAX]);

#define THINK_WAIT_TRANSITIONS_MAX (1u << 20) /* that are kept */

struct think_wait {
    bool present;     /* the traces report inputs in queues, or of synchronous I/O */
    uint64_t elapsed; /* of all parts of the trace */
    uint64_t begin;   /* TSC, of the first */

    uint64_t ticks[THINK_WAIT_STATES];
    uint64_t visits[THINK_WAIT_STATES];
    uint64_t matrix[THINK_WAIT_STATES][THINK_WAIT_STATES]; /* transitions, from and to */

    /* In order; the first THINK_WAIT_TRANSITIONS_MAX of `transition_count`. */
    struct think_wait_transition *transitions;
    size_t kept;
    uint64_t transition_count;

    struct think_wait_verdict machines[THINK_WAIT_MACHINES];
    struct think_wait_spans spans[THINK_WAIT_MACHINES];

    /* Stretches of wait without think in between. */
    uint64_t waits;
    uint64_t longest;
    uint64_t longest_at; /* TSC, where waits > 0 */

    /* Of these, those that a user perceives (section 2.3): longer than so much. */
    uint64_t perceptible;
    uint64_t noticed;
    uint64_t noticed_ticks;
};

/* Reads the traces, twice; waits of more than `perceptible` ticks are noticed. False where their
 * bytes could not be read. think_wait_free() in any case. */
bool think_wait_read(struct think_wait *think_wait, const struct run_bench *bench,
                     uint64_t perceptible);
void think_wait_free(struct think_wait *think_wait);

/* Wait, of all states. */
uint64_t think_wait_waited(const struct think_wait *think_wait);
/* Elapsed time that no state has, or has twice: 0. */
int64_t think_wait_residual(const struct think_wait *think_wait);
