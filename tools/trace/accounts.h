/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The accounts of a bench's traces, which accounting.h fills in: threads, handlers and locks, each
 * with its sums and name.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

#define ACCOUNT_NO_THREAD 0x10000u
#define ACCOUNT_BINS      65 /* bin 0: 0 ticks; bin b: 2^(b-1) to 2^b - 1 ticks */
/* reasons of a wait that 5 bits can hold; those of enum wait_reason have names */
#define ACCOUNT_REASONS 32
#define ACCOUNT_IDS     256 /* number of ids: there are 256 vectors and as many DPCs */

enum account_kind {
    ACCOUNT_THREAD,
    ACCOUNT_FAULT,
    ACCOUNT_VECTOR,
    ACCOUNT_DPC,
    ACCOUNT_DISPATCH,
    ACCOUNT_TRACER,
    ACCOUNT_UNKNOWN,
    ACCOUNT_KINDS,
};

/* An interval that belongs to one account. The segments of a part follow each other without a hole.
 */
struct account_segment {
    uint64_t from;
    uint64_t to;
    enum account_kind kind;
    uint32_t id; /* thread, vector or DPC; otherwise 0 */
};

/* Distribution of lengths, in ticks. */
struct account_spread {
    uint64_t n;
    uint64_t total;
    uint64_t min, max; /* valid if n > 0 */
    uint64_t bins[ACCOUNT_BINS];
};

enum account_state {
    STATE_UNKNOWN,
    STATE_RUNNING,
    STATE_READY,
    STATE_WAITING,
    STATE_ENDED,
};

/* How a thread became ready. */
enum account_ready {
    READY_WOKEN,     /* by thread_ready */
    READY_STARTED,   /* by thread_start */
    READY_PREEMPTED, /* preempted by a thread that an interrupt made ready */
    READY_YIELDED,
    READY_OVERTAKEN, /* preempted by a thread that it made ready itself */
    READY_QUANTUM,   /* its quantum ended */
    READY_CAUSES,
};

/* What a thread or a handler had of one processor. */
struct account_share {
    uint64_t ticks; /* ticks of its account */
    uint64_t stamped;
    uint64_t charged; /* clock ticks charged to the thread */
};

/* How often a thread was made ready by a thread, vector or DPC. */
struct account_waker {
    uint32_t by; /* as TRACE_BY(); ACCOUNT_NO_THREAD: all for which there was no place */
    uint64_t n;
};
#define ACCOUNT_WAKERS 12

struct account_thread {
    uint32_t id;
    uint32_t process;
    uint8_t first_priority; /* priority in the first event that names the thread */
    bool described;         /* described by thread_is or thread_start */

    uint64_t life;
    uint64_t running; /* ticks of its account */
    uint64_t stamped; /* ticks from stamp to stamp, including what belongs to other accounts */
    uint64_t interrupted;
    uint64_t fault;
    uint64_t ready[READY_CAUSES];
    uint64_t waiting[ACCOUNT_REASONS];
    uint64_t unknown;

    uint64_t faults;
    uint64_t switches;    /* switches to the thread */
    uint64_t preemptions; /* switches away from it for WAIT_PREEMPTED */
    uint64_t wakeups;     /* number of thread_ready events */
    uint64_t charged;     /* clock ticks charged to it by sampling */
    /* from thread_ready to the switch to it: the sched latency of lttng-schedstats */
    struct account_spread wake;
    uint64_t migrations;
    uint64_t quantum_ends;
    uint64_t boosts; /* changes of its dynamic priority */
    struct account_waker wakers[ACCOUNT_WAKERS];
    size_t waker_count;

    /* The following members describe the state after the last event. */
    enum account_state state;
    enum account_ready ready_cause;
    uint8_t wait_reason;
    uint8_t priority;
    bool alive;
    bool in_fault;
    bool woken;       /* woken after `since`, by a thread_ready that was seen */
    bool preempted;   /* was preempted when it last left the processor */
    size_t home;      /* processor that it runs on, ran on last, or was moved to */
    size_t next_home; /* the same after it has left the processor */
    bool placed;      /* these are known */
    uint64_t since;   /* TSC at which it entered this state */
    uint64_t born;
    bool waits_for_lock;
    uint32_t lock; /* lock that it waits for */
    uint64_t lock_since;

