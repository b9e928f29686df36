/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What events of a trace mean for the accounts: the state that they change, and which of them
 * contradict it. accounting.c, which divides the time between them, is the only user.
 */
#pragma once

#include "tools/trace/accounts.h"
#include "tools/trace/trace_reader.h"

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
    bool restated;                /* events there are not records that were made */
    uint64_t now;                 /* all time before has been charged */
    bool whole;                   /* nothing is missing or in conflict since the part's begin */
    bool handlers_known;          /* no handler from before a gap can be unfinished */

    /* Behind the last event's stamp. */
    uint64_t charging;    /* what a record takes beyond others that moves the account */
    uint64_t after;       /* the tracer's part */
    uint64_t after_short; /* the tracer's part if the record had the short form */
    uint64_t trail;       /* of this account, a record's part included */
    enum account_kind trail_kind;
    uint32_t trail_id;
    bool handler_left; /* it was the exit of the outermost handler, or of a DPC */

    struct account_frame frames[FRAMES_MAX];
    size_t depth;
    uint64_t entry_lead; /* charged to the vector of the isr_entry at hand */
    /* A handler that has returned, without its trail. */
    bool has_finished;
    struct account_frame finished;
    uint64_t finished_gross;
};

/* What an event contradicts; CONFLICTS: nothing. */
enum account_conflict account_check(const struct accounting *accounting,
                                    const struct trace_event *event);
/* Applies it to the accounts. */
void account_apply(struct accounting *accounting, const struct trace_event *event);

/* A thread's life begins and ends. */
void account_thread_born(struct accounting *accounting, uint32_t id, uint64_t at,
                         enum account_state state);
void account_thread_ended(struct account_thread *thread, uint64_t at);
/* It is in another state from `at` on. */
void account_thread_set(struct account_thread *thread, enum account_state state, uint64_t at);
