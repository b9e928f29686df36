/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What accounting.c, which divides time, and accounting_events.c, which knows what events mean,
 * share and nobody else sees.
 */
#pragma once

#include "tools/trace/accounting.h"

#define FRAMES_MAX 64 /* handlers that interrupt each other; vectors nest by class, of which 14 */

/* A handler or DPC that has not returned. */
struct account_frame {
    enum account_kind kind;
    uint32_t id;
    uint64_t entered; /* stamp */
    uint64_t net;     /* of its account so far */
};

struct account_machine {
    const struct account_observer *observers;
    size_t observer_count;
    struct run_trace_costs costs; /* of this part */
    uint64_t begin;               /* of this part */
    uint64_t now;                 /* all time before has been charged */
    bool whole;                   /* nothing is missing or in conflict since the part's begin */
    bool handlers_known;          /* no handler from before a gap can be unfinished */

    /* Behind the last event's stamp. */
    uint64_t after; /* the tracer's */
    uint64_t trail; /* of this account, a record's part included */
    enum account_kind trail_kind;
    uint32_t trail_id;
    bool handler_left; /* it was the exit of the outermost handler, or of a DPC */

    struct account_frame frames[FRAMES_MAX];
    size_t depth;
    uint64_t entry_lead; /* charged to the vector of the isr_entry at hand */
    /* One that has returned, but for its trail. */
    bool has_finished;
    struct account_frame finished;
    uint64_t finished_gross;

    uint32_t *thread_slots; /* by id: index in threads, and 1 */
    size_t thread_slot_count;
    size_t thread_capacity;
    uint32_t *lock_slots;
    size_t lock_slot_count;
    size_t lock_capacity;
};

/* accounting.c */

/* Counts a length. */
void account_spread_add(struct account_spread *spread, uint64_t ticks);
/* Ends what is known at m->now. */
void account_forget(struct accounting *accounting);
/* Counts the handler that has returned; nothing where there is none. */
void account_finish_handler(struct accounting *accounting);
struct account_handler *account_handler_of(struct account_handler *handlers[ACCOUNT_IDS],
                                           uint32_t id);

/* accounting_events.c */

/* What an event contradicts; CONFLICTS: nothing. */
enum account_conflict account_check(const struct accounting *accounting,
                                    const struct trace_event *event);
/* Takes over what it says. */
void account_apply(struct accounting *accounting, const struct trace_event *event);

/* A thread's life begins and ends. */
void account_thread_born(struct accounting *accounting, uint32_t id, uint64_t at,
                         enum account_state state);
void account_thread_ended(struct account_thread *thread, uint64_t at);
/* It is in another state from `at` on. */
void account_thread_set(struct account_thread *thread, enum account_state state, uint64_t at);
