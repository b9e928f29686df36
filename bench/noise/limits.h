/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What the idle loop is held to (recover.h), known before anything is judged.
 *
 * In exact time entry and exit of an interrupt are 8 instructions (kernel/irq/bracket.h), and
 * nothing is allowed besides. Where the TSC counts time they are measured: some 16 interrupts that
 * do no work, one in four samples of 100 us.
 */
#pragma once

#include "bench/noise/recover.h"
#include "kernel/run/bench.h"

/* Sends the limits as facts. With interrupts off, and a LAPIC timer. BENCH_OK, or bench_error(). */
enum bench_state limits_find(struct bench_run *run, const struct idle_calibration *calibration,
                             struct recover_limits *limits);

/* Judges, and sends what was found: series "error", of a value a group, and "group", its events,
 * where any has more than one; and sums as facts. The samples are rows of the idle loop. BENCH_OK,
 * bench_fail() or bench_error(). */
enum bench_state limits_judge(struct bench_run *run, const struct recover_limits *limits,
                              const struct bench_rows *rows, struct recover_input *input);
