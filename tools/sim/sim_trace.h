/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A simulation as the trace of a bench, in the events of a measured one (kernel/trace/events.def),
 * so that all that reads those reads it: 1 tick is 1 ns, a unit of the model is model->unit_ns.
 *
 *     process          a thread of its name, of priority level + 1
 *     competing        a thread of its level's, the first that is free: "low 1", "low 2" and so on,
 *     quantum          as many as there were at once; so does a portion that no process serves
 *     arrival          interrupt `arrival`, of the length that the model's overhead has, else 0; in
 *                      it timer_expire with the time when it was due, of a stimulus mark
 * `stimulus`, and message_send transmission     interrupt `transmission`, of length 0, at the
 * receiver's processor portion          message_receive when it begins, at its end message_send of
 * a stimulus that goes on, or mark `response`; message_block where there is nothing more
 *
 * Tags and values of messages and marks are those of bench model
 * (bench/interactive/model_schedule.h): stimulus << 12 | pass, the lower 12 bits of it, and stop <<
 * 24 | pass; of a quantum 0x8000 | load, and its number; passes and quanta count from 0.
 *
 * The model's time 0 is stamp SIM_TRACE_ORIGIN. A quantum's wait is the time from its thread_ready
 * to the switch to it. A trace is of one processor, as measured ones are: that of processor 0 is
 * bench `model`, those of others are benches `model@PROCESSOR`, with cpu their index.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/lib/run.h"
#include "tools/sim/engine.h"
#include "tools/sim/model.h"

/* Stamp of the model's time 0: lttng-analyses takes an interrupt at stamp 0 for none. */
#define SIM_TRACE_ORIGIN        UINT64_C(1000000000)
#define SIM_TRACE_BENCH         "model"
#define SIM_TRACE_BYTES_MAX     (UINT64_C(1) << 29) /* of packets: half of what a run file takes */
#define SIM_TRACE_THREADS_MAX   4096                /* what TRACE_BY() holds */
#define SIM_VECTOR_ARRIVAL      0x40                /* the kernel's timer */
#define SIM_VECTOR_TRANSMISSION 0x41

struct sim_recorder;

/* The model must outlive it. */
struct sim_recorder *sim_recorder_create(const struct sim_model *model);
void sim_recorder_destroy(struct sim_recorder *recorder);
/* For struct sim_observer, with the recorder as its context. */
void sim_recorder_event(void *recorder, const struct sim_event *event);
/* Ends the traces at this time of the model, and adds them to the run's benches, which are made
 * where there are none of these names (bench pointers of before are not valid then). Once. False:
 * `error` says what was too much; the run is as before. */
bool sim_recorder_finish(struct sim_recorder *recorder, double time, struct run *run,
                         char error[SIM_LAW_ERROR_MAX]);

/* Simulates one replication and records it all. The same limits give the same simulation as
 * sim_simulate(): a trace of fewer passes is the begin of a longer run's. */
bool sim_trace_record(const struct sim_model *model, const struct sim_limits *limits,
                      struct run *run, char error[SIM_LAW_ERROR_MAX]);
