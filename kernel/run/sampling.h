/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds out which samples were taken after records of the trace began to be discarded. Their cost
 * differs from that of samples whose records are kept, so they must not be judged together.
 *
 * When a trace finds no room for the first time, each area for samples is searched for its first
 * zero, where the next sample will be written. For a series in such an area, the fact
 * sampled_before_NAME is sent: the number of samples that were complete by then. No fact is sent if
 * the area was already full, or if no more samples came before the trace ended. For samples that
 * are computed after the trace, none is known to be complete.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/run/bench_run.h"

/* Forgets all areas; call before a bench. */
void sampling_forget(void);

/* Registers zeroed memory for samples that was given to the bench. If too many areas are
 * registered, no sample in the others is known to be complete. */
void sampling_add(const int64_t *samples, size_t count);

/* Call when the trace finds no room for the first time, and when it has ended. */
void sampling_trace_filled(void);
void sampling_trace_ended(void);

/* Call when a series is published; sample i was taken into samples[i * words] or before it. Sends
 * the fact if there is one. */
void sampling_report(const struct bench_run *run, const char *name, const int64_t *samples,
                     size_t count, size_t words);
