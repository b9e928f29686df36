/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Traces of benches: taken into memory while they run, sent afterwards.
 *
 * A bench may be traced in several parts. Each has its own memory, since the host may ask for
 * any of it until the run is over.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/run/bench.h"
#include "kernel/run/settings.h"

/* trace.mode and trace.bytes, before the first bench. */
void tracing_use(const struct run_settings *settings);

/* Before a bench: its first part is part 1, and no name is taken. */
void tracing_forget(void);

/* Sends a trace that was not ended because the bench did not return. */
void tracing_rescue(struct bench_run *run);

/* Of a bench that was traced, by whatever mode: sends how long each thread, vector and DPC had the
 * processor, by the account without records (kernel/trace/account.h), as facts. */
void tracing_publish_account(const struct bench_run *run);
