/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Event-driven accounting: where every tick of a bench's traces went.
 *
 * A part of a trace is the time from its start to its end. Each tick of it belongs to exactly one
 * account, so that the accounts sum to the elapsed ticks without a remainder:
 *
 *     thread      one for each thread; thread 0 is idle. The processor was busy for all time except
 *                 this and the unknown time
 *     page fault  one for each thread: from fault_entry to fault_exit, while it waits
 *                 involuntarily for its page
 *     vector      one for each vector: interrupt handlers, minus what nested in them
 *     DPC         one for each deferred call (DPC)
 *     dispatch    the kernel's path from the end of a handler or a DPC to a DPC or a thread
 *     tracer      the cost of recording itself
 *     unknown     time for which the trace shows no other account
 *
 * Time stamps divide a part into spans. A span belongs to what runs after the event that begins it:
 * the innermost handler, otherwise the DPC, otherwise the current thread. At the start of the part,
 * that is the thread named by the first thread_is with state running, or by the first
 * thread_switch. From a span are deducted, in this order if it is too short for all:
 *
 *     - the tracer's share after the stamp that begins it: the full cost of a record (`extended`
 *       with an extended header, otherwise `record`) minus `lead` (at most `record`); for a
 *       switch, or the entry or exit of a handler, also what fact account_record states, which is
 *       the cost of the account that account_check.h checks;
 *     - the tracer's share before the stamp that ends it: `lead`, and before the first event of a
 *       packet also the cost of opening the packet;
 *     - at its start: after isr_exit up to `isr_trail`, for the vector; after the dpc_exit of the
 *       last DPC up to `dpc_trail`, and after a thread_switch to a thread that had been preempted
 *       up to `switch_trail`, for dispatch;
 *     - at its end: before isr_entry up to `isr_lead`, for the vector.
 *
 * The measured values of the last two items include the tracer's share of a record with a short
 * header, which is subtracted from them. A span from isr_exit or dpc_exit to dpc_entry, or to a
 * thread_switch for WAIT_PREEMPTED, belongs wholly to dispatch. (run_trace_costs has these costs as
 * the image measured them.)
 *
 * A gap is wholly unknown, never idle. After a gap, handlers are known again as they begin, the
 * current thread from the next thread_switch on, and the state of each other thread from the next
 * event that states it. Events that contradict each other are counted, and end what was known in
 * the same way.
 *
 * A part may have traces of several processors. Each processor has its own state and its own idle
 * thread; events of all apply in one order, that of trace_reader.h. The accounts are sums over all
 * processors, and add up for each of them (struct account_cpu). A gap of one processor leaves the
 * time of the others known, and so are the threads that run there; until it has passed, no other
 * thread's state is known, because the missing events may change it.
 *
 * The states of a thread follow Windows' CSwitch events: running (on the processor; interrupted
 * while the tick is not in an account of the thread), ready, waiting, and page fault, which is
 * deducted from running. They sum to the thread's life: from the start of the part if thread_is
 * describes the thread, or from thread_start, to the end of the thread or of the part.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "tools/run/run.h"
#include "tools/trace/accounts.h"
#include "tools/trace/trace_reader.h"

/* Functions that are called while the trace is read. Any of them may be NULL. With several
 * processors, accounting->on is the one that a segment, event or loss belongs to. Segments of one
 * processor follow each other; those of others may come later although they begin earlier. */
struct account_observer {
    void *context;
    /* a part begins: see accounting->part; `trace` has the bounds of all its processors */
    void (*part)(void *context, const struct accounting *accounting, const struct run_trace *trace);
    void (*segment)(void *context, const struct accounting *accounting,
                    const struct account_segment *segment);
    /* called after the segments of its processor before the event, and before the event changes the
     * accounts */
    void (*event)(void *context, const struct accounting *accounting,
                  const struct trace_event *event);
    /* from here on the states of threads are unknown: a gap, a conflict, or the end of a part */
    void (*unknown)(void *context, const struct accounting *accounting);
};

/* Reads all traces of the bench once and in order. Needs memory only for threads and packets,
 * whatever the length of the trace. Returns false if their bytes could not be read. Call
 * accounting_free() afterwards in any case. */
bool accounting_read(struct accounting *accounting, const struct run_bench *bench,
                     const struct account_observer *observers, size_t observer_count);
/* Frees the contents; a zeroed struct is allowed. */
void accounting_free(struct accounting *accounting);
