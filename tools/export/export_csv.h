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

#include "tools/run/run.h"

/* bench,pass,series,unit,time,index,value: a line for each sample that is there, in the order of
 * the run. False where interrupt_seen(). */
bool export_csv_samples(FILE *out, const struct run *run, const char *bench);

/* A line for each series: how many samples, how many of them are missing, and their statistics:
 * min, median, p99, p999 and max as in the run file; p90, p9999, the ends of the median's interval
 * of 95 %, mean, deviation and MAD as in summary.h. Series without a sample have a line too. */
bool export_csv_summaries(FILE *out, const struct run *run, const char *bench);
