/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which samples were taken when records of the trace were discarded: those cost other than those
 * with records that are kept, and must not be judged with them.
 *
 * When a trace finds no room for the first time, each memory for samples is looked at: its zeroes
 * begin where the next sample goes. A series is reported as fact sampled_before_NAME, the number of
 * samples that were complete by then, unless its memory was full, or no more came before the trace
 * ended. What was computed after the trace, from whatever, has none that is known to be complete.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/run/bench_run.h"

/* Before a bench. */
void sampling_forget(void);

/* Memory for samples, zeroed, was given to the bench. Of what comes when too many are known, no
 * sample is known to be complete. */
void sampling_add(const int64_t *samples, size_t count);

/* The trace found no room for the first time; and it has ended. */
void sampling_trace_filled(void);
void sampling_trace_ended(void);

/* A series is published, whose sample i was taken into samples[i * words] or before: sends the
 * fact, where there is one. */
void sampling_report(const struct bench_run *run, const char *name, const int64_t *samples,
                     size_t count, size_t words);