    struct account_share on[]; /* by processor, as accounting.cpus */
};

/* A vector or a deferred call (DPC). */
struct account_handler {
    enum account_kind kind;
    uint32_t id;
    uint64_t ticks;   /* ticks of its account */
    uint64_t stamped; /* ticks from stamp to stamp, including what belongs to other accounts */
    /* The following members count only invocations whose entry and exit are in the trace. */
    /* ticks as in the account: without nested handlers and the tracer */
    struct account_spread net;
    /* from the stamp of the entry to that of the exit: the duration of lttng-irqstats */
    struct account_spread gross;
    uint64_t nested;              /* interrupts that directly interrupted it */
    struct account_spread queued; /* for a DPC: from dpc_queue to dpc_entry */
    bool is_queued;
    uint64_t queued_since;

    struct account_share on[]; /* by processor, as accounting.cpus */
};

/* A mutex, semaphore or pipe. */
struct account_lock {
    uint32_t id;
    uint64_t acquired;
    struct account_spread wait; /* from lock_wait to lock_acquire of the same thread */
    uint32_t longest_thread;    /* thread with the longest wait, if there was one */
    uint64_t longest_at;        /* time at which the longest wait began */
    bool owned;                 /* it can have a holder, which means that it is a mutex */
    /* who holds the lock after the last event; TRACE_NO_HOLDER: nothing holds it */
    uint32_t holder;
};

/* Contradictions between events. */
enum account_conflict {
    CONFLICT_SWITCH_OLD,
    CONFLICT_SWITCH_NEW,
    CONFLICT_SWITCH_HANDLER,
    CONFLICT_EXIT,
    CONFLICT_DEPTH,
    CONFLICT_DPC,
    CONFLICT_READY,
    CONFLICT_STATE,
    CONFLICT_START,
    CONFLICT_FAULT,
    CONFLICT_TICK,
    CONFLICT_TWICE,
    CONFLICT_UNMOVED,
    CONFLICT_MOVE,
    CONFLICT_QUANTUM,
    CONFLICTS,
};
/* Returns a description: "a switch from a thread that was not running". */
const char *account_conflict_text(enum account_conflict conflict);

/* The account of a processor. Its ticks sum to `elapsed`. */
struct account_cpu {
    uint32_t cpu;     /* its number: its index in `cpus`, if there are several */
    uint64_t elapsed; /* length of its traces */
    uint64_t ticks[ACCOUNT_KINDS];
    uint64_t idle;       /* of ticks[ACCOUNT_THREAD] */
    uint64_t switches;   /* thread_switch events */
    uint64_t migrations; /* threads moved here */
    uint64_t ipis;       /* interrupts sent to other processors */
    uint64_t quantum_ends;
    uint64_t clock_ticks;
    /* The following members describe the state after the last event. */
    uint32_t current; /* valid unless it is the processor that accounting.on tells */
    struct account_machine *machine;
    struct account_thread *idle_thread; /* NULL for the first processor: it is in `threads` */
};

struct accounting {
    const struct run_bench *bench;
    uint64_t elapsed; /* length of all parts */
    uint64_t total;   /* sum of the times of all processors in all parts */
    uint64_t dispatch, tracer, unknown;
    struct account_cpu *cpus; /* by number; one if no part has several */
    size_t cpu_count;
    /* In the order of their first events. Thread 0 is the sum of all idle threads, once all traces
     * have been read. */
    struct account_thread **threads;
    size_t thread_count;
    struct account_handler *vectors[ACCOUNT_IDS]; /* by number; NULL if there is none */
    struct account_handler *dpcs[ACCOUNT_IDS];
    struct account_lock **locks;
    size_t lock_count;

