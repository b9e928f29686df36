/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs as CSV (RFC 4180, except that lines end with LF): comma, header in the first line, fields
 * that hold a comma, a quote or a line end in quotes. What is absent is an empty field.
 *
 * Memory holds one series at most, whatever the length of the run.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tools/present/metrics.h"
#include "tools/run/run.h"

/* bench,pass,series,unit,time,index,value: a line for each sample that is there, in the order of
 * the run. False where interrupt_seen(). */
bool export_csv_samples(FILE *out, const struct run *run, const char *bench);

/* A line for each series: how many samples, how many of them are missing, and their statistics:
 * min, median, p99, p999 and max as in the run file; p90, p9999, the ends of the median's interval
 * of 95 %, mean, deviation and MAD as in summary.h. Series without a sample have a line too. */
bool export_csv_summaries(FILE *out, const struct run *run, const char *bench);

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

/* `reasons` are those of run_valid(). `bench`: only this one, as run_bench_is() has it. */
void openmetrics(FILE *out, const struct run *run, const struct metrics *metrics,
                 const struct run_texts *reasons, const char *bench);
