/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Think and wait (Endo et al. 1996, section 2.3 and figure 2): when does a user wait for the
 * machine, and when does the machine wait for the user? A state machine over the events of the
 * trace:
 *
 *     processor         busy, or idle: a segment of the idle thread (accounting.h)
 *     arrived           an input has arrived and its message is in no queue yet (think_wait.c): the
 *                       interrupt handler and the driver are handling it
 *     queue             the queue of any application holds a message that brings an input, or none
 *                       does
 *     synchronous I/O   a request is outstanding, or none
 *     at work           an application took an input and has not ended it. It ends with the queue's
 *                       input_done for this or a later input or, if the thread has no input_done in
 *                       any of the bench's traces, with its next call of the message API (section
 *                       2.4), as in interactive.h; or when the thread ends
 *
 * The user waits while an input has arrived or the queue holds one, while synchronous I/O is
 * outstanding, or while an application is at work on an input. Otherwise the user thinks, whatever
 * the processor does: that is background work, and so is asynchronous I/O.
 *
 * Between the phases of a bench (mark MARK_NAME_OVER, bench/interactive/names.h) there is no user:
 * that time is in no state and not counted as elapsed.
 *
 * Each other tick of the trace is in exactly one state, so that the times of all states add up to
 * the elapsed time. What takes no tick is not a state: a transition is where the state of a tick
 * differs from that of the tick before.
 *
 * With several processors, the processor above is all of them: idle if each of them is, busy if one
 * is not, unknown if one of them is (busy.h). Queues, I/O, and work are the same on whichever
 * processor a thread runs, so who waits does not depend on the number of processors. A thread that
 * always computes leaves no idle state, as on one processor.
 *
 * At the start of each part of a trace, nothing is queued, outstanding or at work. After a gap in
 * the trace or contradictory events, the state is THINK_UNKNOWN until the processor is known again
 * and a call has found every queue empty. What was outstanding or at work before is assumed to have
 * ended by then.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/trace/accounting.h"

/*
 * States of think and wait, the machines with more or less knowledge, and their claims.
 */

enum think_wait_state {
    THINK_IDLE,  /* nothing to do */
    THINK_BUSY,  /* background: the processor works, the user does not wait */
    WAIT_QUEUED, /* an input arrived or is queued, none is at work; the processor is busy */
    /* an input arrived or is queued, and the processor is idle: no thread takes the input */
    WAIT_QUEUED_IDLE,
    WAIT_WORK, /* an application is at work, and the processor is busy */
    /* an application is at work, and the processor is idle: paced animation, or asynchronous I/O
     * for the event */
    WAIT_WORK_IDLE,
    WAIT_IO,       /* synchronous I/O is outstanding; the processor is busy with something */
    WAIT_IO_IDLE,  /* synchronous I/O is outstanding, and the processor is idle */
    THINK_UNKNOWN, /* a gap in the trace */
    THINK_WAIT_STATES,
};

static inline bool think_wait_waits(enum think_wait_state state)
{
    return state >= WAIT_QUEUED && state <= WAIT_IO_IDLE;
}

/* The complete machine, and those that know less. */
enum think_wait_machine {
    MACHINE_COMPLETE,
    MACHINE_PROCESSOR, /* waits while the processor is busy */
    /* waits from when the queue holds an input until the processor is idle and the queue holds none
     */
    MACHINE_PROCESSOR_QUEUE,
    /* The paper's state machine. The user waits from the start of the busy period in which a call
     * returns an input to a thread, until that thread's next call (think_wait.c). */
    MACHINE_PROCESSOR_CALLS,
    THINK_WAIT_MACHINES,
};

/* What the state depends on. If not `known`, nothing else is set. */
struct think_wait_inputs {
    bool known;
    bool busy;
    bool arrived;
    bool queued;
    bool work;
    bool io;
};

