/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translates the events of one pass of a bench into events of a Perfetto trace (perfetto_writer.h):
 *
 *     thread_switch, thread_ready          switches and wakings of ftrace
 *     isr_entry, isr_exit                  slices of the track "interrupts"
 *     dpc_entry, dpc_exit                  slices of the track "deferred calls"
 *     syscall_*, fault_*                   slices of the thread's track
 *     thread_migrate, thread_boost, quantum
 *                                          instants of the thread's track
 *     all others                           instants of the handler's or the thread's track, with
 *                                          their fields; while idle, of the track "idle"
 *
 * Each event becomes one Perfetto event. With several processors, each has tracks "CPU 1:
 * interrupts" and so on, and an arrow leads from each wake-up to the switch to the thread: from an
 * instant "wake" of what ran on the waking processor to an instant "woken" of the thread. A slice
 * that is open where a trace has a gap or ends is closed there by an end named "lost". An exit
 * without its entry becomes an instant.
 *
 * At the start of a window or of a piece of a trace (tools/trace/trace_state.h), the states of
 * threads are drawn from thread_is as well, by switches and wakings at that time.
 *
 * Threads of the kernel belong to a process with the bench's name. Tids and pids of the first bench
 * are tare's thread numbers; those of each further bench are 2^17 higher. The idle thread always
 * has tid 0, as in Linux.
 */
#pragma once

#include <stdint.h>

#include "tools/export/perfetto_writer.h"
#include "tools/export/trace_translate.h"
#include "tools/run/run.h"
#include "tools/trace/trace_reader.h"

#define PERFETTO_BENCHES_MAX 16000 /* limit because tids have 31 bits */

struct perfetto_trace;

/* Creates the translation of one bench. `index`, below PERFETTO_BENCHES_MAX, counts the benches of
 * the file; `label` is the bench's name in it. All arguments must outlive the result. */
struct perfetto_trace *perfetto_trace_create(struct perfetto_writer *writer,
                                             struct translator *translator, const char *label,
                                             const struct run_bench *bench, uint32_t index,
                                             uint64_t hz);
void perfetto_trace_destroy(struct perfetto_trace *trace);

void perfetto_trace_event(struct perfetto_trace *trace, const struct trace_event *event);
void perfetto_trace_lost(struct perfetto_trace *trace, const struct trace_gap *gap);
/* Ends a piece at this TSC: closes the slices that are open. */
void perfetto_trace_turn(struct perfetto_trace *trace, uint64_t tsc);
/* Begins the next piece, in another file (perfetto_turn()): announces tracks again, and begins
 * outstanding disk requests again. The caller then restates the remaining state and calls
 * perfetto_trace_stated(). */
void perfetto_trace_resume(struct perfetto_trace *trace, uint64_t tsc);
void perfetto_trace_stated(struct perfetto_trace *trace);
/* Ends the trace, or a part of it, at this TSC. */
void perfetto_trace_end(struct perfetto_trace *trace, uint64_t end);
