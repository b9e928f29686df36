/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces of benches: recorded in memory while they run, sent afterwards.
 *
 * A bench may be traced in several parts. Each has its own memory, because the host may ask for any
 * of it until the run is over.
 */
#pragma once

#include "kernel/run/bench.h"
#include "kernel/run/settings.h"

/* Takes trace.mode and trace.bytes from the plan, before the first bench. */
void tracing_use(const struct run_settings *settings);

/* Call before a bench: its first part is part 1, and all names are free. */
void tracing_forget(void);

/* Sends a trace that was not ended because the bench did not return. */
void tracing_rescue(struct bench_run *run);

/* For a bench that was traced, in whatever mode: sends as facts how long each thread, vector and
 * deferred call (DPC) had the processor, from the CPU-time accounting (kernel/trace/account.h). */
void tracing_publish_account(const struct bench_run *run);
