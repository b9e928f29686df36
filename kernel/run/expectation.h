/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares what a bench published with what it stated beforehand (bench.h, struct bench_estimate).
 * The runner does this for each bench that ended as OK; if something disagrees, the bench ends as
 * FAIL.
 *
 * Four things are judged.
 *
 * - In exact time, the instructions of each estimate. They are measured as `tare show` prints them:
 * the median over the trials of the cost of one repetition (NAME.twice minus NAME, divided by the
 * repetitions), minus the cost of `loop` or `empty` around it. They may differ by
 * EXPECTATION_PERCENT of the estimate, or by EXPECTATION_INSTRUCTIONS if that is more, because
 * emulators differ in how they count an exception. If the bench is marked `counted`, not even one
 * instruction may differ: of a pair NAME and NAME.twice, not one in all repetitions together. A
 * series with an estimate, and the point of it, must be published, or be absent with a reason,
 * unless the plan sets a parameter of the bench.
 *
 * - In every time base, each pair NAME and NAME.twice: more repetitions must take longer, and the
 * second half at most EXPECTATION_RATIO times the first. In exact time this must hold in each
 * trial, otherwise in at least one: a processor may change its clock rate between the two, and a
 * host may take the processor away.
 *
 * - The names and the numbers of samples, in every time base: no name is published twice, the
 * points of a curve have equal numbers of trials, and series in ticks have a multiple of the
 * numbers that `samples` (bench.h) names.
 *
 * - In exact time, that the controls `empty` and `loop` take time, and what the bench declares
 * (bench.h): `steady`, and each of its `relations`.
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
/* Instructions by which a series without a .twice may be above its estimate, for all repetitions
 * together: two TSC reads and the code around the repetitions, which nothing subtracts. */
#define EXPECTATION_AROUND 100

/* Call when a bench begins: forgets what the one before published. */
void expectation_begin(void);
/* Take each series and each fact as it is published. Names are copied; samples must stay unchanged
 * until the bench has been judged. */
void expectation_series(const char *name, const char *unit, const int64_t *samples, size_t count);
void expectation_fact(const char *name, int64_t value);
/* Takes what is absent, as it is reported; NULL: what the plan leaves out, whatever that is. */
void expectation_absent(const char *name);
/* Takes the value of a parameter that struct bench names in `samples`. */
void expectation_multiple(uint64_t value);

/* Returns whether everything agrees. If not, `reason` names the first series that disagrees, with
 * both values. `ticks` are the ticks of an instruction; 0 if the TSC counts time: then only pairs
 * are judged. */
bool expectation_met(const struct bench *bench, uint32_t ticks, char *reason, size_t size);
