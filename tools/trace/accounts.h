/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The accounts of a bench's traces: what accounting.h fills in. Threads, handlers and locks, each
 * with its sums, and the names of all of them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"

#define ACCOUNT_NO_THREAD 0x10000u
#define ACCOUNT_BINS      65  /* bin 0: 0 ticks; bin b: 2^(b-1) to 2^b - 1 ticks */
#define ACCOUNT_REASONS   32  /* of a wait: what 5 bits hold; names for those of enum wait_reason */
#define ACCOUNT_IDS       256 /* of vectors and of DPCs */

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

/* A stretch that belongs to one account. Those of a part follow each other without a hole. */
struct account_segment {
    uint64_t from;
    uint64_t to;
    enum account_kind kind;
    uint32_t id; /* thread, vector or DPC; else 0 */
};

/* Lengths in ticks. */
struct account_spread {
    uint64_t n;
    uint64_t total;
    uint64_t min, max; /* where n > 0 */
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
    READY_WOKEN,     /* thread_ready */
    READY_STARTED,   /* thread_start */
    READY_PREEMPTED, /* by what an interrupt made ready */
    READY_YIELDED,
    READY_OVERTAKEN, /* by what it made ready itself */
    READY_CAUSES,
};

struct account_thread {
    uint32_t id;
    uint32_t process;
    uint8_t first_priority; /* of the first event with it */
    bool described;         /* by thread_is or thread_start */

    uint64_t life;
    uint64_t running; /* its account */
    uint64_t stamped; /* from stamp to stamp, what others' accounts have of that included */
    uint64_t interrupted;
    uint64_t fault;
    uint64_t ready[READY_CAUSES];
    uint64_t waiting[ACCOUNT_REASONS];
    uint64_t unknown;

    uint64_t faults;
    uint64_t switches;          /* to it */
    uint64_t preemptions;       /* switches away from it for WAIT_PREEMPTED */
    uint64_t wakeups;           /* thread_ready */
    struct account_spread wake; /* from thread_ready to the switch to it: lttng-schedstats' sched
                                   latency */
    uint64_t charged;           /* ticks of the clock, by sampling */

    /* As of the last event. */
    enum account_state state;
    enum account_ready ready_cause;
    uint8_t wait_reason;
    uint8_t priority;
    bool alive;
    bool in_fault;
    bool woken;     /* since `since`, by a thread_ready that was seen */
    bool preempted; /* when it last left the processor */
    uint64_t since; /* TSC since when it is in this state */
    uint64_t born;
    bool waits_for_lock;
    uint32_t lock; /* that it waits for */
    uint64_t lock_since;
};

/* A vector or a DPC. */
struct account_handler {
    enum account_kind kind;
    uint32_t id;
    uint64_t ticks;   /* its account */
    uint64_t stamped; /* as of a thread */
    /* Of those invocations whose entry and exit are in the trace. */
    struct account_spread net;    /* as in the account: nesting and the tracer taken out */
    struct account_spread gross;  /* from entry's stamp to exit's: lttng-irqstats' duration */
    uint64_t nested;              /* interrupts that came in between, directly */
    struct account_spread queued; /* of a DPC: from dpc_queue to dpc_entry */
    bool is_queued;
    uint64_t queued_since;
};

/* A mutex, semaphore or pipe. */
struct account_lock {
    uint32_t id;
    uint64_t acquired;
    struct account_spread wait; /* from lock_wait to the same thread's lock_acquire */
    uint32_t longest_thread;    /* who had the longest wait, where there was one */
    uint64_t longest_at;        /* when the longest wait began */
    bool owned;                 /* it has a holder: a mutex */
    uint32_t holder;            /* as of the last event; TRACE_NO_HOLDER */
};

/* What events contradicted. */
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
    CONFLICTS,
};
/* "a switch from a thread that was not running". */
const char *account_conflict_text(enum account_conflict conflict);

struct accounting {
    const struct run_bench *bench;
    uint64_t elapsed; /* of all parts */
    uint64_t dispatch, tracer, unknown;
    struct account_thread **threads; /* in the order of their first events */
    size_t thread_count;
    struct account_handler *vectors[ACCOUNT_IDS]; /* by number; NULL where there is none */
    struct account_handler *dpcs[ACCOUNT_IDS];
    struct account_lock **locks;
    size_t lock_count;

    uint64_t events; /* read */
    uint64_t gaps;
    uint64_t lost_packets;            /* lost on the line or damaged */
    uint64_t discarded;               /* records lost in gaps: no room, or overwritten */
    uint64_t clock_ticks;             /* tick events */
    struct account_spread timer_late; /* from a timer's deadline to timer_expire */
    uint64_t timers_early;            /* expired before their deadline */
    uint64_t conflicts[CONFLICTS];

    /* As of the last event. */
    uint32_t current; /* thread; ACCOUNT_NO_THREAD: unknown */
    uint32_t part;    /* from 1 */
    struct account_machine *machine;

    /* For accounting_thread() and accounting_lock(). */
    uint32_t *thread_slots; /* by id: index in threads, and 1 */
    size_t thread_slot_count;
    size_t thread_capacity;
    uint32_t *lock_slots;
    size_t lock_slot_count;
    size_t lock_capacity;
};

/* All accounts together: the elapsed time. */
uint64_t accounting_sum(const struct accounting *accounting);
uint64_t accounting_conflicts(const struct accounting *accounting);

/* By id; NULL if no event had it. */
const struct account_thread *accounting_thread(const struct accounting *accounting, uint32_t id);
const struct account_lock *accounting_lock(const struct accounting *accounting, uint32_t id);

/* Sums of a thread's states. */
uint64_t account_ready_ticks(const struct account_thread *thread);
uint64_t account_waiting_ticks(const struct account_thread *thread);

#define ACCOUNT_NAME_MAX 64

/* The name of an object of the bench, with its number where others before it of that kind have the
 * same: "input, 2". NULL: it has none. */
const char *account_object_name(const struct run_bench *bench, const char *kind, uint32_t id,
                                char text[ACCOUNT_NAME_MAX]);

/* The name of whom an account is of; of what the run does not name, what it is: "vector 40h". */
const char *account_name(const struct run_bench *bench, enum account_kind kind, uint32_t id,
                         char text[ACCOUNT_NAME_MAX]);

#define ACCOUNT_LABEL_MAX (ACCOUNT_NAME_MAX + 16)

/* The same with what it is: "thread worker", "page fault of worker", "interrupt lapic_timer",
 * "DPC work", "dispatch". */
const char *account_label(const struct run_bench *bench, enum account_kind kind, uint32_t id,
                          char text[ACCOUNT_LABEL_MAX]);

/* "woken", "started", ... */
const char *account_ready_name(enum account_ready cause);
/* "preempted", "mutex", ...; of a number that has no name "reason 31". */
const char *account_reason_name(uint32_t reason, char text[ACCOUNT_NAME_MAX]);

/* The least length of a bin. */
uint64_t account_bin_begin(unsigned bin);
/* Counts a length. */
void account_spread_add(struct account_spread *spread, uint64_t ticks);
/* The handler of that number, made where there is none. */
struct account_handler *account_handler_of(struct accounting *accounting, enum account_kind kind,
                                           uint32_t id);
/* The handlers, vectors before DPCs, by their numbers: with *at = 0 the first, then the next; NULL
 * behind the last. */
const struct account_handler *account_next_handler(const struct accounting *accounting, size_t *at);
