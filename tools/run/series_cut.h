/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Series whose samples have a time, without those outside a window:
 *
 *     idle                 with what was counted during its samples (of=idle): samples that lie
 *                          wholly within; fact idle_origin moves with them
 *     intended             planned input, and beside it sent, written, cold, action, class, phase
 *     stamp_from           and beside it stamp_number, stamp_to
 *     gap_time, worst_time and beside them lengths, SMIs and causes, of each processor
 *
 * Their times then count from the window's begin where those of the trace do. Where samples of a
 * series are missing the others have no time: all are left out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "tools/run/run.h"

/* [from, to) in ticks. `traced`: the bench had a trace, whose begin the times count from. */
void series_cut(struct run_bench *bench, bool traced, uint64_t from, uint64_t to);
