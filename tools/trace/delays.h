/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Who delayed a thread? For its slowest wake-ups, who had the processor between the moment when the
 * thread became ready and the moment when it ran, and why; in ticks that sum to the delay.
 *
 * A delay is a wake-up, from thread_ready to the thread_switch to the thread; or a wait for a lock
 * that somebody holds, from its lock_wait to the switch to the thread (or its lock_acquire, where
 * it never left the processor), the wake-up at its end included.
 *
 * Lives on accounting.h's segments; memory for the slowest delays, whatever the length of the
 * trace. What the tracer took in between is one link at the end of the chain.
 */
#pragma once

#include "tools/trace/accounting.h"

#define DELAY_LINKS_MAX 66 /* of which two are kept for "others" and the tracer */

/* Priorities are those in force at that moment: inheritance counts. */
enum delay_why {
    DELAY_HIGHER,       /* a thread of higher priority */
    DELAY_FIRST,        /* of the same priority: it came first */
    DELAY_LOWER,        /* of lower priority: not preempted yet */
    DELAY_HOLDS,        /* holds the lock, or one that its holder waits for */
    DELAY_HANDS_ON,     /* has released it, and not yet woken who is next */
    DELAY_INVERSION,    /* of lower priority, but not lower than that of the lock's holder */
    DELAY_HOLDER_WAITS, /* nothing in the way: the lock's holder waits for something else */
    DELAY_SELF,         /* the thread itself, on its way into the wait */
    DELAY_INTERRUPT,
    DELAY_DEFERRED,
    DELAY_DISPATCH,
    DELAY_TRACER,
    DELAY_OTHERS, /* of a chain with more links than there is room for */
    DELAY_WHYS,
};

struct delay_link {
    enum account_kind kind;
    uint32_t id;
    enum delay_why why;
    uint32_t lock; /* of DELAY_HOLDS and DELAY_HANDS_ON */
    uint64_t ticks;
};

struct delay {
    uint64_t number; /* among the thread's delays, from 1 */
    uint32_t part;   /* of the trace */
    uint64_t origin; /* TSC where that part begins */
    uint64_t from, to;
    bool for_lock;
    uint32_t lock;   /* the lock that was waited for */
    uint32_t holder; /* who held the lock then */
    bool woken;
    uint32_t by; /* who made the thread ready, as TRACE_BY */
    bool folded; /* there were more links: some were added to earlier ones of the same */
    size_t link_count;
    struct delay_link links[DELAY_LINKS_MAX];
};

struct delays {
    uint32_t thread;
    size_t wanted;
    struct delay *slowest; /* the longest first; the earlier of equals */
    size_t count;
    uint64_t seen;       /* wake-ups and waits for locks that were whole */
    uint64_t lock_waits; /* of these */
    uint64_t cut;        /* by a gap, a conflict or the end of a part */
    /* The one under way. */
    bool active;
    bool waited; /* left the processor since */
    struct delay now;
    uint64_t tracer;
    uint64_t origin;
};

/* Of one thread, the `wanted` slowest, at least 1. */
void delays_init(struct delays *delays, uint32_t thread, size_t wanted);
void delays_free(struct delays *delays);

/* For accounting_read(). */
struct account_observer delays_observer(struct delays *delays);
