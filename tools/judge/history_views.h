/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Views of a judged history, for people, for programs and for CI servers.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "tools/judge/ci_report.h"
#include "tools/judge/history.h"

/* Prints the history in 80 columns; without `all`, small changes are left out. */
void history_print(FILE *out, const struct history *history, bool all);

/*
 * Writes the history as JSON:
 *
 * {"schema": "tare compare --history", "version": 1, "alpha", "threshold", "left_out": [text],
 *     "summary": {"worse", "better", "changed", "small", "dropped", "failing"},
 *     "groups": [{"time", "machine", "exact", "searched", "least", "recent",
 *         "runs": [{"file", "number", "date", "captured"}],
 *         "order": "capture" or "name",
 *         "reversed": {"capture", "name", "date": successive runs that this order would reverse},
 *         "changes": [{"metric", "unit", "verdict", "recent", "undone", "fails", "trend", "from":
 * file, "at": file, "date", "before", "after", "shift", "p", "also": ["image", "firmware",
 * "emulator", "plan"]}]}]}
 *
 * `shift` is a fraction of `before`, not per cent. Unknown values are null: a threshold that was
 * not given, an infinite shift, and p if chance plays no role.
 */
void history_json(FILE *out, const struct history *history);

/* Adds a suite for each group, with a case for each metric. A worse change that fails (history.h)
 * is a failed case, too few runs a skipped one, and anything else a passed one with its changes as
 * message. */
void history_cases_add(struct ci_report *report, const struct history *history);

/*
 * Writes the figures of runs of one group for programs that watch figures over time. The history
 * must be in order (history_order()).
 *
 * Bencher Metric Format (bencher.dev): {METRIC: {MEASURE: {"value", "lower_value",
 * "upper_value"}}}. MEASURE is the unit: "latency" for nanoseconds, otherwise the letters and
 * digits of the unit, such as "instructions" or "mb-s", and also MEASURE-p99 and MEASURE-max if
 * these are known. The time base is put in front of it, except for real time and for instructions.
 * For one run, the bounds are those of the 95 % interval. Several runs are treated as boots of one
 * image: value and bounds are the median, the minimum and the maximum of their figures; for maxima,
 * the maximum. Requires settings.spread.
 */
void history_bencher(FILE *out, const struct history *history);
