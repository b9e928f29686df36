/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The metrics of a run in the text format of OpenMetrics 1.0, for the textfile collector of
 * Prometheus' node exporter. It is also what the older text format of Prometheus allows.
 *
 *     tare_run_info             1; labels: the run, its machine, its kind of time, its verdict
 *     tare_run_valid            1 where its numbers can be believed, else 0
 *     tare_run_date_seconds     when it was, where that is known, and in which zone
 *     tare_duration_seconds     a summary of each series of lengths; in exact time
 *     tare_duration_instructions  is what they are
 *     tare_throughput_bytes_per_second
 *     tare_observed_seconds     how long it was looked for events that are rare, ..._instructions
 *     tare_event_rate_per_second   how often they come, with bounds of 95 %, ..._per_instruction
 *
 * Lengths of a run whose clock is not known are in ticks. Other units have families of their own.
 */
#pragma once

#include <stdio.h>

#include "tools/present/metrics.h"
#include "tools/run/run.h"

/* `reasons` are those of run_valid(). `bench`: only this one, as run_bench_is() has it. */
void openmetrics(FILE *out, const struct run *run, const struct metrics *metrics,
                 const struct run_texts *reasons, const char *bench);
