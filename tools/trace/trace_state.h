/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * State of the traced system at a place within a trace, expressed as events, so that a piece of a
 * trace can be read without what came before.
 *
 * The events state the states of all known threads, as the image does at the start of a trace, the
 * interrupts and deferred calls that are being handled, and the system calls and page faults of the
 * running thread. Those of another thread are stated when it next runs. A wait that began earlier
 * (for a lock, of a deferred call in its queue, of a request to a disk) is not stated: only its end
 * lies in the piece.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/trace/trace_reader.h"

struct trace_state;

typedef void trace_state_put(void *context, const struct trace_event *event);

/* `put` is called with `context`. */
struct trace_state *trace_state_create(trace_state_put *put, void *context);
/* NULL is allowed. */
void trace_state_destroy(struct trace_state *state);

/* Applies an event; call in the order of the trace, after putting the event itself. If it makes a
 * thread run whose calls or faults a restatement left out, puts these with the event's stamp. */
void trace_state_event(struct trace_state *state, const struct trace_event *event);

/* Call for a gap or the end of a part (NULL): after it, only the process and priority of each
 * thread are still known; after a gap, also what other processors run. */
void trace_state_lost(struct trace_state *state, const struct trace_gap *gap);

/* Puts everything that is known, with this stamp. The events of each processor have its `cpu`, and
 * threads that do not run those of the first. */
void trace_state_restate(struct trace_state *state, uint64_t tsc);

/* Is it known whether a handler runs on that processor? After a gap it is not, until the next
 * switch of threads. */
bool trace_state_knows_handlers(const struct trace_state *state, uint32_t cpu);
