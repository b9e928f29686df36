/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The events of one pass of a bench as events of a Perfetto trace (perfetto_writer.h):
 *
 *     thread_switch, thread_ready          switches and wakings of ftrace
 *     isr_entry, isr_exit                  slices of the track "interrupts"
 *     dpc_entry, dpc_exit                  slices of the track "deferred calls"
 *     syscall_*, fault_*                   slices of the thread's track
 *     all others                           instants of the handler's or the thread's track, with
 *                                          their fields; while idle, of the track "idle"
 *
 * Each event becomes one. A slice that is open where a trace has a gap, or ends, is closed there,
 * by an end that has the name "lost"; an exit whose entry is not there is an instant.
 *
 * Where a window or a piece of a trace begins (tools/trace/trace_state.h), states of threads are
 * drawn from thread_is as well, by switches and wakings at that time.
 *
 * Threads of the kernel are of a process of the bench's name. Tids and pids of the first bench are
 * our numbers of threads, those of each further one lie 2^17 higher; the idle thread is always 0,
 * as it is in Linux.
 */
#pragma once

#include <stdint.h>

#include "tools/export/perfetto_writer.h"
#include "tools/export/trace_translate.h"
#include "tools/run/run.h"
#include "tools/trace/trace_reader.h"

#define PERFETTO_BENCHES_MAX 16000 /* tids have 31 bits */

struct perfetto_trace;

/* `index`, below PERFETTO_BENCHES_MAX, counts the benches of the file; `label` is the bench's name
 * in it. All that is given must outlive it. */
struct perfetto_trace *perfetto_trace_create(struct perfetto_writer *writer,
                                             struct translator *translator, const char *label,
                                             const struct run_bench *bench, uint32_t index,
                                             uint32_t cpu, uint64_t hz);
void perfetto_trace_destroy(struct perfetto_trace *trace);

void perfetto_trace_event(struct perfetto_trace *trace, const struct trace_event *event);
void perfetto_trace_lost(struct perfetto_trace *trace, const struct trace_gap *gap);
/* A piece ends at this TSC: ends the slices that are open. */
void perfetto_trace_turn(struct perfetto_trace *trace, uint64_t tsc);
/* The next piece begins, in another file (perfetto_turn()): announces tracks anew, and begins
 * requests to disks again. The caller restates the rest, and calls perfetto_trace_stated() then. */
void perfetto_trace_resume(struct perfetto_trace *trace, uint64_t tsc);
void perfetto_trace_stated(struct perfetto_trace *trace);
/* The trace, or a part of it, ends at this TSC. */
void perfetto_trace_end(struct perfetto_trace *trace, uint64_t end);
