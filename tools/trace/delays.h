/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Causes of a thread's delays. For its slowest wake-ups, shows who had the processor between the
 * moment when the thread became ready and the moment when it ran, and why, in ticks that sum to the
 * delay.
 *
 * A delay is a wake-up, from thread_ready to the thread_switch to the thread, or a wait for a lock
 * that another thread holds. The latter lasts from lock_wait to the switch to the thread (or to its
 * lock_acquire, if it never left the processor) and includes the wake-up at its end.
 *
 * It is built from the segments of accounting.h and needs memory only for the slowest delays,
 * whatever the length of the trace. With several processors, it shows what happened on the one that
 * the thread was waiting for: its own, or that of the holder of the lock. The time that the tracer
 * took in between is one link at the end of the chain.
 */
#pragma once

#include "tools/trace/accounting.h"

#define DELAY_LINKS_MAX 66 /* two links are reserved for "others" and the tracer */

/* Why another had the processor. Priorities are those in force at that moment, including inherited
 * ones. */
enum delay_why {
    DELAY_HIGHER,   /* a thread of higher priority */
    DELAY_FIRST,    /* a thread of the same priority that came first */
    DELAY_LOWER,    /* a thread of lower priority, not preempted yet */
    DELAY_HOLDS,    /* a thread that holds the lock, or a lock that its holder waits for */
    DELAY_HANDS_ON, /* a thread that has released the lock but not yet woken the next owner */
    /* a thread of lower priority than this one, but not lower than the holder of the lock */
    DELAY_INVERSION,
    DELAY_HOLDER_WAITS, /* nothing prevents the holder from running: it waits for something else */
    DELAY_SELF,         /* the thread itself, before its wait began */
    DELAY_INTERRUPT,
    DELAY_DEFERRED,
    DELAY_DISPATCH,
    DELAY_TRACER,
    DELAY_QUANTUM, /* a thread of the same priority, whose quantum ends */
    DELAY_IPI,     /* nothing prevents it, but its processor does not know yet */
    DELAY_OTHERS,  /* the rest of a chain with more links than there is space for */
    DELAY_WHYS,
};

struct delay_link {
    enum account_kind kind;
    uint32_t id;
    enum delay_why why;
    uint32_t lock; /* lock, for DELAY_HOLDS and DELAY_HANDS_ON */
    uint32_t cpu;  /* number of the processor, plus 1; 0: there is only one */
    uint64_t ticks;
};

struct delay {
    uint64_t number; /* number among the thread's delays, from 1 */
    uint32_t part;   /* part of the trace */
    uint64_t origin; /* TSC at which that part begins */
    uint64_t from, to;
    bool for_lock;
    uint32_t lock;   /* lock that was waited for */
    uint32_t holder; /* holder of the lock at that time */
    bool woken;
    uint32_t by; /* who made the thread ready, as TRACE_BY */
    bool folded; /* there were more links: some were added to earlier, equal ones */
    size_t link_count;
    struct delay_link links[DELAY_LINKS_MAX];
};

struct delays {
    uint32_t thread;
    size_t wanted;
    struct delay *slowest; /* longest first; of equal ones, the earlier first */
    size_t count;
    uint64_t seen;       /* wake-ups and waits for locks that are complete in the trace */
    uint64_t lock_waits; /* waits for locks among these */
    uint64_t cut;        /* delays cut by a gap, a conflict or the end of a part */
    /* The following members describe the delay in progress. */
    bool active;
    bool waited; /* the thread has left the processor since it began */
    struct delay now;
    uint64_t tracer;
    uint64_t origin;
    size_t followed;  /* index of the processor that it waits for */
    bool signalled;   /* no event of that processor since another one made the thread ready there */
    uint64_t covered; /* TSC up to which the delay is explained */
    uint64_t last;    /* TSC of the last event, and its processor */
    size_t last_on;
};

/* Prepares to collect the `wanted` slowest delays, at least 1, of one thread. */
void delays_init(struct delays *delays, uint32_t thread, size_t wanted);
void delays_free(struct delays *delays);

/* Returns the observer to pass to accounting_read(). */
struct account_observer delays_observer(struct delays *delays);
