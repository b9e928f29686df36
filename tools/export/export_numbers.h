/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes runs as CSV: RFC 4180, except that lines end with LF. The first line is a header; fields
 * with a comma, a quote or a line end are quoted; a missing value is an empty field.
 *
 * At most one series is in memory, whatever the length of the run.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tools/present/metrics.h"
#include "tools/run/run.h"

/* Writes bench,pass,series,unit,time,index,value: a line for each sample that arrived, in the order
 * of the run. Returns false if interrupt_seen(). */
bool export_csv_samples(FILE *out, const struct run *run, const char *bench);

/* Writes a line for each series: the number of samples, the number of missing ones, and their
 * statistics. min, median, p99, p999 and max are as in the run file; p90, p9999, the ends of the 95
 * % interval of the median, mean, deviation and MAD as in summary.h. Series without samples have a
 * line too. */
bool export_csv_summaries(FILE *out, const struct run *run, const char *bench);

/*
 * Writes the metrics of a run in the text format of OpenMetrics 1.0, for the textfile collector of
 * Prometheus' node exporter. The older text format of Prometheus allows it as well.
 *
 *     tare_run_info                1; labels: the run, its machine, its time base, its verdict
 *     tare_run_valid               1 if its numbers can be believed, otherwise 0
 *     tare_run_date_seconds        when the run was, if its date and zone are known
 *     tare_duration_seconds        a summary of each series of lengths; in exact time
 *                                  tare_duration_instructions
 *     tare_throughput_bytes_per_second
 *     tare_observed_seconds        how long the run looked for rare events; ..._instructions
 *     tare_event_rate_per_second   rate of rare events, with 95 % bounds; ..._per_instruction
 *
 * Lengths of a run with an unknown clock are in ticks. Other units have families of their own name.
 */

/* Writes the metrics. `reasons` are those of run_valid(). `bench` selects one bench, as in
 * run_bench_is(); NULL: all. */
void openmetrics(FILE *out, const struct run *run, const struct metrics *metrics,
                 const struct run_texts *reasons, const char *bench);