    uint64_t events; /* number of events read */
    uint64_t gaps;
    uint64_t lost_packets; /* packets that were lost on the line or damaged */
    /* records lost in gaps, because there was no space or because they were overwritten */
    uint64_t discarded;
    uint64_t clock_ticks;             /* number of tick events */
    struct account_spread timer_late; /* from a timer's deadline to timer_expire */
    uint64_t timers_early;            /* timers that expired before their deadline */
    uint64_t conflicts[CONFLICTS];

    /* The following members describe the state after the last event. */
    size_t on;        /* index of the processor whose event or segment comes */
    uint32_t current; /* its current thread; ACCOUNT_NO_THREAD: unknown */
    uint32_t part;    /* number of the part, from 1 */
    uint64_t blind;   /* up to this TSC, events of some processor are missing */
    struct account_machine *machine;

    /* The following members serve accounting_thread() and accounting_lock(). */
    uint32_t *thread_slots; /* by id: index in `threads` plus 1 */
    size_t thread_slot_count;
    size_t thread_capacity;
    uint32_t *lock_slots;
    size_t lock_slot_count;
    size_t lock_capacity;
};

/* Returns the sum of all accounts, which equals `total`. */
uint64_t accounting_sum(const struct accounting *accounting);
uint64_t accounting_conflicts(const struct accounting *accounting);

/* Return a thread or a lock by its id, or NULL if no event names it. Thread 0 is that of processor
 * accounting->on. */
const struct account_thread *accounting_thread(const struct accounting *accounting, uint32_t id);
const struct account_lock *accounting_lock(const struct accounting *accounting, uint32_t id);

/* Return the sum of a thread's ready times and of its waiting times. */
uint64_t account_ready_ticks(const struct account_thread *thread);
uint64_t account_waiting_ticks(const struct account_thread *thread);
/* Returns the time of a processor that is neither idle nor unknown. */
uint64_t account_busy_ticks(const struct account_cpu *cpu);
/* Returns the index in `cpus` of the processor that an event names. */
static inline size_t account_place(const struct accounting *accounting, uint64_t cpu)
{
    return cpu < accounting->cpu_count ? cpu : 0;
}

#define ACCOUNT_NAME_MAX 64

/* Returns the name of a kind of accounts: "thread", "page_fault", "vector", "dpc", ... */
const char *account_kind_name(enum account_kind kind);

/* Returns the name of an object of the bench, with a number if earlier objects of that kind have
 * the same name: "input, 2". Returns NULL if it has no name. */
const char *account_object_name(const struct run_bench *bench, const char *kind, uint32_t id,
                                char text[ACCOUNT_NAME_MAX]);

/* Returns the name of the thread, vector or DPC of an account, or what it is if the run has no name
 * for it: "vector 40h". */
const char *account_name(const struct run_bench *bench, enum account_kind kind, uint32_t id,
                         char text[ACCOUNT_NAME_MAX]);

#define ACCOUNT_LABEL_MAX (ACCOUNT_NAME_MAX + 16)

/* Returns the name together with what it is: "thread worker", "page fault of worker", "interrupt
 * lapic_timer", "DPC work", "dispatch". */
const char *account_label(const struct run_bench *bench, enum account_kind kind, uint32_t id,
                          char text[ACCOUNT_LABEL_MAX]);

/* Returns the name: "woken", "started", ... */
const char *account_ready_name(enum account_ready cause);
/* Returns the name: "preempted", "mutex", ...; or "reason 31" for a number without a name. */
const char *account_reason_name(uint32_t reason, char text[ACCOUNT_NAME_MAX]);

/* Returns the smallest length of a bin. */
uint64_t account_bin_begin(unsigned bin);
/* Counts a length. */
void account_spread_add(struct account_spread *spread, uint64_t ticks);
/* Returns the handler of that number, creating it if needed. */
struct account_handler *account_handler_of(struct accounting *accounting, enum account_kind kind,
                                           uint32_t id);
/* Iterates over the handlers, vectors before DPCs, by number. Set *at to 0 for the first call.
 * Returns NULL after the last. */
const struct account_handler *account_next_handler(const struct accounting *accounting, size_t *at);
