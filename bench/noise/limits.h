/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The limits by which the idle loop is judged (recover.h). They are known before anything is
 * judged.
 *
 * In exact time, entry and exit of an interrupt are 8 instructions (kernel/irq/timed_section.h),
 * and no error is allowed. If the TSC counts time, entry and exit are measured with about 16
 * interrupts that do no work, one in four samples of 100 us.
 */
#pragma once

#include "bench/noise/recover.h"
#include "kernel/run/bench.h"

/* Finds the limits and publishes them as facts. Needs interrupts off and a LAPIC timer. Returns
 * BENCH_OK, or bench_error(). */
enum bench_state limits_find(struct bench_run *run, const struct idle_calibration *calibration,
                             struct recover_limits *limits);

/* Judges the samples of the idle loop, given as `rows`, and publishes the results: series "error"
 * with a value for each group, series "group" with the number of interrupts in each (only if a
 * group has more than one), and sums as facts. Returns BENCH_OK, bench_fail() or bench_error(). */
enum bench_state limits_judge(struct bench_run *run, const struct recover_limits *limits,
                              const struct bench_rows *rows, struct recover_input *input);
