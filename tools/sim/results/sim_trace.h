/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of a replication as a trace of the run (kernel/trace/events.def), as the image records
 * them of the same model: what shows and exports traces takes it. A processor has one trace, in
 * bench `model`; of further processors in a bench `model@PROCESSOR`. 1 tick is 1 ns.
 *
 *   thread      a process; of competing quanta, and of stimuli without a process, one for each that
 *               is there at once: "low 1", "low 2"; thread 0 is idle
 *   mark        `stimulus` and `response` of the first stimulus, `stimulus.NAME` and
 *               `response.NAME` of the others; the value is a number that no other pass has
 *   message     send: the portion that ended is sent on; receive: a portion begins. The tag is the
 *               stimulus, from 0; the value that of the marks
 *   isr         with overheads: what arrivals and devices take
 *   block       a portion at a station: asked for, and done
 */
#pragma once

#include "tools/run/run.h"
#include "tools/sim/engine/engine.h"

struct sim_tracer;

/* The model must outlive it. */
struct sim_tracer *sim_tracer_begin(const struct sim_model *model);
/* An observer's events, all from the begin. */
void sim_tracer_event(struct sim_tracer *tracer, const struct sim_event *event);
/* Adds the traces to the run, which has bench `model`, and frees the tracer. NULL: only frees it.
 */
void sim_tracer_end(struct sim_tracer *tracer, struct run *run);