#define THINK_WAIT_SPANS_MAX (1u << 20) /* largest number of spans of each machine */

/* The claim of a machine that knows less, about some time. */
enum think_wait_claim { CLAIM_THINK, CLAIM_WAIT, CLAIM_UNKNOWN };

/* An interval with one claim of a machine. */
struct think_wait_span {
    uint64_t from, to; /* TSC */
    uint8_t claim;     /* complete machine: enum think_wait_state; others: enum think_wait_claim */
};

struct think_wait_spans {
    struct think_wait_span *span; /* in order; time that no span covers is in no trace */
    size_t count, capacity;
    bool cut; /* spans beyond the first THINK_WAIT_SPANS_MAX were left out */
};

/* What a machine calls wait, over all known ticks. false_wait and missed are relative to the
 * complete machine. */
struct think_wait_verdict {
    uint64_t wait;
    uint64_t false_wait; /* ticks called wait that are think */
    uint64_t missed;     /* ticks called think that are wait */
};

/* Returns "think_idle", "wait_queued", ..., or "unknown". */
const char *think_wait_state_name(enum think_wait_state state);

struct think_wait_transition {
    uint64_t tsc;
    uint32_t part; /* part of the trace, from 1 */
    uint8_t from, to;
    /* State of the ticks before and after it; their difference is its cause. */
    struct think_wait_inputs before, after;
};

#define THINK_WAIT_CAUSE_MAX 96

/* Writes the cause, such as "input arrived" or "work begins, queue empty". Returns `text`. */
const char *think_wait_cause(const struct think_wait_transition *transition,
                             char text[THINK_WAIT_CAUSE_MAX]);

#define THINK_WAIT_TRANSITIONS_MAX (1u << 20) /* transitions that are kept */

struct think_wait {
    bool present;     /* the traces contain inputs in queues, or synchronous I/O */
    uint64_t elapsed; /* ticks of all parts of the trace, without those that have no user */
    uint64_t begin;   /* TSC of the start of the first part */

    uint64_t ticks[THINK_WAIT_STATES];
    uint64_t visits[THINK_WAIT_STATES];
    uint64_t matrix[THINK_WAIT_STATES][THINK_WAIT_STATES]; /* number of transitions, [from][to] */

    /* In order; the first THINK_WAIT_TRANSITIONS_MAX of `transition_count`. */
    struct think_wait_transition *transitions;
    size_t kept;
    uint64_t transition_count;

    struct think_wait_verdict machines[THINK_WAIT_MACHINES];
    struct think_wait_spans spans[THINK_WAIT_MACHINES];

    /* Waits: intervals of wait without think in between. */
    uint64_t waits;
    uint64_t longest;
    uint64_t longest_at; /* TSC; valid if waits > 0 */

    /* Waits that a user perceives (section 2.3): those longer than `perceptible` ticks. */
    uint64_t perceptible;
    uint64_t noticed;
    uint64_t noticed_ticks;
};

struct think_wait_reading;  /* what the machine needs of the traces */
struct interactive_reading; /* interactive_reading.h */

/* Begins a reading: returns it, and its observer for accounting_read(). */
struct think_wait_reading *think_wait_seat(const struct run_bench *bench,
                                           struct account_observer *observer);
/* Ends and frees the reading: runs the machine. `inputs` were read in the same walk and have not
 * ended. Waits of more than `perceptible` ticks count as noticed. Call think_wait_free()
 * afterwards. */
void think_wait_end(struct think_wait_reading *reading, struct think_wait *think_wait,
                    const struct interactive_reading *inputs, const struct accounting *accounting,
                    uint64_t perceptible);
void think_wait_free(struct think_wait *think_wait);

/* Returns the ticks of all waiting states. */
uint64_t think_wait_waited(const struct think_wait *think_wait);
/* Returns the elapsed time minus the sum of all states. It must be 0. */
int64_t think_wait_residual(const struct think_wait *think_wait);
