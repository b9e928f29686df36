/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Does what a bench published agree with what it stated beforehand (bench.h, struct
 * bench_estimate)? The runner asks it of each bench that ended as OK; what disagrees makes it FAIL.
 *
 * Two things are judged.
 *
 * - In exact time, the instructions of each estimate. What is measured is what `tare show` prints:
 *   the median over trials of one repetition (NAME.twice less NAME, by the repetitions), less the
 *   cost `loop` or `empty` around it. It may differ by EXPECTATION_PERCENT of the estimate, or by
 *   EXPECTATION_INSTRUCTIONS where that is more: emulators differ in how they count an exception.
 *   Of a bench whose estimates are counted in its code it may not differ by one instruction.
 * - In every kind of time, each pair NAME and NAME.twice: more repetitions take longer, and
 *   the second half at most EXPECTATION_RATIO times the first: in exact time in each trial, else in
 *   one at least. A processor may change its clock rate between the two, and a host may take it
 *   away.
 *
 * Pure: compiled for the image and for the host.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/run/bench.h"

#define EXPECTATION_PERCENT      25
#define EXPECTATION_INSTRUCTIONS 3
#define EXPECTATION_RATIO        3
/* Where nothing takes it away: two stamps and what is around the repetitions, for all of them. */
#define EXPECTATION_AROUND 100

/* A bench begins: forgets what the one before published. */
void expectation_begin(void);
/* Each series and each fact as it is published. Names are copied; samples must stay as they are
 * until the judgement. */
void expectation_series(const char *name, const int64_t *samples, size_t count);
void expectation_fact(const char *name, int64_t value);

/* False: `reason` names the first series that disagrees, with both values. `ticks` is of an
 * instruction; 0 where the TSC counts time: then only pairs are judged. */
bool expectation_met(const struct bench *bench, uint32_t ticks, char *reason, size_t size);
