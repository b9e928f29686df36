/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Restricts series whose samples have a time to a time window:
 *
 *     idle                 and the counts of its samples (of=idle): keeps samples that lie wholly
 *                          within the window, and moves fact idle_origin with them
 *     intended             planned input, together with sent, written, cold, action, class, phase
 *     stamp_from           together with stamp_number and stamp_to
 *     gap_time, worst_time together with lengths, SMIs and causes, for each processor
 *
 * Times that count from the start of the trace then count from the start of the window. If samples
 * of a series are missing, the time of the others is unknown, and all are removed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/run/run.h"

/* Restricts the series to [from, to) in ticks. `traced`: the bench had a trace, from whose start
 * the times count. */
void series_cut(struct run_bench *bench, bool traced, uint64_t from, uint64_t to);
