/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Effects of trace events on the accounts: the states that they change, and the events that
 * contradict the state. Only accounting.c, which distributes the time, uses this.
 */
#pragma once

#include "tools/trace/accounts.h"
#include "tools/trace/trace_reader.h"

/* handlers that can interrupt each other; vectors nest by class, of which there are 14 */
#define FRAMES_MAX 64

/* A handler or DPC that has not returned yet. */
struct account_frame {
    enum account_kind kind;
    uint32_t id;
    uint64_t entered; /* stamp of its entry */
    uint64_t net;     /* ticks of its account so far */
};

struct account_machine {
    const struct account_observer *observers;
    size_t observer_count;
    struct run_trace_costs costs; /* costs of this part */
    uint64_t begin, end;          /* of this part */
    /* events at `begin` restate what was known and were not recorded */
    bool restated;
    uint64_t now; /* all time before this has been charged */
    /* nothing was missing or in conflict since the start of the part */
    bool whole;
    bool handlers_known; /* no handler from before a gap can be unfinished */

    /* The following members apply to the time after the last event's stamp. */
    /* cost of a record that updates the account, beyond that of other records */
    uint64_t charging;
    uint64_t after;       /* the tracer's share */
    uint64_t after_short; /* the tracer's share if the record had a short header */
    uint64_t trail;       /* ticks that belong to the account below, including a record's share */
    enum account_kind trail_kind;
    uint32_t trail_id;
    bool handler_left; /* the event was the exit of the outermost handler, or of a DPC */

    struct account_frame frames[FRAMES_MAX];
    size_t depth;
    uint64_t entry_lead; /* already charged to the vector of the current isr_entry */
    /* The handler that returned last. The time from its last stamp to the interrupted code is not
     * included. */
    bool has_finished;
    struct account_frame finished;
    uint64_t finished_gross;
};

/* Returns what an event contradicts, or CONFLICTS if nothing. */
enum account_conflict account_check(const struct accounting *accounting,
                                    const struct trace_event *event);
/* Applies an event to the accounts. */
void account_apply(struct accounting *accounting, const struct trace_event *event);

/* Makes another processor, as an index in accounting->cpus, the one to which events apply. */
void account_select(struct accounting *accounting, size_t place);

/* Returns a thread, creating it if needed. Thread 0 is that of the current processor. */
struct account_thread *account_thread_of(struct accounting *accounting, uint64_t id);
/* Returns the current thread, or NULL if it is unknown. */
struct account_thread *account_current(struct accounting *accounting);

/* Begin and end the life of a thread. */
void account_thread_born(struct accounting *accounting, uint32_t id, uint64_t at,
                         enum account_state state);
void account_thread_ended(struct account_thread *thread, uint64_t at);
/* Changes the state of a thread from `at` on. */
void account_thread_set(struct account_thread *thread, enum account_state state, uint64_t at);
