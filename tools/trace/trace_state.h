/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What runs at a place within a trace, as events that state it: so that a piece of a trace can be
 * read without what came before.
 *
 * Stated are the states of all threads that are known, as the image does where a trace begins, the
 * interrupts and deferred calls that are being handled, and the system calls and page faults of the
 * running thread. Those of another thread are stated where it next runs. What was waited for since
 * before (a lock, a deferred call in its queue, a request to a disk) is not: of it only the end
 * lies in the piece.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/trace/trace_reader.h"

struct trace_state;

typedef void trace_state_put(void *context, const struct trace_event *event);

struct trace_state *trace_state_create(void);
/* NULL is let pass. */
void trace_state_destroy(struct trace_state *state);

/* In the order of the trace. Where the event makes a thread run whose calls or faults are not
 * stated yet, these are put, with the event's stamp; `put` NULL: nothing is. The caller puts the
 * event itself before. */
void trace_state_event(struct trace_state *state, const struct trace_event *event,
                       trace_state_put *put, void *context);

/* A gap, or the end of a part: nothing is known behind it but what threads are called. */
void trace_state_lost(struct trace_state *state);

/* Puts all that is known, with this stamp. */
void trace_state_restate(struct trace_state *state, uint64_t tsc, trace_state_put *put,
                         void *context);

/* Is it known whether a handler runs? Not behind a gap, until the next switch of threads. */
bool trace_state_knows_handlers(const struct trace_state *state);
