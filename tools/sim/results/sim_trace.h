/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Events of a replication as a trace of the run (kernel/trace/events.def), as the image would
 * record them for the same model, so that everything that shows and exports traces can use it. A
 * processor has one trace, the first in bench `model` and each further one in a bench
 * `model@PROCESSOR`. 1 tick is 1 ns.
 *
 *     thread      a process; for competing quanta, and stimuli without a process, one for each that
 *                 is present at once: "low 1", "low 2"; thread 0 is idle
 *     mark        `stimulus` and `response` of the first stimulus, `stimulus.NAME` and
 *                 `response.NAME` of the others; the value is a number unique to the pass
 *     message     send: the pass of the portion that ended is sent on; receive: a portion begins.
 *                 The tag is the number of the stimulus, from 0; the value is that of the marks
 *     isr         with overheads: the cost of an arrival or of a device
 *     block       a portion at a station: requested, and done
 */
#pragma once

#include "tools/run/run.h"
#include "tools/sim/engine/engine.h"

struct sim_tracer;

/* Begins a trace. The model must outlive the tracer. */
struct sim_tracer *sim_tracer_begin(const struct sim_model *model);
/* Records an event. Pass all events of an observer, from the start. */
void sim_tracer_event(struct sim_tracer *tracer, const struct sim_event *event);
/* Adds the traces to the run, which must have bench `model`, and frees the tracer. If `run` is
 * NULL, only frees it. */
void sim_tracer_end(struct sim_tracer *tracer, struct run *run);
