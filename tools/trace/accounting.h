/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event-driven accounting: where every tick of a bench's traces went.
 *
 * A part of a trace is the time from its begin to its end, and each tick of it belongs to exactly
 * one account, so that the accounts sum to the time that elapsed, in ticks, without a rest:
 *
 *     thread      one for each; thread 0 is idle. The processor was busy for all time but this,
 *                 and the unknown
 *     page fault  one for each thread: from fault_entry to fault_exit, where it waits
 *                 involuntarily for its page
 *     vector      one for each: handlers of interrupts, less what nested in them
 *     DPC         one for each deferred call
 *     dispatch    the kernel's way from the end of a handler or a DPC to a DPC or a thread
 *     tracer      what recording itself took
 *     unknown     time for which the trace shows no other account
 *
 * Stamps cut a part into spans. A span belongs to what runs after the event that begins it: the
 * innermost handler, else the DPC, else the current thread. At the part's begin that is the thread
 * that the first thread_is with state running or the first thread_switch names. Of a span there
 * are taken out, in this order where it is too short for all,
 *
 *     - the tracer's part behind the stamp that begins it: what a record costs in all, `extended`
 *       with an extended header, else `record`, less `lead` (at most `record`); and of a switch, of
 *       a handler's entry and exit what fact account_record has, which is for account_check.h;
 *     - the tracer's part before the stamp that ends it: `lead`, and before a packet's first event
 *       what opening the packet took;
 *     - at its begin, behind isr_exit, up to `isr_trail`, of the vector; behind the dpc_exit of the
 *       last DPC up to `dpc_trail`, and behind a thread_switch to a thread that had been preempted
 *       up to `switch_trail`, of dispatch;
 *     - at its end, before isr_entry, up to `isr_lead`, of the vector.
 *
 * The last three include the tracer's part of a record of the short form, which is taken off them.
 * A span from isr_exit or dpc_exit to dpc_entry, or to a thread_switch for WAIT_PREEMPTED, is
 * dispatch as a whole. (run_trace_costs has what all that takes, as the image measured it.)
 *
 * A gap is unknown as a whole, never idle. Behind it handlers are known again as they begin, the
 * current thread from the next thread_switch on, the state of each other thread from the next event
 * with its state. Events that contradict each other are counted, and end what was known in the same
 * way.
 *
 * The states of a thread, from Windows' CSwitch events: running (on the processor; interrupted
 * where the tick is in no account of the thread), ready, waiting, and page fault, which is taken
 * out of running. They sum to its life: from the part's begin, if thread_is describes it, or from
 * thread_start, to its end or the part's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/run/run.h"
#include "tools/trace/accounts.h"
#include "tools/trace/trace_reader.h"

/* Who wants to see what happens, as it happens; any function may be NULL. */
struct account_observer {
    void *context;
    /* A part begins: see accounting->part. */
    void (*part)(void *context, const struct accounting *accounting, const struct run_trace *trace);
    void (*segment)(void *context, const struct accounting *accounting,
                    const struct account_segment *segment);
    /* Behind the segments before it; nothing has changed for it yet. */
    void (*event)(void *context, const struct accounting *accounting,
                  const struct trace_event *event);
    /* From here on states of threads are unknown: a gap, a conflict, the end of a part. */
    void (*unknown)(void *context, const struct accounting *accounting);
};

/* Reads all traces of the bench, once and in order; memory for threads and packets, whatever the
 * length. False where their bytes could not be read. accounting_free() afterwards in any case. */
bool accounting_read(struct accounting *accounting, const struct run_bench *bench,
                     const struct account_observer *observers, size_t observer_count);
/* One that is all zeroes is let pass. */
void accounting_free(struct accounting *accounting);
